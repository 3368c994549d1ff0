package searchtest

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// lateEventsAreIgnored checks that events of older versions have no effect, even after the node was removed, and that
// a node that is created again with the same id is found.
func lateEventsAreIgnored(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	n := w.File(root, "before.txt", "")
	late := changed(n, library.ChangeCreated)
	n.Name = "after.txt"
	n = w.Put(n)
	w.Apply(late)
	w.wants("renamed", w.Find("ann", "before"))
	w.wants("renamed", w.Find("ann", "after"), "after.txt")
	last := changed(n, library.ChangeUpdated)
	w.Remove(n)
	w.Apply(late, last)
	w.wants("removed", w.Find("ann", "before"))
	w.wants("removed", w.Find("ann", "after"))
	again := library.Node{ID: n.ID, Type: library.KindFile, OwnedBy: "ann", ParentID: root.ID, Name: "again.txt", Status: library.Loading, Run: 1}
	w.Put(again)
	w.Apply(last, changed(n, library.ChangeDeleted))
	w.wants("created again", w.Find("ann", "again"), "again.txt")
	// The event of a child can arrive before the event of its folder.
	folder := library.Node{ID: w.id(), Type: library.KindFolder, OwnedBy: "ann", ParentID: root.ID, Name: "folder", Status: library.Created}
	w.File(folder, "child.txt", "")
	w.wants("without its folder", w.Find("ann", "child"))
	w.Put(folder)
	w.wants("with its folder", w.Find("ann", "child"), "child.txt")
}

// buildHasExactlyTheNodes checks that a build applies missed changes, removes deleted nodes, keeps texts, and takes
// effect only when it has finished.
func buildHasExactlyTheNodes(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	kept, gone := w.File(root, "kept.txt", "first text"), w.File(root, "gone.txt", "gone text")
	folder := w.Folder(root, "folder")
	inside := w.File(folder, "inside.txt", "")
	// The index misses the removal of a file, new permissions of a folder, and a new name.
	delete(w.Nodes, gone.ID)
	kept.Name, kept.Version = "renamed.txt", kept.Version+1
	folder.Permissions.IsPublic, folder.Version = true, folder.Version+1
	w.Nodes[kept.ID], w.Nodes[folder.ID] = kept, folder
	w.sequence = 100
	err := w.Index.Build(t.Context(), func(yield func(search.Item, error) bool) { yield(search.Item{}, errWalk) }, 50)
	if !errors.Is(err, errWalk) {
		t.Errorf("a build with a scan that fails: got error %v, want %v", err, errWalk)
	}
	if _, built, err := w.Index.Position(t.Context()); built || err != nil {
		t.Errorf("after a failed scan: got built %v, error %v, want false", built, err)
	}
	w.Build()
	if at, built, err := w.Index.Position(t.Context()); at != 100 || !built || err != nil {
		t.Errorf("after the build: got position %d, built %v, error %v, want 100 and true", at, built, err)
	}
	w.wants("removed", w.Find("ann", "gone"))
	w.wants("renamed", w.Find("ann", "renamed"), "renamed.txt")
	w.wants("text", w.Find("ann", "first"), "renamed.txt")
	w.wants("public", w.Find("", "inside"), inside.Name)
	// The table takes precedence regardless of the version: it may have been restored from a backup.
	kept.Name, kept.Version = "restored.txt", kept.Version-1
	w.Nodes[kept.ID] = kept
	w.Build()
	w.wants("restored", w.Find("ann", "restored"), "restored.txt")
}

// textsBelongToRuns checks that the text of an earlier run is not used for a later one, and that the index has a
// version of a file only when it has its text.
func textsBelongToRuns(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	n := library.Node{ID: w.id(), Type: library.KindFile, OwnedBy: "ann", ParentID: root.ID, Name: "a.txt", Status: library.Loading, Run: 1}
	n = w.Put(n)
	has := func(want bool) {
		t.Helper()
		if got, err := w.Index.Has(t.Context(), n.ID, n.Version); got != want || err != nil {
			t.Errorf("the index has version %d: got %v, error %v, want %v", n.Version, got, err, want)
		}
	}
	has(true)
	n.Status = library.Processed
	n = w.Put(n)
	has(false)
	pending, err := w.Index.Pending(t.Context(), 10)
	if err != nil || len(pending) != 1 || pending[0] != (search.Pending{ID: n.ID, Run: 1}) {
		t.Fatalf("got pending %+v, error %v, want run 1 of the file", pending, err)
	}
	n.Run = 2
	n = w.Put(n)
	if err := w.Index.SetTexts(t.Context(), []search.Text{{Pending: pending[0], Text: "early"}}); err != nil {
		t.Fatal(err)
	}
	w.wants("text of the first run", w.Find("ann", "early"))
	w.Texts[n.ID] = "late <b>text</b>"
	w.Load()
	has(true)
	w.wants("text of the second run", w.Find("ann", "late"), "a.txt")
	n.Run, n.Status = 3, library.Processing
	n = w.Put(n)
	w.wants("before the third run ends", w.Find("ann", "late"), "a.txt")
	n.Status, w.Texts[n.ID] = library.Failed, ""
	n = w.Put(n)
	w.Load()
	w.wants("without text", w.Find("ann", "late"))
	if has, err := w.Index.Has(t.Context(), w.id(), 0); has || err != nil {
		t.Errorf("the index has an absent node: got %v, error %v, want false", has, err)
	}
}

// reopenedKeepsAll checks that applied changes and the position survive a restart.
func reopenedKeepsAll(t *testing.T, open Open) {
	w := &World{t: t, Nodes: map[string]library.Node{}, Texts: map[string]string{}, About: map[string]search.Text{}, now: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}
	path := filepath.Join(t.TempDir(), "index.db")
	index, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w.Index = index
	if _, built, err := index.Position(t.Context()); built || err != nil {
		t.Errorf("an empty index: got built %v, error %v, want false", built, err)
	}
	w.Build()
	root := w.Root("ann")
	w.File(root, "kept.txt", "the text")
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	w.Open(open, path)
	if at, built, err := w.Index.Position(t.Context()); at != w.sequence || !built || err != nil {
		t.Errorf("after the restart: got position %d, built %v, error %v, want %d and true", at, built, err, w.sequence)
	}
	w.wants("name", w.Find("ann", "kept"), "kept.txt")
	w.wants("text", w.Find("ann", "text"), "kept.txt")
}
