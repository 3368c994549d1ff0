// Package searchtest tests implementations of search.Index.
package searchtest

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/library/nodes"
	"github.com/assay-project/assay/services/query/search"
)

// Open opens the index at a path, which need not exist.
type Open func(ctx context.Context, path string) (search.Index, error)

// Run tests an implementation.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){
		"words":       wordsMatch,
		"ranking":     namesCountMore,
		"any count":   namesCountMoreThanAnyCount,
		"properties":  propertiesCountAsNames,
		"phrases":     phrasesContinue,
		"no words":    noWordsFindNothing,
		"forms":       formsAreFound,
		"typos":       typingErrorsAreFound,
		"recall":      typosAreRecalled,
		"long texts":  longTextsAreSearched,
		"places":      placesAreStated,
		"long places": placesInLongTexts,
		"visibility":  callersSeeWhatTheTablesAllow,
		"filters":     filtersAndFacets,
		"tags":        tagsRestrict,
		"hidden":      foldersAreHidden,
		"pages":       pagesHaveAll,
		"late events": lateEventsAreIgnored,
		"build":       buildHasExactlyTheNodes,
		"texts":       textsBelongToRuns,
		"lists":       listsAreSorted,
		"numbers":     namesSortByNumbers,
		"shared":      sharedNodesAreListed,
		"similar":     similarPicturesAreFound,
		"reopened":    reopenedKeepsAll,
		"no folders":  itemsNeedNoFolders,
		"cursors":     hitsHaveCursors,
		"expired":     oldItemsExpire,
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// World is an in-memory library and an index that receives its changes.
type World struct {
	t        *testing.T
	Index    search.Index
	Nodes    map[string]library.Node
	Texts    map[string]string
	About    map[string]search.Text // properties, cut and hash, by id
	sequence uint64
	now      time.Time
	random   *rand.Rand
}

// NewWorld returns a world with an empty index that has been built.
func NewWorld(t *testing.T, open Open) *World {
	t.Helper()
	w := &World{
		t: t, Nodes: map[string]library.Node{}, Texts: map[string]string{}, About: map[string]search.Text{},
		now: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), random: rand.New(rand.NewPCG(1, 2)),
	}
	w.Open(open, filepath.Join(t.TempDir(), "index.db"))
	w.Build()
	return w
}

