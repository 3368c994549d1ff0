package e2e

import (
	"errors"
	"net/http"
	"strconv"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// TestFullQueueIsRejected: once the limit of queued files is reached, ingest rejects both kinds of upload
// with 503 and a Retry-After, and stores nothing. Accepted files are
// analyzed once a worker starts, and then ingest accepts files again.
func TestFullQueueIsRejected(t *testing.T) {
	t.Parallel()
	const limit = 5
	c := startCluster(t, "ASSAY_WORK_MAX_MESSAGES="+strconv.Itoa(limit))
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	owner := newOwner()
	speaker := c.client(t, owner)
	asJSON := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}
	content, formType := form(`form-data; name="file"; filename="f.txt"`, "text/plain", "full")
	asForm := map[string]string{"X-Owner-Id": owner, "Content-Type": formType}
	reservation := show(client.Reservation{FileName: "r.txt", Size: 10})

	// Reserved before the limit is reached, and uploaded after.
	late := reserve(t, speaker, "late.txt", "text/plain", "full")
	accepted := map[string]bool{}
	for i := 0; len(accepted) < limit; i++ {
		resp, body := c.ask(t, http.MethodPost, "/v1/files", asForm, content)
		if resp.StatusCode != http.StatusAccepted {
			t.Fatalf("upload %d of %d: %d %s", i, limit, resp.StatusCode, body)
		}
		var file client.File
		decode(t, body, &file)
		accepted[file.FileID] = true
	}
	for way, call := range map[string]func() (*http.Response, string){
		"multipart":   func() (*http.Response, string) { return c.ask(t, http.MethodPost, "/v1/files", asForm, content) },
		"reservation": func() (*http.Response, string) { return c.ask(t, http.MethodPost, "/v1/files", asJSON, reservation) },
	} {
		// ingest checks the stream once a second; until then a reservation is accepted.
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
	if status, body := put(t, late.Upload, "full", nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	// An upload that was reserved before is not rejected.
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
		checkResult(t, final(t, speaker, id), count("full"))
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
