package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// receiver is a receiver of webhooks that the browser registers.
type receiver struct {
	*httptest.Server
	status   atomic.Int32 // of the responses
	requests chan signed
}

// signed is a request.
type signed struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{requests: make(chan signed, 100)}
	r.status.Store(http.StatusNoContent)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		if r.requests <- (signed{req.Header, body}); r.status.Load() != http.StatusNoContent {
			http.Error(w, "no longer here", int(r.status.Load()))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

// verified returns the next request, which the secret must verify.
func (r *receiver) verified(t *testing.T, secret string) []byte {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-r.requests:
		if err := verifier.Verify(got.body, got.header); err != nil {
			t.Errorf("the secret %s does not verify a request: %v", secret, err)
		}
		return got.body
	case <-system.Within(t).Done():
		t.Fatal("no request has arrived")
		return nil
	}
}

// TestWebhooks: an endpoint is registered, tested, rotated, disabled by its receiver, enabled and deleted in the browser, and its
// deliveries are listed, shown and replayed.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	r := newReceiver(t)
	p := Start(t).Open(t, s.HTTP, "/")
	p.Click(t, ".top button", "Owner and settings")
	p.Click(t, "[role=menuitem]", "Webhooks")
	p.See(t, ".empty h2", "No webhook endpoints")
	p.State(t, "webhooks-empty")

	p.Click(t, "main button", "Add endpoint")
	fill(t, p, "dialog input[type=url]", "https://10.0.0.1/")
	p.Click(t, ".dialog-foot button", "Add")
	p.See(t, "dialog [role=alert]", "ASSAY_WEBHOOKS_ALLOW_NETWORKS")
	fill(t, p, "dialog input[type=url]", r.URL+"/hooks")
	fill(t, p, "dialog label:nth-of-type(2) input", "orders")
	p.Click(t, "dialog .areas label", "Text files")
	p.State(t, "webhooks-form")
	p.Click(t, ".dialog-foot button", "Add")
	p.See(t, "dialog h2", "Secret")
	secret := Read[string](t, p, `document.querySelector("dialog .secret input").value`)
	p.State(t, "webhooks-secret")
	p.Click(t, ".dialog-foot button", "Done")

	p.See(t, "h1", "orders")
	p.See(t, ".empty h2", "No deliveries yet")
	p.Click(t, ".page-head button", "Send test event")
	p.See(t, ".notice.good", "responded to the test event with 204")
	r.verified(t, secret)
	upload(t, s.System, p.Owner, "a.txt", "one two")
	r.verified(t, secret)
	p.See(t, ".rows .row:has(.badge.good) .name", "textfile.completed")
	p.State(t, "webhooks-endpoint")
	p.Click(t, ".rows .name", "textfile.completed")
	p.See(t, "dialog .timeline .good", "204")
	p.See(t, "dialog .payload", "textfile.completed")
	p.State(t, "webhooks-delivery")
	p.Click(t, ".dialog-foot button", "Replay")
	r.verified(t, secret)
	p.Click(t, "dialog button", "Close")

	p.Click(t, ".page-head button", "More actions")
	p.Click(t, "[role=menuitem]", "Rotate the secret")
	p.Click(t, ".dialog-foot button", "Rotate")
	p.See(t, "dialog h2", "Secret")
	rotated := Read[string](t, p, `document.querySelector("dialog .secret input").value`)
	p.Click(t, ".dialog-foot button", "Done")
	p.See(t, ".notice", "also signed with the previous secret")

	r.status.Store(http.StatusGone)
	p.Click(t, ".page-head button", "Send test event")
	r.verified(t, rotated)
	p.See(t, ".notice.bad", "The endpoint is disabled: the receiver responded with 410 Gone.")
	p.See(t, ".notice.bad", "no longer here")
	p.Click(t, ".choice button", "Dead")
	p.Gone(t, ".rows .badge", "Delivered")
	p.See(t, ".rows .badge", "Dead")
	p.State(t, "webhooks-disabled")
	p.Go(t, "/")
	p.See(t, ".notice.bad", "The webhook endpoint orders is disabled")
	p.State(t, "home-disabled-webhook")
	r.status.Store(http.StatusNoContent)
	p.Click(t, ".notice a", "Show")
	p.Click(t, ".notice button", "Enable")
	p.Gone(t, ".notice.bad", "The endpoint is disabled")
	p.Click(t, ".toolbar button", "Replay")
	p.State(t, "webhooks-replay")
	p.Click(t, ".dialog-foot button", "Replay")
	p.See(t, ".toast", "sent again")
	if body := string(r.verified(t, rotated)); !strings.Contains(body, `"webhook.`) {
		t.Errorf("got the replayed event %s, want the test or the report of the disabled endpoint", body)
	}

	p.Click(t, ".page-head button", "More actions")
	p.Click(t, "[role=menuitem]", "Delete")
	p.Click(t, ".dialog-foot button", "Delete")
	p.See(t, ".empty h2", "No webhook endpoints")
}

// fill replaces the text of an input.
func fill(t *testing.T, p *Page, selector, text string) {
	t.Helper()
	p.Wait(t, fmt.Sprintf(`document.querySelector(%q) !== null`, selector))
	p.Eval(t, fmt.Sprintf(`const input = document.querySelector(%q); input.value = %q; input.dispatchEvent(new Event("input", { bubbles: true }))`, selector, text))
}
