// Package webhooks proves the promises to receivers of webhooks.
package webhooks

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Promises returns the promises that a running system keeps.
func Promises() system.Promises {
	return system.Promises{
		"outcomes reach endpoints":        outcomesReachEndpoints,
		"endpoints select events":         endpointsSelectEvents,
		"folders select files":            foldersSelectFiles,
		"items name an endpoint":          itemsNameAnEndpoint,
		"failed deliveries are repeated":  failedDeliveriesAreRepeated,
		"endpoints that are gone end":     goneEndpointsEnd,
		"a replay sends each event again": replaySendsEachEventAgain,
		"blocked URLs are refused":        blockedURLsAreRefused,
		"alerts reach operators":          alertsReachOperators,
	}
}

const (
	words = "one two two"
	noise = "%PDF-1.4\n"
)

// outcomesReachEndpoints: an endpoint receives the outcomes of its owner, with its secret, and those of no other owner. A test
// call reaches it too. After a rotation, requests are signed with both secrets.
func outcomesReachEndpoints(t *testing.T, s system.System) {
	owner, other := newOwner(s), newOwner(s)
	mine, theirs := owner.register(t, `"include":"result"`), other.register(t, "")
	id := owner.upload(t, words, "")
	got := mine.next(t)
	if got.Type != "textfile.completed" || got.Data["id"] != id || got.Data["area"] != "textfile" || got.Data["status"] != "completed" ||
		got.Data["ownerId"] != owner.name || got.Data["url"] != "/v1/files/"+id || !strings.HasPrefix(got.id, "analysis_completed_textfile_") {
		t.Errorf("got %+v with the id %s", got, got.id)
	}
	if result, ok := got.Data["result"].(map[string]any); !ok || result["totalWords"] != 3.0 {
		t.Errorf("got the result %v, want 3 words", got.Data["result"])
	}
	delivery := mine.test(t)
	if got := mine.next(t); got.Type != "webhook.test" || delivery.Status != "delivered" || delivery.ID != got.id || len(delivery.Attempts) != 1 || delivery.Attempts[0].HTTPStatus != http.StatusOK {
		t.Errorf("got %+v, and the delivery %+v", got, delivery)
	}
	mine.rotate(t)
	failed := owner.upload(t, noise, "")
	if got := mine.next(t); got.Type != "textfile.failed" || got.Data["id"] != failed || got.Data["errorMessage"] == "" || strings.Count(got.signature, "v1,") != 2 {
		t.Errorf("got %+v, signed %s", got, got.signature)
	}
	if got := other.deliveries(t, theirs, ""); len(got) != 0 {
		t.Errorf("another owner has the deliveries %+v", got)
	}
}

// endpointsSelectEvents: an endpoint receives only the events that its filter selects.
func endpointsSelectEvents(t *testing.T, s system.System) {
	owner := newOwner(s)
	all, failures, feed := owner.register(t, ""), owner.register(t, `"types":["textfile.failed"]`), owner.register(t, `"areas":["feed"]`)
	done, failed := owner.upload(t, words, ""), ""
	if got := all.next(t); got.Data["id"] != done {
		t.Errorf("got %+v, want the outcome of %s", got, done)
	}
	failed = owner.upload(t, noise, "")
	for _, to := range []*endpoint{all, failures} {
		if got := to.next(t); got.Data["id"] != failed || got.Data["result"] != nil {
			t.Errorf("got %+v, want the outcome of %s without a result", got, failed)
		}
	}
	if got := owner.deliveries(t, feed, ""); len(got) != 0 {
		t.Errorf("the endpoint for the feed has the deliveries %+v", got)
	}
	owner.call(t, http.MethodPatch, "/"+all.ID, `{"enabled":false}`, http.StatusOK, nil)
	owner.upload(t, words, "")
	system.Eventually(t, func() error {
		if got := owner.deliveries(t, all, "dead"); len(got) != 1 || len(got[0].Attempts) != 0 {
			return fmt.Errorf("got %+v, want the event that a disabled endpoint missed", got)
		}
		return nil
	})
}

