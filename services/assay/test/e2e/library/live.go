package library

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// watch is a reader of live events.
type watch struct {
	events chan client.Event // closed at the end of the stream
	err    error             // the error that ended the stream
}

// follow starts a reader; the stream is open when follow returns.
func follow(t *testing.T, c *client.Client, f client.Following) *watch {
	t.Helper()
	w := &watch{events: make(chan client.Event, 1000)}
	ctx := system.Within(t)
	go func() {
		defer close(w.events)
		for e, err := range c.Events(ctx, f) {
			if err != nil {
				w.err = err
				return
			}
			w.events <- e
		}
	}()
	if e, err := w.next(ctx); err != nil || e.Type != client.Ready {
		t.Fatalf("the stream starts with %+v, %v; want %s", e, err, client.Ready)
	}
	return w
}

func (w *watch) next(ctx context.Context) (client.Event, error) {
	select {
	case e, more := <-w.events:
		if !more {
			return e, w.err
		}
		return e, nil
	case <-ctx.Done():
		return client.Event{}, ctx.Err()
	}
}

// until reads changes of nodes until one matches, and returns it, the id of its event, and all earlier changes.
func (w *watch) until(t *testing.T, what string, wanted func(client.ChangedNode) bool) (change client.ChangedNode, id string, before []client.ChangedNode) {
	t.Helper()
	for {
		e, err := w.next(system.Within(t))
		if err != nil {
			t.Fatalf("no event that %s: %v; earlier events: %+v", what, err, before)
		}
		if e.Type != client.NodeEvent {
			continue
		}
		var n client.ChangedNode
		if err := json.Unmarshal(e.Data, &n); err != nil {
			t.Fatal(err)
		}
		if wanted(n) {
			return n, e.ID, before
		}
		before = append(before, n)
	}
}

func is(id, change, status string) func(client.ChangedNode) bool {
	return func(n client.ChangedNode) bool {
		return n.NodeID == id && n.Change == change && (status == "" || n.Status == status)
	}
}

