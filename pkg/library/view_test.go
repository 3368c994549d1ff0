package library

import (
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
)

func TestViewsForOwnersAndOthers(t *testing.T) {
	r := open(t)
	folder := r.folder("a", "")
	file, _ := r.file("a.txt", folder.ID)
	own, other := file.View(Caller{Owner: "ann"}), file.View(Caller{Owner: "bob"})
	if own.OwnedBy != "ann" || own.Permissions == nil || *own.Length != 5 || !own.CreatedAt.Equal(r.clock) {
		t.Errorf("the owner's view: got %+v, want the owner, the permissions, length 5 and the creation time", own)
	}
	if other.OwnedBy != "" || other.Permissions != nil || other.ParentID == "" {
		t.Errorf("the view of others: got %+v, want the parent, but no owner and no permissions", other)
	}
	if got := folder.View(Caller{Owner: "bob"}).ParentID; got != "" {
		t.Errorf("the view of others of a node in the root: got parent %s, want none, because its id is derived from the owner", got)
	}
	if got := folder.View(Caller{Owner: "ann"}).ParentID; got != RootID("ann") {
		t.Errorf("the owner's view of a node in the root: got parent %s, want the root", got)
	}
}

func TestWorkflowViewShowsEveryStep(t *testing.T) {
	r := open(t)
	f, _ := r.in(Loaded)
	result := plan.Result{Reason: "it is blank", Attempts: 3, MS: 250, Engine: "pixels 1.0"}
	w, err := r.FinishStep(t.Context(), f.ID, 1, extract.StepThumbnails, plan.Failed, result, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := w.View()
	want := []StepView{{ID: "metadata", State: "open"}, {ID: "parse", State: "open"}, {"thumbnails", "failed", "it is blank", 3, 250, "pixels 1.0"}}
	if !slices.Equal(v.Steps, want) || v.State != "Loaded" || v.Run != 1 || v.Deadline == nil {
		t.Errorf("got %+v, want state Loaded, run 1, a deadline and steps %+v", v, want)
	}
	_, w = r.in(Processed)
	if v := w.View(); v.Deadline != nil || len(v.Steps) != 3 || v.Chunks == nil || *v.Chunks != (StepCount{Total: 2, Done: 2}) {
		t.Errorf("got %+v, want 3 steps, 2 finished chunks and no deadline", v)
	}
}

func TestWorkflowViewCountsChunks(t *testing.T) {
	w := Workflow{Steps: plan.Steps{
		StepsOpen: []string{ChunkStep(2), extract.StepText}, StepsDone: []string{extract.StepParse, ChunkStep(0)}, StepsFailed: []string{ChunkStep(1)},
		StepResults: map[string]plan.Result{ChunkStep(1): {Reason: "it takes too long"}, extract.StepParse: {Reason: "too many records"}},
	}}
	v := w.View()
	want := []StepView{{ID: "chunk/00001", State: "failed", Reason: "it takes too long"}, {ID: "parse", State: "done", Reason: "too many records"}, {ID: "text", State: "open"}}
	if !slices.Equal(v.Steps, want) || *v.Chunks != (StepCount{Total: 3, Open: 1, Done: 1, Failed: 1}) {
		t.Errorf("got %+v, chunks %+v, want steps %+v and 3 chunks: 1 open, 1 done, 1 failed", v, v.Chunks, want)
	}
}
