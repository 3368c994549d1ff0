package e2e

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
)

// repeatsFindTheFirstFile: a call under an Idempotency-Key gives one file
// however often and in whatever company it is made.
func repeatsFindTheFirstFile(t *testing.T, s system) {
	text := randomText(51, 400)
	for name, call := range map[string]func(*testing.T, *client.Client, string) string{
		"reservation": func(t *testing.T, c *client.Client, key string) string {
			reserved, err := c.Reserve(within(t), client.Reservation{FileName: "a.txt", Size: int64(len(text)), Key: key})
			if err != nil {
				t.Error(err)
			}
			return reserved.FileID
		},
		"multipart": func(t *testing.T, c *client.Client, key string) string {
			file, err := c.PostFile(within(t), client.Posted{FileName: "a.txt", Content: strings.NewReader(text), Key: key})
			if err != nil {
				t.Error(err)
			}
			return file.FileID
		},
		"upload": func(t *testing.T, c *client.Client, key string) string {
			file, err := c.Upload(within(t), client.Source{
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
			c := s.client(t, newOwner())
			const repeats = 20
			ids := make([]string, repeats)
			var calls sync.WaitGroup
			for i := range repeats {
				calls.Go(func() { ids[i] = call(t, c, "the same key") })
			}
			calls.Wait()
			if ids = slices.Compact(append(ids, call(t, c, "the same key"))); len(ids) != 1 {
				t.Fatalf("the calls gave the files %v, want one", ids)
			}
			if got := onlyFile(t, c).FileID; got != ids[0] {
				t.Errorf("the list has %s instead of %s", got, ids[0])
			}
			if name != "reservation" {
				checkResult(t, final(t, c, ids[0]), count(text))
				if outcomes := s.outcomes(t, s.jetStream(t), ids[0]); len(outcomes) != 1 {
					t.Errorf("outcomes %v, want one", outcomes)
				}
			}
			if other := call(t, s.client(t, newOwner()), "the same key"); other == ids[0] {
				t.Error("the key of one owner is that of another")
			}
		})
	}
}

// otherTermsAreRefused: a key stands for one upload.
func otherTermsAreRefused(t *testing.T, s system) {
	reservation := func(name string, size int64, contentType, sha256 string) string {
		return show(client.Reservation{FileName: name, Size: size, ContentType: contentType, SHA256: sha256})
	}
	digest := strings.Repeat("ab", 32)
	header := map[string]string{"X-Owner-Id": newOwner(), "Idempotency-Key": "k", "Content-Type": "application/json"}
	resp, body := s.ask(t, http.MethodPost, "/v1/files", header, reservation("a", 3, "text/plain", digest))
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	for name, other := range map[string]string{
		"name": reservation("b", 3, "text/plain", digest), "size": reservation("a", 4, "text/plain", digest),
		"type": reservation("a", 3, "text/html", digest), "digest": reservation("a", 3, "text/plain", ""),
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := s.ask(t, http.MethodPost, "/v1/files", header, other)
			refused(t, resp, body, http.StatusUnprocessableEntity, "idempotency-key-reused")
		})
	}
	t.Run("multipart", func(t *testing.T) {
		content, contentType := form(`form-data; name="file"; filename="a"`, "text/plain", "abc")
		resp, body := s.ask(t, http.MethodPost, "/v1/files",
			map[string]string{"X-Owner-Id": header["X-Owner-Id"], "Idempotency-Key": "k", "Content-Type": contentType}, content)
		refused(t, resp, body, http.StatusUnprocessableEntity, "idempotency-key-reused")
	})
	t.Run("too long", func(t *testing.T) {
		header := map[string]string{"Idempotency-Key": strings.Repeat("k", 256), "Content-Type": "application/json"}
		resp, body := s.ask(t, http.MethodPost, "/v1/files", header, reservation("a", 3, "", ""))
		refused(t, resp, body, http.StatusUnprocessableEntity, "invalid-request")
	})
}

// timedKeysKeepOrder: files whose keys are UUIDv7 are listed by the time of
// the keys, also when the calls arrive in another order.
func timedKeysKeepOrder(t *testing.T, s system) {
	c := s.client(t, newOwner())
	const files = 12
	var keys []string
	for i := range files {
		key := uuid.Must(uuid.NewV7())
		key[5] = byte(i) // the last byte of the milliseconds: one apart
		keys = append(keys, key.String())
	}
	want := make([]string, files)
	for _, i := range []int{5, 0, 11, 3, 8, 1, 10, 2, 7, 4, 9, 6} {
		reserved, err := c.Reserve(within(t), client.Reservation{FileName: "f", Size: 1, Key: keys[i]})
		if err != nil {
			t.Fatal(err)
		}
		want[files-1-i] = reserved.FileID
	}
	page, err := c.ListPage(within(t), client.Listing{})
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

// TestKeysSurviveKill: a repeat after a kill -9 finds the first file.
func TestKeysSurviveKill(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir(), shortLease)
	c := s.client(t, newOwner())
	text := randomText(52, 100)
	reservation := client.Reservation{FileName: "a.txt", Size: int64(len(text)), ContentType: "text/plain", Key: "kept"}
	reserved, err := c.Reserve(within(t), reservation)
	if err != nil {
		t.Fatal(err)
	}
	posted, err := c.PostFile(within(t), client.Posted{FileName: "b.txt", Content: strings.NewReader(text), Key: "kept too"})
	if err != nil {
		t.Fatal(err)
	}
	s.program.kill(t)
	s.restart(t)
	again, err := c.Reserve(within(t), reservation)
	if err != nil || again.FileID != reserved.FileID {
		t.Errorf("the repeat gives %s, %v; want %s", again.FileID, err, reserved.FileID)
	}
	if status, body := put(t, again.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	repeat, err := c.PostFile(within(t), client.Posted{FileName: "b.txt", Content: strings.NewReader(text), Key: "kept too"})
	if err != nil || repeat.FileID != posted.FileID {
		t.Errorf("the repeat gives %s, %v; want %s", repeat.FileID, err, posted.FileID)
	}
	for _, id := range []string{again.FileID, repeat.FileID} {
		checkResult(t, final(t, c, id), count(text))
		if outcomes := s.outcomes(t, s.jetStream(t), id); len(outcomes) != 1 {
			t.Errorf("outcomes %v, want one", outcomes)
		}
	}
}
