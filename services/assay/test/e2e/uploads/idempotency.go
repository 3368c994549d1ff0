package uploads

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// repeatsFindTheFirstFile: calls with the same Idempotency-Key return the same file, whether they are repeated or
// concurrent.
func repeatsFindTheFirstFile(t *testing.T, s system.System) {
	text := system.RandomText(51, 400)
	for name, call := range map[string]func(*testing.T, *client.Client, string) string{
		"reservation": func(t *testing.T, c *client.Client, key string) string {
			reserved, err := c.Reserve(system.Within(t), client.Reservation{FileName: "a.txt", Size: int64(len(text)), Key: key})
			if err != nil {
				t.Error(err)
			}
			return reserved.FileID
		},
		"multipart": func(t *testing.T, c *client.Client, key string) string {
			file, err := c.PostFile(system.Within(t), client.Posted{FileName: "a.txt", Content: strings.NewReader(text), Key: key})
			if err != nil {
				t.Error(err)
			}
			return file.FileID
		},
		"upload": func(t *testing.T, c *client.Client, key string) string {
			file, err := c.Upload(system.Within(t), client.Source{
				Reservation: client.Reservation{FileName: "a.txt", Size: int64(len(text)), Key: key}, Content: strings.NewReader(text),
			})
			if err != nil {
				t.Error(err)
			}
			return file.FileID
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.Client(t, system.NewOwner())
			const repeats = 20
			ids := make([]string, repeats)
			var calls sync.WaitGroup
			for i := range repeats {
				calls.Go(func() { ids[i] = call(t, c, "the same key") })
			}
			calls.Wait()
			if ids = slices.Compact(append(ids, call(t, c, "the same key"))); len(ids) != 1 {
				t.Fatalf("the calls returned the files %v, want one", ids)
			}
			if got := system.OnlyFile(t, c).FileID; got != ids[0] {
				t.Errorf("the list contains %s, want %s", got, ids[0])
			}
			if name != "reservation" {
				system.CheckResult(t, system.Await(t, c, ids[0]), system.Count(text))
				if outcomes := s.Outcomes(t, s.JetStream(t), ids[0]); len(outcomes) != 1 {
					t.Errorf("got outcomes %v, want one", outcomes)
				}
			}
			if other := call(t, s.Client(t, system.NewOwner()), "the same key"); other == ids[0] {
				t.Error("the same key of two owners returned the same file, want two files")
			}
		})
	}
}

// otherTermsAreRejected: a call with a used key and other parameters, a key without an owner, and a key that is too long
// are rejected.
func otherTermsAreRejected(t *testing.T, s system.System) {
	reservation := func(name string, size int64, contentType, sha256 string) string {
		return system.JSON(client.Reservation{FileName: name, Size: size, ContentType: contentType, SHA256: sha256})
	}
	digest := strings.Repeat("ab", 32)
	header := map[string]string{"X-Owner-Id": system.NewOwner(), "Idempotency-Key": "k", "Content-Type": "application/json"}
	resp, body := s.Ask(t, http.MethodPost, "/v1/files", header, reservation("a", 3, "text/plain", digest))
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("the first reservation returned %d %s, want 201", resp.StatusCode, body)
	}
	for name, other := range map[string]string{
		"name": reservation("b", 3, "text/plain", digest), "size": reservation("a", 4, "text/plain", digest),
		"type": reservation("a", 3, "text/html", digest), "digest": reservation("a", 3, "text/plain", ""),
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := s.Ask(t, http.MethodPost, "/v1/files", header, other)
			system.Refused(t, resp, body, http.StatusUnprocessableEntity, "idempotency-key-reused")
		})
	}
	t.Run("multipart", func(t *testing.T) {
		content, contentType := system.Form(`form-data; name="file"; filename="a"`, "text/plain", "abc")
		resp, body := s.Ask(t, http.MethodPost, "/v1/files",
			map[string]string{"X-Owner-Id": header["X-Owner-Id"], "Idempotency-Key": "k", "Content-Type": contentType}, content)
		system.Refused(t, resp, body, http.StatusUnprocessableEntity, "idempotency-key-reused")
	})
	t.Run("no owner", func(t *testing.T) {
		content, contentType := system.Form(`form-data; name="file"; filename="a"`, "text/plain", "abc")
		for sent, body := range map[string]string{"application/json": reservation("a", 3, "", ""), contentType: content} {
			resp, answer := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{"Idempotency-Key": "k", "Content-Type": sent}, body)
			system.Refused(t, resp, answer, http.StatusBadRequest, "owner-required")
		}
	})
	t.Run("too long", func(t *testing.T) {
		header := map[string]string{"X-Owner-Id": system.NewOwner(), "Idempotency-Key": strings.Repeat("k", 256), "Content-Type": "application/json"}
		resp, body := s.Ask(t, http.MethodPost, "/v1/files", header, reservation("a", 3, "", ""))
		system.Refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
	})
}

