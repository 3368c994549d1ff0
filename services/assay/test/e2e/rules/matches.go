package rules

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// payload is the body of a request to a webhook endpoint.
type payload struct {
	Type string
	Data client.ItemEvent
}

// receive registers a webhook endpoint for types of events. The channel receives the requests.
func receive(t *testing.T, c *client.Client, types ...string) <-chan payload {
	t.Helper()
	arrived := make(chan payload, 100)
	secret := ""
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := system.ReadWebhook(r, secret)
		var p payload
		if err == nil {
			err = json.Unmarshal(body, &p)
		}
		if err != nil {
			t.Errorf("%v: %s", err, body)
		}
		arrived <- p
	}))
	t.Cleanup(server.Close)
	created, err := c.CreateWebhook(system.Within(t), client.WebhookTerms{URL: server.URL, Types: types})
	if err != nil {
		t.Fatal(err)
	}
	secret = created.Secret
	return arrived
}

func arrival(t *testing.T, arrived <-chan payload) payload {
	t.Helper()
	select {
	case p := <-arrived:
		return p
	case <-system.Within(t).Done():
		t.Fatal("no request")
	}
	return payload{}
}

// newMatchesAreReported: an item that ends is reported once to the streams of the searches that it matches, and to the webhooks. What
// matched before the search was saved, and what does not match, is not.
func newMatchesAreReported(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common, name := word(), "b.txt"
	before := text(t, c, "a.txt", common)
	search(t, c, "budgets", common)
	search(t, c, "library-only", common, "library")
	search(t, c, "others", word())
	all, budgets, others := follow(t, c, client.Following{}), follow(t, c, client.Following{Search: "budgets"}), follow(t, c, client.Following{Search: "library-only"})
	hooks := receive(t, c, "textfile.matched", "library.matched")
	file := text(t, c, name, "another "+common)
	match := client.ItemEvent{Area: "textfile", ID: file.ID, Name: name, Searches: []string{"budgets"}}
	all.has(t, client.MatchEvent, match)
	budgets.has(t, client.MatchEvent, match)
	text(t, c, "c.txt", "nothing of this")
	node := stored(t, c, "d.txt", "a stored "+common)
	both := client.ItemEvent{Area: "library", ID: node.ID, Name: "d.txt", Searches: []string{"budgets", "library-only"}}
	budgets.has(t, client.MatchEvent, both)
	others.has(t, client.MatchEvent, both)
	for _, want := range []client.ItemEvent{match, both} {
		if got := arrival(t, hooks); got.Type != want.Area+".matched" || got.Data.ID != want.ID || !slices.Equal(got.Data.Searches, want.Searches) || got.Data.Name != want.Name {
			t.Errorf("the webhook got %+v, want %+v", got, want)
		}
	}
	if page, err := c.RunSearch(system.Within(t), "budgets", 0, ""); err != nil || len(page.Hits) != 3 {
		t.Errorf("the search has %d hits, error %v, want 3, with %s", len(page.Hits), err, before.ID)
	}
}

// tagsMakeItemsMatch: an item begins to match when it gets the tag of a search, once. Changes of tags are events too.
func tagsMakeItemsMatch(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common := word()
	file := text(t, c, "a.txt", common)
	search(t, c, "tagged", common+" tag:budget")
	search(t, c, "open", common+" -tag:done")
	search(t, c, "words", common)
	live := follow(t, c, client.Following{})
	hooks := receive(t, c, "textfile.tagged")
	change := func(do error, want client.ItemEvent) {
		t.Helper()
		if do != nil {
			t.Fatal(do)
		}
		want.Area, want.ID = file.Area, file.ID
		live.has(t, client.TagsEvent, want)
		if got := arrival(t, hooks); got.Data.ID != file.ID || !slices.Equal(got.Data.Added, want.Added) || !slices.Equal(got.Data.Removed, want.Removed) {
			t.Errorf("the webhook got %+v, want %+v", got, want)
		}
	}
	ctx := system.Within(t)
	change(c.TagItem(ctx, file.Area, file.ID, "Budget"), client.ItemEvent{Added: []string{"Budget"}})
	live.has(t, client.MatchEvent, client.ItemEvent{Area: file.Area, ID: file.ID, Name: "a.txt", Searches: []string{"tagged"}})
	change(c.UntagItem(ctx, file.Area, file.ID, "budget"), client.ItemEvent{Removed: []string{"budget"}})
	change(c.TagItem(ctx, file.Area, file.ID, "budget"), client.ItemEvent{Added: []string{"budget"}}) // again
	change(c.TagItem(ctx, file.Area, file.ID, "done"), client.ItemEvent{Added: []string{"done"}})
	change(c.UntagItem(ctx, file.Area, file.ID, "done"), client.ItemEvent{Removed: []string{"done"}})
	live.has(t, client.MatchEvent, client.ItemEvent{Area: file.Area, ID: file.ID, Name: "a.txt", Searches: []string{"open"}})
}

