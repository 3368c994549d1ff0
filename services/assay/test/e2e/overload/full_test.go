package overload

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFullQueueIsRejected: when the limit of queued files is reached, ingest rejects both kinds of upload
// with 503 and a Retry-After, and stores nothing. Accepted files are analyzed when a worker starts, and
// then ingest accepts files again.
func TestFullQueueIsRejected(t *testing.T) {
	t.Parallel()
	const limit = 5
	c := system.StartCluster(t, "ASSAY_WORK_MAX_MESSAGES="+strconv.Itoa(limit))
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	owner := system.NewOwner()
	api := c.Client(t, owner)
	asJSON := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}
	content, formType := system.Form(`form-data; name="file"; filename="f.txt"`, "text/plain", "full")
	asForm := map[string]string{"X-Owner-Id": owner, "Content-Type": formType}
	reservation := system.JSON(client.Reservation{FileName: "r.txt", Size: 10})

	// This file is reserved before the limit is reached and uploaded afterwards.
	late := system.Reserve(t, api, "late.txt", "text/plain", "full")
	accepted := map[string]bool{}
	for i := range limit {
		// The estimate of the backlog can count a message twice until the next count.
		system.Eventually(t, func() error {
			resp, body := c.Ask(t, http.MethodPost, "/v1/files", asForm, content)
			if resp.StatusCode != http.StatusAccepted {
				return fmt.Errorf("upload %d of %d: %d %s, want 202", i, limit, resp.StatusCode, body)
			}
			var file client.File
			system.Decode(t, body, &file)
			accepted[file.FileID] = true
			return nil
		})
	}
	for way, call := range map[string]func() (*http.Response, string){
		"multipart":   func() (*http.Response, string) { return c.Ask(t, http.MethodPost, "/v1/files", asForm, content) },
		"reservation": func() (*http.Response, string) { return c.Ask(t, http.MethodPost, "/v1/files", asJSON, reservation) },
	} {
		// ingest checks the stream once a second; until the next check, it can accept uploads.
		system.Eventually(t, func() error {
			resp, body := call()
			if resp.StatusCode == http.StatusServiceUnavailable {
				checkFull(t, resp, body)
				return nil
			}
			var file client.File
			system.Decode(t, body, &file)
			return errors.Join(errors.New(way+" was accepted, want 503"), api.Delete(t.Context(), file.FileID))
		})
	}
	if status, body := system.Put(t, late.Upload, "full", nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	// An upload that was reserved before the limit was reached is not rejected.
	if _, err := api.Uploaded(system.Within(t), late.FileID); err != nil {
		t.Error(err)
	}

	accepted[late.FileID] = true
	for file, err := range api.List(system.Within(t), client.Listing{}) {
		if err != nil || !accepted[file.FileID] {
			t.Errorf("the list contains %s, %v; want only accepted uploads", system.JSON(file), err)
		}
	}
	if keys := c.Keys(t); len(keys) != len(accepted) {
		t.Errorf("the bucket contains %v, want %d objects", keys, len(accepted))
	}

	c.Service(t, "analyzer")
	for id := range accepted {
		system.CheckResult(t, system.Await(t, api, id), system.Count("full"))
	}
	system.Eventually(t, func() error {
		resp, _ := c.Ask(t, http.MethodPost, "/v1/files", asForm, content)
		if resp.StatusCode != http.StatusAccepted {
			return errors.New("an upload still returns " + resp.Status + ", want 202")
		}
		return nil
	})
}

func checkFull(t *testing.T, resp *http.Response, body string) {
	t.Helper()
	system.Refused(t, resp, body, http.StatusServiceUnavailable, "unavailable")
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || seconds < 1 {
		t.Errorf("Retry-After is %q, want at least 1", resp.Header.Get("Retry-After"))
	}
}