// otherBytesAreRejected: a form with a key that is used for other bytes, concurrently or earlier, is rejected; a form
// with the same bytes returns the first file. After the file is deleted, the key can be used again.
func otherBytesAreRejected(t *testing.T, s system.System) {
	long := system.RandomText(61, 1_200_000) // above the size of one part
	for name, texts := range map[string][3]string{
		"small": {"one two two", "one two three", "one"},
		"large": {long, long[:len(long)-1] + "x", long + "x"},
		"empty": {"", "one", " "},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.Client(t, system.NewOwner())
			post := func(text string) (client.File, error) {
				return c.PostFile(system.Within(t), client.Posted{FileName: "a.txt", ContentType: "text/plain", Content: strings.NewReader(text), Key: "k"})
			}
			isRefused := func(err error) bool {
				problem, ok := errors.AsType[*client.Problem](err)
				return ok && problem.Status == http.StatusUnprocessableEntity && problem.Type == "urn:assay:problem:idempotency-key-reused"
			}
			var calls sync.WaitGroup
			files, errs := make([]client.File, 6), make([]error, 6)
			for i := range files {
				calls.Go(func() { files[i], errs[i] = post(texts[i%3]) })
			}
			calls.Wait()
			won := slices.IndexFunc(errs, func(err error) bool { return err == nil })
			if won < 0 {
				t.Fatalf("all forms were rejected, want at least one accepted: %v", errs)
			}
			id, winner := files[won].FileID, won%3
			for i, err := range errs {
				if i%3 == winner && (err != nil || files[i].FileID != id) || i%3 != winner && !isRefused(err) {
					t.Errorf("text %d, posted concurrently with the accepted text %d, returned %s, %v; want that file or a rejection", i%3, winner, files[i].FileID, err)
				}
			}
			system.CheckResult(t, system.Await(t, c, id), system.Count(texts[winner]))
			for i, text := range texts {
				if again, err := post(text); i == winner && (err != nil || again.FileID != id) || i != winner && !isRefused(err) {
					t.Errorf("text %d, posted after the accepted text %d, returned %s, %v; want that file or a rejection", i, winner, again.FileID, err)
				}
			}
			if got := system.OnlyFile(t, c).FileID; got != id {
				t.Errorf("the list contains %s, want %s", got, id)
			}
			if err := c.Delete(system.Within(t), id); err != nil {
				t.Fatal(err)
			}
			next, err := post(texts[(winner+1)%3])
			if err != nil || next.FileID == id {
				t.Errorf("after the deletion, the key returned %s, %v; want a new file", next.FileID, err)
			}
		})
	}
}

// formsHaveOneFile: a form that contains two files or no file, or is truncated, is rejected and leaves nothing behind.
func formsHaveOneFile(t *testing.T, s system.System) {
	part := func(name, text string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"" + text[:3] + "\"\r\n\r\n" + text + "\r\n"
	}
	long := system.RandomText(62, 1_200_000)
	for name, c := range map[string]struct {
		body   string
		status int
		slug   string
	}{
		"two":           {part("file", "one") + part("file", "two") + "--b--\r\n", http.StatusUnprocessableEntity, "invalid-request"},
		"two large":     {part("file", long) + part("other", "two") + part("file", "two") + "--b--\r\n", http.StatusUnprocessableEntity, "invalid-request"},
		"truncated":     {part("file", "one") + "--b", http.StatusBadRequest, "bad-request"},
		"no file":       {part("other", "one") + "--b--\r\n", http.StatusUnprocessableEntity, "invalid-request"},
		"one and other": {part("other", "one") + part("file", "two") + part("more", "three") + "--b--\r\n", http.StatusAccepted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			owner := system.NewOwner()
			resp, answer := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{"X-Owner-Id": owner, "Content-Type": "multipart/form-data; boundary=b"}, c.body)
			page, err := s.Client(t, owner).ListPage(system.Within(t), client.Listing{})
			if err != nil {
				t.Fatal(err)
			}
			if c.slug != "" {
				system.Refused(t, resp, answer, c.status, c.slug)
				if len(page.Files) != 0 {
					t.Errorf("the rejected form left %s, want no files", system.JSON(page.Files))
				}
			} else if resp.StatusCode != c.status || len(page.Files) != 1 {
				t.Errorf("the form returned %d %s, and the list is %s; want %d and one file", resp.StatusCode, answer, system.JSON(page.Files), c.status)
			}
		})
	}
}

// newestFirst: files are listed by the time of their calls, regardless of their keys.
func newestFirst(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	const files = 12
	var want []string
	for i := range files {
		key := uuid.NewString()
		if i%3 == 0 {
			key = "0199b1c2-7d1e-7c3a-9d55-0f2b8c6a4e" + fmt.Sprint(10+i) // contains an earlier time
		}
		reserved, err := c.Reserve(system.Within(t), client.Reservation{FileName: "f", Size: 1, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		want = append([]string{reserved.FileID}, want...)
	}
	page, err := c.ListPage(system.Within(t), client.Listing{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range page.Files {
		got = append(got, file.FileID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the list is %v, want %v", got, want)
	}
}
