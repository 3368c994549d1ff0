package outage

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// retrying sends a request until its status is neither 429 nor 503, and waits for Retry-After, as the documentation
// tells clients to do. Any other failure is final.
func (o *outages) retrying(t *testing.T, r request) (response, error) {
	for late := time.After(system.Soon * 2); ; {
		got := o.exchange(t, r)
		if got.err != nil {
			return got, got.err
		}
		if got.status != http.StatusTooManyRequests && got.status != http.StatusServiceUnavailable {
			if got.status >= http.StatusMultipleChoices {
				return got, fmt.Errorf("%d %s, want success, 429 or 503", got.status, got.body)
			}
			return got, nil
		}
		seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
		if err != nil {
			return got, fmt.Errorf("%d without a Retry-After", got.status)
		}
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-late:
			return got, errors.New("still refused")
		}
	}
}

// TestClientsThatRetryLoseNothing: while each engine refuses connections and then does not respond, clients post files
// and items, and repeat only requests that are answered with 429 or 503. Each item is accepted and analyzed exactly
// once.
func TestClientsThatRetryLoseNothing(t *testing.T) {
	t.Parallel()
	const clients, rounds = 4, 6
	o := startOutages(t, "ASSAY_LEASE=20s") // a message that is lost with a connection is delivered again
	tag := system.NewTag()
	for engine, relay := range o.engines {
		for _, outage := range []func(){relay.Refuse, relay.Silence} {
			var first, all sync.WaitGroup
			first.Add(clients)
			for n := range clients {
				all.Go(func() {
					for round := range rounds {
						o.postBoth(t, tag, fmt.Sprintf("%s-%d-%d.txt", engine, n, round))
						if round == 0 {
							first.Done()
						}
					}
				})
			}
			first.Wait()
			outage()
			for range clients { // until the outage has been noticed
				r := request{o.HTTP, "application/json", identity.Request{Method: http.MethodPost, Path: "/v1/feed/items", Body: system.JSON(system.NewPosting("A good day.", "other"))}, ""}
				if got := o.exchange(t, r); got.err != nil || got.status != http.StatusServiceUnavailable {
					t.Errorf("%s unavailable: %d %s %v, want 503", engine, got.status, got.body, got.err)
				}
			}
			relay.Restore()
			all.Wait()
		}
	}
	want := 3 * 2 * clients * rounds
	o.AwaitItems(t, tag, want)
	files := map[string]bool{}
	c := o.Client(t, o.owner)
	for file, err := range c.List(system.Within(t), client.Listing{}) {
		if err != nil {
			t.Fatal(err)
		}
		if files[file.FileID] = true; system.Await(t, c, file.FileID).Status != "COMPLETED" {
			t.Errorf("%s is not COMPLETED", file.FileID)
		}
	}
	if len(files) != want {
		t.Errorf("the owner has %d files, want %d", len(files), want)
	}
}

// postBoth posts an item and a file with an idempotency key.
func (o *outages) postBoth(t *testing.T, tag, name string) {
	item := request{o.HTTP, "application/json", identity.Request{Method: http.MethodPost, Path: "/v1/feed/items", Body: system.JSON(system.NewPosting("A good day.", tag))}, ""}
	if _, err := o.retrying(t, item); err != nil {
		t.Errorf("an item: %v", err)
	}
	form, formType := system.Form(`form-data; name="file"; filename="`+name+`"`, "text/plain", "some words")
	file := request{o.HTTP, formType, identity.Request{Method: http.MethodPost, Path: "/v1/files", Body: form}, system.NewOwner()}
	if _, err := o.retrying(t, file); err != nil {
		t.Errorf("a file: %v", err)
	}
}
