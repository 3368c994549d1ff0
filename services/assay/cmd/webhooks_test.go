package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/webhook"
)

func TestWebhooks(t *testing.T) {
	p := newPerson(t)
	created := p.run("webhooks", "create", receiver.URL+"/ok", "--name", "orders", "--area", "textfile")
	id := ids.FindString(created.out)
	if secret := "\nsecret   whsec_"; created.status != 0 || id == "" || !strings.Contains(created.out, secret) {
		t.Fatalf("webhooks create: got %+v, want an id and a secret", created)
	}
	p.run("webhooks", "create", receiver.URL+"/ok", "--name", "orders").want(t, 1, "", "Another endpoint has this name")
	p.run("webhooks", "create", "https://10.0.0.1/").want(t, 1, "", "ASSAY_WEBHOOKS_ALLOW_NETWORKS")
	p.run("webhooks", "create", receiver.URL+"/ok", "--folder", "/nowhere").want(t, 1, "", `there is no "nowhere" in the library`)
	off := p.run("webhooks", "create", receiver.URL+"/fail", "--name", "off", "--disabled", "--type", "textfile.failed", "--tag", "a,b", "--ed25519", "--json")
	if !strings.Contains(off.out, `"secret":"whpk_`) || !strings.Contains(off.out, `"state":"disabled"`) {
		t.Errorf("webhooks create --ed25519 --disabled: got %+v, want a public key and a disabled endpoint", off)
	}
	p.run("webhooks", "list").want(t, 0, "ID                                    NAME    STATE     EVENTS                     URL\n"+
		"ID  orders  active    textfile                   "+receiver.URL+"/ok\nID  off     disabled  textfile.failed, filtered  "+receiver.URL+"/fail\n", "")

	tested := p.run("webhooks", "test", "orders")
	if tested.status != 0 || !strings.Contains(tested.out, "\nstatus      delivered\n") || !strings.Contains(tested.out, " 200, after ") {
		t.Errorf("webhooks test: got %+v, want status 0 and the response", tested)
	}
	p.run("webhooks", "test", "off").want(t, 1, "", "assay: The endpoint is disabled. Enable it first.\n")
	shown := p.run("webhooks", "set", "off", "--enable", "--type", "", "--tag", "", "--include-result")
	if shown.status != 0 || !strings.Contains(shown.out, "state       active\n") || !strings.Contains(shown.out, "types       all\n") ||
		!strings.Contains(shown.out, "include     result\n") || strings.Contains(shown.out, "tags") {
		t.Errorf("webhooks set: got %+v, want an active endpoint for all events with their results", shown)
	}
	failed := p.run("webhooks", "test", "off")
	if failed.status != 1 || !strings.Contains(failed.out, "response      no such order\n") || !strings.Contains(failed.errors, "did not accept the test event: 500\n") {
		t.Errorf("webhooks test of a failing receiver: got %+v, want status 1 and the response", failed)
	}

	file := p.upload("a.txt", "one two")
	event := p.delivered("orders", file)
	if got := p.run("webhooks", "replay", "orders", "--event", event); got.out != "1 event sent again, 0 already pending\n" {
		t.Errorf("webhooks replay of one event: got %+v", got)
	}
	p.delivered("orders", file)
	if got := p.run("webhooks", "replay", id, "--since", "1h", "--status", "dead"); got.out != "0 events sent again, 0 already pending\n" {
		t.Errorf("webhooks replay of dead deliveries: got %+v, want none", got)
	}
	p.run("webhooks", "replay", "orders", "--event", "nothing").want(t, 1, "", "There is no delivery of this event to the endpoint.")

	rotated := p.run("webhooks", "rotate", "orders")
	if !strings.Contains(rotated.out, "\nrotating  the previous secret is used until ") || strings.Contains(rotated.out, strings.Split(created.out, "\n")[3]) {
		t.Errorf("webhooks rotate: got %+v, want another secret", rotated)
	}
	p.run("webhooks", "delete", "orders").want(t, 0, "orders  deleted\n", "")
	p.run("webhooks", "show", "orders").want(t, 1, "", "assay: there is no webhook endpoint orders; see: assay webhooks list\n")
	p.run("webhooks", "show", id).want(t, 1, "", "assay: There is no webhook endpoint with this id.\n")
}

// delivered waits until the event of a file is delivered to an endpoint, and returns the id of the event.
func (p person) delivered(endpoint, file string) string {
	p.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		listed := p.run("webhooks", "deliveries", endpoint, "--status", "delivered", "--json")
		for line := range strings.Lines(listed.out) {
			var d struct{ EventID, ItemID string }
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				p.Fatal(err)
			}
			if d.ItemID == file {
				return d.EventID
			}
		}
	}
	p.Fatalf("the event of %s was not delivered to %s within a minute", file, endpoint)
	return ""
}

func TestWebhooksUsage(t *testing.T) {
	for _, args := range [][]string{
		{"webhooks", "create"}, {"webhooks", "set", "a"}, {"webhooks", "set", "a", "--enable", "--disable"}, {"webhooks", "deliveries", "a", "--status", "lost"},
		{"webhooks", "deliveries", "a", "--limit", "0"}, {"webhooks", "replay", "a"}, {"webhooks", "replay", "a", "--since", "noon"},
		{"webhooks", "replay", "a", "--since", "1h", "--event", "b"}, {"webhooks", "listen"}, {"webhooks", "listen", "--forward-to", "ftp://a"},
		{"webhooks", "listen", "--forward-to", "a", "--secret", "b"},
	} {
		run(t.Context(), "", args...).want(t, exitUsage, "", "See: assay "+strings.Join(args[:2], " ")+" --help")
	}
}

// TestWebhooksListen: events are posted with valid signatures, and the endpoint is deleted at the end.
func TestWebhooksListen(t *testing.T) {
	p := newPerson(t)
	type received struct {
		header http.Header
		body   []byte
	}
	requests := make(chan received, 8)
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- received{r.Header, body}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer local.Close()
	got := p.follow("202 Accepted", func() { p.upload("a.txt", "one two") }, "webhooks", "listen", "--forward-to", local.URL)
	first, rest, _ := strings.Cut(got.out, "\n")
	if want := "TIME  textfile.completed    ID  202 Accepted\n"; got.status != 0 || unique(rest) != want {
		t.Errorf("webhooks listen: got %+v, want %q after the secret", got, want)
	}
	r := <-requests
	seconds, err := strconv.ParseInt(r.header.Get(webhook.HeaderTimestamp), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	want, err := webhook.Sign([]string{strings.TrimPrefix(first, "secret  ")}, r.header.Get(webhook.HeaderID), time.Unix(seconds, 0), r.body)
	if got := r.header.Get(webhook.HeaderSignature); err != nil || got != want {
		t.Errorf("got the signature %q, want %q of the printed secret, %v", got, want, err)
	}
	if left := p.run("webhooks", "list", "--json"); left.out != "" {
		t.Errorf("webhooks list after listen: got %q, want none", left.out)
	}
}
