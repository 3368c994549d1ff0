package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// nodes stores library items in a system under audit.
type nodes struct {
	*fixture
	store *library.Store
}

func (n nodes) id(t *testing.T) string {
	t.Helper()
	return must[string](t)(library.NewID("ann", ""))
}

func (n nodes) folder(t *testing.T, name, parent string) library.Node {
	t.Helper()
	return must[library.Node](t)(n.store.CreateFolder(t.Context(), library.NewNode{ID: n.id(t), Owner: "ann", ParentID: parent, Name: name}))
}

// reserved stores a file without its upload.
func (n nodes) reserved(t *testing.T, name, parent string) library.File {
	t.Helper()
	r := library.NewFile{
		NewNode: library.NewNode{ID: n.id(t), Owner: "ann", ParentID: parent, Name: name}, Type: "Generic", Bucket: "audited", BlobID: n.id(t), Length: 1,
	}
	r.Key = r.UploadKey()
	_, f, err := n.store.Reserve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// processed stores a file that is Processed, with its bytes, one result and its outcome.
func (n nodes) processed(t *testing.T, name, parent string) library.File {
	t.Helper()
	ctx, f := t.Context(), n.reserved(t, name, parent)
	put := func(key string) {
		must[blob.Object](t)(n.Bucket().Put(ctx, key, "text/plain", nil, strings.NewReader("x")))
	}
	put(f.Key)
	f, w, err := n.store.StoreUpload(ctx, f, library.Content{Type: "Generic", Length: 1, ETag: "e"}, library.PlanOf("Generic"))
	if err == nil {
		err = n.store.StartProcessing(ctx, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	result := plan.Result{Key: library.ResultKey(f.ID, f.Run, "metadata.json")}
	put(result.Key)
	w = must[library.Workflow](t)(n.store.FinishStep(ctx, f.ID, f.Run, extract.StepMetadata, plan.Done, result, nil))
	if err := n.store.Finish(ctx, w, w.End(library.PlanOf("Generic")), nil); err != nil {
		t.Fatal(err)
	}
	n.publishOutcome(ctx, t, library.Name, f.ID, must[library.Workflow](t)(n.store.Workflow(ctx, f.ID)).Updated())
	return f
}

// TestBrokenPromisesOfTheLibraryAreFound: an audit finds broken promises of folders and files, and
// reports no others.
func TestBrokenPromisesOfTheLibraryAreFound(t *testing.T) {
	h, ctx := open(t), t.Context()
	n := nodes{h, library.NewStore(h.DB(), library.Config{Nodes: "nodes", Files: "library", Workflows: "workflows"})}
	var promises []audit.Promise
	want := map[string]audit.Kind{} // by id; correct items have no entry
	promise := func(id string, kind audit.Kind, p audit.Promise) {
		p.Run, p.Area, p.ID, p.At = "case", library.Name, id, time.Now()
		promises = append(promises, p)
		if kind != "" {
			want[id] = kind
		}
	}
	at := func(path string) audit.Promise { return audit.Promise{Result: path} }

	docs := n.folder(t, "docs", "")
	promise(docs.ID, "", at("Created /docs"))
	promise(n.processed(t, "a.txt", docs.ID).ID, "", at("Processed /docs/a.txt"))
	promise(n.processed(t, "b.txt", docs.ID).ID, audit.Lost, at("Processed /b.txt"))
	promise(n.processed(t, "c.txt", "").ID, audit.Lost, audit.Promise{End: audit.Failed})
	promise("unknown", audit.Lost, at("Processed /d.txt"))
	trashed := n.folder(t, "trashed", "")
	promise(n.processed(t, "e.txt", trashed.ID).ID, "", at("Processed trash/trashed/e.txt"))
	must[library.Node](t)(n.store.Trash(ctx, trashed.ID, library.Edit{By: "ann"}))
	promise(trashed.ID, "", at("Created trash/trashed"))
	promise(n.reserved(t, "f.txt", docs.ID).ID, audit.Stuck, at("Processed /docs/f.txt"))
	for _, missing := range []string{"upload", "result"} {
		f := n.processed(t, missing, "")
		key := f.Key
		if missing == "result" {
			key = library.ResultKey(f.ID, f.Run, "metadata.json")
		}
		if err := h.Bucket().Delete(ctx, key); err != nil {
			t.Fatal(err)
		}
		promise(f.ID, audit.Lost, at("Processed /"+missing))
	}
	more := n.processed(t, "more", "")
	must[blob.Object](t)(h.Bucket().Put(ctx, library.ResultKey(more.ID, more.Run+1, "text"), "", nil, strings.NewReader("x")))
	promise(more.ID, audit.Stuck, at("Processed /more"))
	outstanding := n.processed(t, "outstanding", "")
	if err := h.bus.Publish(ctx, library.NewStep(&event.LibraryStep{FileId: outstanding.ID, Step: extract.StepMetadata, Class: string(extract.ClassLight), Run: 1, OwnerId: "ann"})); err != nil {
		t.Fatal(err)
	}
	promise(outstanding.ID, audit.Stuck, at("Processed /outstanding"))
	for _, half := range []string{n.folder(t, "half", "").ID, n.processed(t, "half", "").ID} {
		must[library.Workflow](t)(n.store.Erase(ctx, half, library.Edit{By: "ann"}))
		promise(half, audit.Stuck, audit.Promise{End: audit.Gone})
	}
	gone := n.folder(t, "gone", "")
	inside := n.processed(t, "inside", gone.ID)
	if err := n.store.Erased(ctx, must[library.Workflow](t)(n.store.Erase(ctx, n.folder(t, "empty", "").ID, library.Edit{By: "ann"}))); err != nil {
		t.Fatal(err)
	}
	promise(gone.ID, audit.Lost, audit.Promise{End: audit.Gone})
	promise(inside.ID, "", at("Processed /gone/inside"))
	orphan := n.id(t)
	must[blob.Object](t)(h.Bucket().Put(ctx, library.ResultKey(orphan, 1, "text"), "", nil, strings.NewReader("x")))
	want[orphan] = audit.Stuck
	want[n.processed(t, "unpromised", "").ID] = audit.Doubled
	want[n.folder(t, "unpromised", "").ID] = audit.Doubled

	compare(t, must[audit.Report](t)(h.Audit(ctx, promises, 0)), want)
}