// eventsFollowPermissions: changes of nodes are sent to their owner, and to users while they can read the nodes: a
// reader of a folder receives an event for a node that leaves it, and the stream ends when the permission is revoked.
func eventsFollowPermissions(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c, stranger := s.Client(t, owner), s.Client(t, system.NewOwner())
	shared, private := folder(t, c, "shared", ""), folder(t, c, "private", "")
	resp, body := s.Ask(t, http.MethodGet, "/v1/library/nodes/"+shared.ID+"/events", nil, "")
	system.Refused(t, resp, body, http.StatusNotFound, "not-found")
	link, err := c.CreateLink(system.Within(t), shared.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.PublishNode(system.Within(t), shared.ID, true); err != nil {
		t.Fatal(err)
	}
	mine, own := follow(t, c, client.Following{}), follow(t, stranger, client.Following{})
	public := follow(t, stranger, client.Following{Node: shared.ID})
	linked := follow(t, stranger, client.Following{Node: shared.ID, Reading: client.Reading{Link: link.Token}})

	hidden := file(t, c, "hidden.txt", private.ID, "hidden")
	mine.until(t, "finishes the hidden file", is(hidden.ID, "updated", client.LibraryProcessed)) // wait, because events of different nodes are not ordered
	seen := file(t, c, "seen.txt", shared.ID, "seen")
	for _, w := range []*watch{mine, public, linked} {
		n, _, before := w.until(t, "finishes the file", is(seen.ID, "updated", client.LibraryProcessed))
		if n.Name != "seen.txt" || n.ParentID != shared.ID {
			t.Errorf("got %+v, want seen.txt in the shared folder", n)
		}
		for i, b := range before {
			if w != mine && b.NodeID != seen.ID && b.NodeID != shared.ID || b.NodeID == seen.ID && b.Version >= n.Version {
				t.Errorf("event %d before version %d is %+v, want earlier versions of visible nodes", i, n.Version, b)
			}
		}
	}

	// The id of the root, which is derived from the owner, is shown to the owner only.
	name := "renamed"
	if _, err := c.ChangeNode(system.Within(t), shared.ID, client.NodeChange{Name: &name}); err != nil {
		t.Fatal(err)
	}
	for w, want := range map[*watch]string{mine: library.RootID(owner), public: "", linked: ""} {
		if n, _, _ := w.until(t, "renames the folder", func(n client.ChangedNode) bool { return n.NodeID == shared.ID && n.Name == name }); n.ParentID != want {
			t.Errorf("the renamed folder has the parent %q, want %q", n.ParentID, want)
		}
	}

	// A node that leaves the folder is deleted for its readers, and moved for its owner.
	if _, err := c.ChangeNode(system.Within(t), seen.ID, client.NodeChange{ParentID: &private.ID}); err != nil {
		t.Fatal(err)
	}
	mine.until(t, "moves the file", func(n client.ChangedNode) bool { return n.NodeID == seen.ID && n.ParentID == private.ID })
	_, at, _ := public.until(t, "removes the file", is(seen.ID, "deleted", ""))
	linked.until(t, "removes the file", is(seen.ID, "deleted", ""))

	// A reader that reconnects receives the events that it missed.
	second := file(t, c, "second.txt", shared.ID, "second")
	public.until(t, "finishes the second file", is(second.ID, "updated", client.LibraryProcessed))
	again := follow(t, stranger, client.Following{Node: shared.ID, After: at})
	if _, _, before := again.until(t, "finishes the second file again", is(second.ID, "updated", client.LibraryProcessed)); len(before) == 0 || before[0].Change != "created" {
		t.Errorf("the resumed stream starts with %+v, want the creation of the second file", before)
	}

	// A revoked permission ends the streams that rely on it, and no others.
	if err := c.PublishNode(system.Within(t), shared.ID, false); err != nil {
		t.Fatal(err)
	}
	withdrawn := time.Now()
	for _, w := range []*watch{public, again} {
		w.ends(t)
	}
	t.Logf("the streams ended %s after the permission was revoked", time.Since(withdrawn).Round(time.Millisecond))
	third := file(t, c, "third.txt", shared.ID, "third")
	linked.until(t, "finishes the third file", is(third.ID, "updated", client.LibraryProcessed))
	if err := c.RevokeLinks(system.Within(t), shared.ID); err != nil {
		t.Fatal(err)
	}
	linked.ends(t)

	// The owner's stream reports a trashed and an erased file.
	if err := c.TrashNode(system.Within(t), third.ID); err != nil {
		t.Fatal(err)
	}
	mine.until(t, "trashes the file", func(n client.ChangedNode) bool { return n.NodeID == third.ID && n.Trashed && n.Change == "updated" })
	if err := c.EraseNode(system.Within(t), third.ID); err != nil {
		t.Fatal(err)
	}
	mine.until(t, "erases the file", is(third.ID, "deleted", ""))

	// The stream of the stranger contains only its own root and folder, which are created after all changes of the owner.
	marker := folder(t, stranger, "marker", "")
	for received := false; !received; {
		e, err := own.next(system.Within(t))
		if err != nil {
			t.Fatalf("no event of the stranger's folder: %v; want one", err)
		}
		if e.Type == client.Ready { // sent again after a reconnect
			continue
		}
		id := system.EventField(t, e.Data, "nodeId")
		if e.Type != client.NodeEvent || id != marker.ID && id != marker.ParentID {
			t.Errorf("another owner's stream contains %s %s, want only its own nodes", e.Type, e.Data)
		}
		received = id == marker.ID
	}
}

// ends waits until a stream is rejected with 404. The stream must send no change of a node before, but can send the
// delayed progress of a file.
func (w *watch) ends(t *testing.T) {
	t.Helper()
	for {
		e, err := w.next(system.Within(t))
		if system.IsProblem(err, http.StatusNotFound) {
			return
		}
		if err != nil {
			t.Fatalf("the stream ended with %v, want 404", err)
		}
		if e.Type != client.ProgressEvent {
			t.Errorf("before it ended, the stream sent %s %s", e.Type, e.Data)
		}
	}
}

// filesReportTheirOutcomes: the stream of an owner also contains the outcome of each file.
func filesReportTheirOutcomes(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	w := follow(t, c, client.Following{})
	done := file(t, c, "a.txt", "", "text")
	failed, err := upload(system.Within(t), c, "broken.png", "", "\x89PNG\r\n\x1a\nbroken")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{done.ID: client.CompletedEvent, failed.ID: client.FailedEvent}
	for len(want) > 0 {
		e, err := w.next(system.Within(t))
		if err != nil {
			t.Fatalf("%v; missing events: %v", err, want)
		}
		if e.Type != client.CompletedEvent && e.Type != client.FailedEvent {
			continue
		}
		var o client.Outcome
		if err := json.Unmarshal(e.Data, &o); err != nil {
			t.Fatal(err)
		}
		if o.Area != "library" || want[o.ID] != e.Type {
			t.Errorf("got %s %+v, want one of %v", e.Type, o, want)
		}
		delete(want, o.ID)
	}
}