// movesMakeFilesMatch: a file of the library begins to match when it is renamed or moved, once, and only searches for its name or folder.
func movesMakeFilesMatch(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	common, name := word(), word()
	file := stored(t, c, "a.txt", common)
	root, err := c.Root(system.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := c.CreateFolder(system.Within(t), client.NewFolder{ParentID: root.ID, Name: "reports"})
	if err != nil {
		t.Fatal(err)
	}
	search(t, c, "named", name)
	search(t, c, "placed", common+" in:reports")
	search(t, c, "words", common) // which it has matched before
	live := follow(t, c, client.Following{})
	change := func(n client.NodeChange) {
		t.Helper()
		if _, err := c.ChangeNode(system.Within(t), file.ID, n); err != nil {
			t.Fatal(err)
		}
	}
	renamed, moved, other := name+".txt", folder.ID, "other.txt"
	change(client.NodeChange{Name: &renamed})
	live.has(t, client.MatchEvent, client.ItemEvent{Area: "library", ID: file.ID, Name: renamed, Searches: []string{"named"}})
	change(client.NodeChange{Name: &other})
	change(client.NodeChange{ParentID: &moved})
	live.has(t, client.MatchEvent, client.ItemEvent{Area: "library", ID: file.ID, Name: other, Searches: []string{"placed"}})
	change(client.NodeChange{Name: &renamed}) // again
	next := stored(t, c, "b.txt", "another "+common)
	live.has(t, client.MatchEvent, client.ItemEvent{Area: "library", ID: next.ID, Name: "b.txt", Searches: []string{"words"}})
}

// eachOwnerReceivesItsOwn: the items of an owner match only its own searches, and a shared file that another owner tags matches
// those of the other owner.
func eachOwnerReceivesItsOwn(t *testing.T, s system.System) {
	c, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	common := word()
	for _, one := range []*client.Client{c, other} {
		search(t, one, "mine", common)
		search(t, one, "tagged", "tag:budget")
	}
	theirs := follow(t, other, client.Following{})
	mine := follow(t, c, client.Following{Search: "mine"})
	node := stored(t, c, "a.txt", common)
	mine.has(t, client.MatchEvent, client.ItemEvent{Area: node.Area, ID: node.ID, Name: "a.txt", Searches: []string{"mine"}})
	if err := c.PublishNode(system.Within(t), node.ID, true); err != nil {
		t.Fatal(err)
	}
	if err := other.TagItem(system.Within(t), node.Area, node.ID, "budget"); err != nil {
		t.Fatal(err)
	}
	theirs.has(t, client.MatchEvent, client.ItemEvent{Area: node.Area, ID: node.ID, Name: "a.txt", Searches: []string{"tagged"}})
	if _, err := other.SaveSearch(system.Within(t), "more", common); err != nil {
		t.Fatal(err)
	}
	resp, body := s.Ask(t, http.MethodGet, "/v1/searches/more/events", map[string]string{"X-Owner-Id": system.NewOwner()}, "")
	system.Refused(t, resp, body, http.StatusNotFound, "not-found")
	resp, body = s.Ask(t, http.MethodGet, "/v1/searches/more/events", nil, "")
	system.Refused(t, resp, body, http.StatusBadRequest, "owner-required")
}
