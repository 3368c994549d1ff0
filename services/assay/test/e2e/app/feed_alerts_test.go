package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFeedAlerts: the feed page shows an alert that fires without a reload, with the items and words that caused it.
func TestFeedAlerts(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	operator := system.System{HTTP: s.Operator}
	for name, settings := range map[string]string{
		"outage": `{"kind":"match","keyword":"outage","threshold":2,"enabled":true}`, "mood": `{"kind":"negative","enabled":true}`, "old": `{"kind":"volume","enabled":false}`,
	} {
		if resp, body := operator.Ask(t, http.MethodPut, "/v1/feed/alerts/"+name, system.JSONHeader, settings); resp.StatusCode != http.StatusCreated {
			t.Fatalf("adding an alert returned %s, want 201: %s", resp.Status, body)
		}
	}
	b := Start(t)
	p := b.Open(t, s.HTTP, "/feed?hours=1")
	p.See(t, ".feed-alerts summary", "3 other alerts")
	p.Click(t, ".feed-alerts summary", "3 other alerts")
	p.See(t, ".alert-list li", "Disabled")
	post(t, s.System, item("reddit", 1, "An outage stops the trains in the north", "city"), item("reddit", 2, "Outage: the trains are late again", "city"), item("reddit", 3, "A calm day", "city"))
	for body := ""; !strings.Contains(body, `"status":"firing"`); { // within a minute
		if t.Context().Err() != nil {
			t.Fatal(body)
		}
		_, body = s.Ask(t, http.MethodGet, "/v1/feed/alerts/outage", nil, "")
	}
	p.See(t, ".alert", "2 items in 15m")
	p.See(t, ".alert .alert-word", "trains")
	p.See(t, ".feed-alerts summary", "2 other alerts")
	p.State(t, "feed-alerts")
	p.Click(t, ".alert a", "late again")
	p.See(t, "dialog .facts", "reddit#2")
}
