package rules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// word returns a word that no other test uses.
func word() string { return "w" + strings.ReplaceAll(uuid.NewString(), "-", "")[:20] }

// text uploads a text file, and returns it after it has ended.
func text(t *testing.T, c *client.Client, name, content string) client.ItemName {
	t.Helper()
	return client.ItemName{Area: "textfile", ID: system.Await(t, c, system.UploadMultipart(t, c, name, "text/plain", []byte(content)).FileID).FileID}
}

// stored uploads a file to the library, and returns it after it was processed.
func stored(t *testing.T, c *client.Client, name, content string) client.ItemName {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	n, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{
		Name: name, Size: int64(len(content)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:]),
	}, client.Source{Content: strings.NewReader(content)})
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	return client.ItemName{Area: "library", ID: n.ID}
}

// search saves a search.
func search(t *testing.T, c *client.Client, name, query string, areas ...string) {
	t.Helper()
	if _, err := c.SaveSearch(system.Within(t), name, query, areas...); err != nil {
		t.Fatalf("save the search %s: %v", name, err)
	}
}

// rule saves a rule that is enabled.
func rule(t *testing.T, c *client.Client, name string, r client.NewRule) {
	t.Helper()
	r.Enabled = true
	if _, err := c.SaveRule(system.Within(t), name, r); err != nil {
		t.Fatalf("save the rule %s: %v", name, err)
	}
}

// acted waits until the actions on an item have ended, in any order: each is the name of the rule, the status and the action.
func acted(t *testing.T, c *client.Client, i client.ItemName, want ...string) []client.RuleEntry {
	t.Helper()
	var entries []client.RuleEntry
	system.Eventually(t, func() error {
		l, err := c.ItemRules(system.Within(t), i.Area, i.ID)
		if err != nil {
			return err
		}
		entries = l.Entries
		var got []string
		for _, e := range entries {
			action, err := json.Marshal(e.Action)
			if err != nil {
				return err
			}
			got = append(got, e.Rule+" "+e.Status+" "+string(action))
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			return fmt.Errorf("%s %s has the actions %q, want %q", i.Area, i.ID, got, want)
		}
		return nil
	})
	return entries
}

// tagged waits until an item has tags.
func tagged(t *testing.T, c *client.Client, i client.ItemName, want ...string) {
	t.Helper()
	system.Eventually(t, func() error {
		item, err := c.Item(system.Within(t), i.Area, i.ID)
		if err == nil && !slices.Equal(item.Tags, want) {
			err = fmt.Errorf("%s %s has the tags %q, want %q", i.Area, i.ID, item.Tags, want)
		}
		return err
	})
}

// items returns the items of an owner in an area.
func items(t *testing.T, c *client.Client, area string) (all []client.ItemName) {
	t.Helper()
	for i, err := range c.Items(system.Within(t), client.ItemListing{Area: area}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, client.ItemName{Area: i.Area, ID: i.ID})
	}
	return all
}

// stream is a stream of live events.
type stream struct{ events chan client.Event }

// follow follows live events from now on.
func follow(t *testing.T, c *client.Client, f client.Following) stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	s := stream{make(chan client.Event, 100)}
	go func() {
		for e, err := range c.Events(ctx, f) {
			if err != nil {
				return
			}
			s.events <- e
		}
	}()
	if e := s.next(t); e.Type != client.Ready {
		t.Fatalf("the stream begins with %s, want ready", e.Type)
	}
	return s
}

func (s stream) next(t *testing.T) client.Event {
	t.Helper()
	select {
	case e := <-s.events:
		return e
	case <-system.Within(t).Done():
		t.Fatal("no event")
	}
	return client.Event{}
}

// has checks the next event of a type, apart from its time.
func (s stream) has(t *testing.T, kind string, want client.ItemEvent) {
	t.Helper()
	for {
		e := s.next(t)
		if e.Type != kind {
			continue
		}
		var got client.ItemEvent
		if err := json.Unmarshal(e.Data, &got); err != nil {
			t.Fatal(err)
		}
		if got.At.IsZero() {
			t.Errorf("%s has no time", e.Data)
		}
		if got.At = want.At; !reflect.DeepEqual(normal(got), normal(want)) {
			t.Errorf("got the event %s %+v, want %+v", kind, got, want)
		}
		return
	}
}

func normal(e client.ItemEvent) client.ItemEvent {
	e.Added, e.Removed, e.Searches = append([]string{}, e.Added...), append([]string{}, e.Removed...), append([]string{}, e.Searches...)
	return e
}

// errNoItem means that the expected item does not exist yet.
var errNoItem = errors.New("no item yet")