// itemsNameAnEndpoint: the outcome of an item that names an endpoint is delivered to it, whatever events it selects.
func itemsNameAnEndpoint(t *testing.T, s system.System) {
	owner := newOwner(s)
	named := owner.register(t, `"name":"ci","onlyNamed":true`)
	owner.upload(t, words, "")
	id := owner.upload(t, words, "ci")
	if got := named.next(t); got.Data["id"] != id {
		t.Errorf("got %+v, want the outcome of %s", got, id)
	}
	body, contentType := system.Form(`form-data; name="file"; filename="a.txt"`, "text/plain", words)
	header := map[string]string{"X-Owner-Id": owner.name, "Content-Type": contentType, "X-Webhook": "unknown"}
	resp, text := s.Ask(t, http.MethodPost, "/v1/files", header, body)
	if p := system.Refused(t, resp, text, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != "header.X-Webhook" {
		t.Errorf("got %+v, want a problem with header.X-Webhook", p)
	}
}

// failedDeliveriesAreRepeated: an attempt that fails is repeated with the same id, and the list shows why it failed.
func failedDeliveriesAreRepeated(t *testing.T, s system.System) {
	owner := newOwner(s)
	flaky := owner.register(t, "", http.StatusServiceUnavailable, http.StatusFound)
	owner.upload(t, words, "")
	first, second := flaky.next(t), flaky.next(t)
	if first.id != second.id || second.at.Sub(first.at) < 5*time.Second {
		t.Errorf("got %s at %s and %s at %s, want the same id at least 5 s later", first.id, first.at, second.id, second.at)
	}
	system.Eventually(t, func() error {
		got := owner.deliveries(t, flaky, "pending")
		if len(got) != 1 || len(got[0].Attempts) != 2 || got[0].Attempts[0].HTTPStatus != http.StatusServiceUnavailable ||
			got[0].Attempts[1].HTTPStatus != http.StatusFound || !strings.Contains(got[0].Attempts[0].Response, "not now") || got[0].NextAttempt.IsZero() {
			return fmt.Errorf("got %+v, want a delivery with two failed attempts", got)
		}
		return nil
	})
}

// goneEndpointsEnd: an endpoint that responds with 410 is disabled, and another endpoint of the owner receives webhook.disabled.
func goneEndpointsEnd(t *testing.T, s system.System) {
	owner := newOwner(s)
	gone, other := owner.register(t, "", http.StatusGone), owner.register(t, `"areas":["webhook"]`)
	owner.upload(t, words, "")
	gone.next(t)
	if got := other.next(t); got.Type != "webhook.disabled" || got.Data["endpoint"] != gone.ID || got.Data["reason"] == "" {
		t.Errorf("got %+v, want the end of %s", got, gone.ID)
	}
	system.Eventually(t, func() error {
		var shown endpoint
		owner.call(t, http.MethodGet, "/"+gone.ID, "", http.StatusOK, &shown)
		if shown.State != "disabled" || !strings.Contains(shown.Reason, "410") {
			return fmt.Errorf("it is %s because %q, want it to be disabled", shown.State, shown.Reason)
		}
		return nil
	})
	owner.call(t, http.MethodPost, "/"+gone.ID+"/test", "", http.StatusConflict, nil)
	owner.call(t, http.MethodPatch, "/"+gone.ID, `{"enabled":true}`, http.StatusOK, nil)
	if got := gone.test(t); got.Status != "delivered" {
		t.Errorf("got %+v, want a delivery after the endpoint was enabled", got)
	}
}

// replaySendsEachEventAgain: a replay after an event sends each later event once more, in their order.
func replaySendsEachEventAgain(t *testing.T, s system.System) {
	owner := newOwner(s)
	to := owner.register(t, "")
	var ids []string
	for range 4 {
		owner.upload(t, words, "")
		ids = append(ids, to.next(t).id)
	}
	system.Eventually(t, func() error {
		if got := owner.deliveries(t, to, "delivered"); len(got) != len(ids) {
			return fmt.Errorf("%d deliveries have ended, want %d", len(got), len(ids))
		}
		return nil
	})
	var replayed struct{ Replayed, Pending int }
	owner.call(t, http.MethodPost, "/"+to.ID+"/replay", `{"after":"`+ids[0]+`"}`, http.StatusOK, &replayed)
	var again []string
	for range ids[1:] {
		again = append(again, to.next(t).id)
	}
	slices.Sort(again) // an endpoint has concurrent requests; ids end with their time
	if want := slices.Sorted(slices.Values(ids[1:])); replayed.Replayed != 3 || replayed.Pending != 0 || !slices.Equal(again, want) {
		t.Errorf("got %+v and %q, want %q", replayed, again, want)
	}
	owner.call(t, http.MethodPost, "/"+to.ID+"/replay", `{"eventId":"none/1"}`, http.StatusNotFound, nil)
	owner.call(t, http.MethodPost, "/"+to.ID+"/replay", `{}`, http.StatusUnprocessableEntity, nil)
}

// blockedURLsAreRefused: a URL that may not be called is refused with the setting that would allow it.
func blockedURLsAreRefused(t *testing.T, s system.System) {
	for url, want := range map[string]string{
		"https://10.0.0.1/": "ASSAY_WEBHOOKS_ALLOW_NETWORKS", "https://169.254.169.254/latest": "ASSAY_WEBHOOKS_ALLOW_NETWORKS",
		"http://1.1.1.1/": "ASSAY_WEBHOOKS_ALLOW_NETWORKS", "ftp://a.example/": "scheme", "https://a:b@a.example/": "user name",
	} {
		header := map[string]string{"X-Owner-Id": system.NewOwner(), "Content-Type": "application/json"}
		resp, text := s.Ask(t, http.MethodPost, "/v1/webhooks", header, `{"url":"`+url+`"}`)
		if p := system.Refused(t, resp, text, http.StatusUnprocessableEntity, "url-not-allowed"); !strings.Contains(p.Detail, want) {
			t.Errorf("%s: got %q, want it to name %s", url, p.Detail, want)
		}
	}
}