// Open opens the index, and closes it when the test ends.
func (w *World) Open(open Open, path string) {
	w.t.Helper()
	index, err := open(w.t.Context(), path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Index = index
	w.t.Cleanup(func() {
		if err := index.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

// Build builds the index from the nodes and loads the texts.
func (w *World) Build() {
	w.t.Helper()
	if err := w.Index.Build(w.t.Context(), w.All(), w.sequence); err != nil {
		w.t.Fatal(err)
	}
	w.Load()
}

// All iterates over the nodes like a scan of the table.
func (w *World) All() iter.Seq2[search.Item, error] {
	return func(yield func(search.Item, error) bool) {
		for _, n := range w.Nodes {
			if !yield(changed(n, library.ChangeUpdated), nil) {
				return
			}
		}
	}
}

func changed(n library.Node, change string) search.Item {
	return nodes.Item(n.Changed(change, n).Data.(*event.NodeChanged))
}

// Load indexes the pending texts.
func (w *World) Load() {
	w.t.Helper()
	for {
		pending, err := w.Index.Pending(w.t.Context(), 100)
		if err != nil {
			w.t.Fatal(err)
		}
		if len(pending) == 0 {
			return
		}
		texts := make([]search.Text, len(pending))
		for i, p := range pending {
			about := w.About[p.ID]
			texts[i] = search.Text{Pending: p, Text: w.Texts[p.ID], Properties: about.Properties, Cut: about.Cut, Picture: about.Picture, PageType: about.PageType}
		}
		if err := w.Index.SetTexts(w.t.Context(), texts); err != nil {
			w.t.Fatal(err)
		}
	}
}

// Apply applies events with the next sequence.
func (w *World) Apply(changes ...search.Item) {
	w.t.Helper()
	w.sequence++
	if err := w.Index.Apply(w.t.Context(), changes, w.sequence); err != nil {
		w.t.Fatal(err)
	}
}

// Put stores a node with the next version and applies the event.
func (w *World) Put(n library.Node) library.Node {
	w.t.Helper()
	w.now = w.now.Add(time.Second)
	n.Version++
	n.UpdatedAt = w.now.Format(library.TimeLayout)
	if n.CreatedAt == "" {
		n.CreatedAt = n.UpdatedAt
	}
	w.Nodes[n.ID] = n
	w.Apply(changed(n, library.ChangeUpdated))
	return n
}

// Root adds the root folder of an owner.
func (w *World) Root(owner string) library.Node {
	return w.Put(library.Node{ID: library.RootID(owner), Type: library.KindUser, OwnedBy: owner, Status: library.Created})
}

// Folder adds a folder.
func (w *World) Folder(parent library.Node, name string) library.Node {
	return w.Put(library.Node{ID: w.id(), Type: library.KindFolder, OwnedBy: parent.OwnedBy, ParentID: parent.ID, Name: name, Status: library.Created})
}

// File adds a file whose processing has finished, with a text unless text is empty, and with properties.
func (w *World) File(parent library.Node, name, text string, properties ...search.Property) library.Node {
	w.t.Helper()
	n := library.Node{
		ID: w.id(), Type: library.KindFile, OwnedBy: parent.OwnedBy, ParentID: parent.ID, Name: name, Status: library.Processed, Run: 1,
		Blob: &library.Blob{Length: int64(len(text))},
	}
	w.Texts[n.ID], w.About[n.ID] = text, search.Text{Properties: properties}
	n = w.Put(n)
	w.Load()
	return n
}

// paged adds a file whose processing has finished, with a text with pages of a type.
func (w *World) paged(parent library.Node, name, pageType, text string) {
	w.t.Helper()
	n := w.File(parent, name, text)
	w.About[n.ID] = search.Text{PageType: pageType}
	n.Run++
	w.Put(n)
	w.Load()
}

// Remove erases a node.
func (w *World) Remove(n library.Node) {
	delete(w.Nodes, n.ID)
	w.Apply(changed(n, library.ChangeDeleted))
}

func (w *World) id() string {
	id, err := uuid.NewV7()
	if err != nil {
		w.t.Fatal(err)
	}
	return id.String()
}

// Trashed returns a node moved to the trash.
func Trashed(n library.Node) library.Node {
	n.TrashedFrom, n.ParentID, n.IsDeleted = n.ParentID, "trash#"+n.OwnedBy, true
	return n
}

// Path returns the path of a node, or nil if a node above it is missing.
func (w *World) Path(id string) library.Path {
	var path library.Path
	for {
		n, there := w.Nodes[id]
		if !there {
			return nil
		}
		if path = append(path, n); n.Type == library.KindUser || n.IsDeleted {
			return path
		}
		id = n.ParentID
	}
}

// Search returns the first page of a query and the ids of the hits on all pages, best match first.
func (w *World) Search(q search.Query) ([]string, search.Result) {
	w.t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	var ids []string
	var first search.Result
	for page := 0; ; page++ {
		result, err := w.Index.Search(w.t.Context(), q)
		if err != nil {
			w.t.Fatal(err)
		}
		if page == 0 {
			first = result
		}
		for _, h := range result.Hits {
			ids = append(ids, h.ID)
		}
		if q.Cursor = result.Next; q.Cursor == "" {
			return ids, first
		}
	}
}

// Find returns the sorted names of an owner's hits for a query.
func (w *World) Find(owner, query string) []string {
	w.t.Helper()
	ids, _ := w.Search(search.Query{Caller: search.Caller{Owner: owner}, Terms: w.Terms(query)})
	names := []string{}
	for _, id := range ids {
		names = append(names, w.Nodes[id].Name)
	}
	slices.Sort(names)
	return names
}

// Parsed parses a query.
func (w *World) Parsed(query string) search.Parsed {
	w.t.Helper()
	parsed, err := terms.Parse(query)
	if err != nil {
		w.t.Fatal(err)
	}
	return parsed
}

// Terms returns the terms of a query.
func (w *World) Terms(query string) search.Terms {
	w.t.Helper()
	return w.Parsed(query).Terms
}

// wants reports an error if the sorted names got differ from want.
func (w *World) wants(what string, got []string, want ...string) {
	w.t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, append([]string{}, want...)) {
		w.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

var errWalk = errors.New("the scan failed")
