package e2e

import (
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// TestFullIsSaid: once as many files wait as may, ingest refuses both ways in
// with 503 and a Retry-After, and leaves nothing behind; what was accepted is
// analyzed when a worker comes, and then there is room again.
func TestFullIsSaid(t *testing.T) {
	t.Parallel()
	const room = 5
	c := startCluster(t, "ASSAY_WORK_MAX_MESSAGES="+strconv.Itoa(room))
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	owner := newOwner()
	speaker := c.client(t, owner)
	asJSON := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}
	content, formType := form(`form-data; name="file"; filename="f.txt"`, "text/plain", "full house")
	asForm := map[string]string{"X-Owner-Id": owner, "Content-Type": formType}
	reservation := show(client.Reservation{FileName: "r.txt", Size: 10})

	// One that is reserved before and uploaded when there is no room any more.
	late := reserve(t, speaker, "late.txt", "text/plain", "full house")
	accepted := map[string]bool{}
	for i := 0; len(accepted) < room; i++ {
		resp, body := c.ask(t, http.MethodPost, "/v1/files", asForm, content)
		if resp.StatusCode != http.StatusAccepted {
			t.Fatalf("upload %d of %d: %d %s", i, room, resp.StatusCode, body)
		}
		var file client.File
		decode(t, body, &file)
		accepted[file.FileID] = true
	}
	for way, call := range map[string]func() (*http.Response, string){
		"multipart":   func() (*http.Response, string) { return c.ask(t, http.MethodPost, "/v1/files", asForm, content) },
		"reservation": func() (*http.Response, string) { return c.ask(t, http.MethodPost, "/v1/files", asJSON, reservation) },
	} {
		// ingest looks at the stream once a second; until then a reservation passes.
		eventually(t, func() error {
			resp, body := call()
			if resp.StatusCode == http.StatusServiceUnavailable {
				checkFull(t, resp, body)
				return nil
			}
			var file client.File
			decode(t, body, &file)
			return errors.Join(errors.New(way+" was let in"), speaker.Delete(t.Context(), file.FileID))
		})
	}
	if status, body := put(t, late.Upload, "full house", nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	// What was accepted before is not refused.
	if _, err := speaker.Uploaded(within(t), late.FileID); err != nil {
		t.Error(err)
	}

	accepted[late.FileID] = true
	for file, err := range speaker.List(within(t), client.Listing{}) {
		if err != nil || !accepted[file.FileID] {
			t.Errorf("something is left behind: %s, %v", show(file), err)
		}
	}
	if keys := c.keys(t); len(keys) != len(accepted) {
		t.Errorf("the bucket holds %v, want %d objects", keys, len(accepted))
	}

	c.service(t, "analyzer")
	for id := range accepted {
		checkResult(t, final(t, speaker, id), count("full house"))
	}
	eventually(t, func() error {
		resp, _ := c.ask(t, http.MethodPost, "/v1/files", asForm, content)
		if resp.StatusCode != http.StatusAccepted {
			return errors.New("still " + resp.Status)
		}
		return nil
	})
}

func checkFull(t *testing.T, resp *http.Response, body string) {
	t.Helper()
	refused(t, resp, body, http.StatusServiceUnavailable, "unavailable")
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || seconds < 1 {
		t.Errorf("Retry-After is %q", resp.Header.Get("Retry-After"))
	}
}
