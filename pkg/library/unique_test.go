package library

import (
	"errors"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
)

// TestUniqueChange checks that a change with Unique is rejected if another node of the folder has the name, and that changes
// without it keep both nodes.
func TestUniqueChange(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	first, _ := r.file("a.txt", "")
	other, _ := r.file("b.txt", "")
	inside, _ := r.file("a.txt", folder.ID)
	name := func(s string) *string { return &s }
	change := func(id string, c Change) error {
		_, err := r.Change(t.Context(), id, c, ann)
		return err
	}
	version := r.node(other.ID).Version
	for what, c := range map[string]Change{
		"a rename":                  {Name: name("a.txt"), Unique: true},
		"a move with a new name":    {Name: name("a.txt"), ParentID: &folder.ID, Unique: true},
		"a rename to a folder":      {Name: name("docs"), Unique: true},
		"a move that names the top": {Name: name("a.txt"), ParentID: name(""), Unique: true},
	} {
		if err := change(other.ID, c); !errors.Is(err, ErrNameTaken) {
			t.Errorf("%s: got error %v, want ErrNameTaken", what, err)
		}
	}
	if err := change(first.ID, Change{ParentID: &folder.ID, Unique: true}); !errors.Is(err, ErrNameTaken) {
		t.Errorf("a move: got error %v, want ErrNameTaken", err)
	}
	if after := r.node(other.ID).Version; after != version {
		t.Errorf("after rejected changes: got version %d, want %d", after, version)
	}
	for what, c := range map[string]Change{
		"its own name":   {Name: name("b.txt"), ParentID: name(""), Unique: true},
		"a display name": {DisplayName: name("a.txt"), Unique: true},
		"a move":         {ParentID: &folder.ID, Unique: true},
		"a free name":    {Name: name("c.txt"), Unique: true},
		"an equal name":  {Name: name("a.txt")},
	} {
		if err := change(other.ID, c); err != nil {
			t.Errorf("%s: got error %v, want nil", what, err)
		}
		if err := change(other.ID, Change{Name: name("b.txt"), ParentID: name("")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Trash(t.Context(), inside.ID, ann); err != nil {
		t.Fatal(err)
	}
	if err := change(first.ID, Change{ParentID: &folder.ID, Unique: true}); err != nil {
		t.Errorf("a move to a folder whose node of the name is in the trash: got error %v, want nil", err)
	}
}

// TestReasons checks that the reason of a file that is not completely processed is read with its node, until the file is
// processed again.
func TestReasons(t *testing.T) {
	r := open(t)
	partly, _ := r.in(ProcessedPartially)
	failed, _ := r.in(Failed)
	done, _ := r.in(Processed)
	nodes := []Node{r.node(partly.ID), r.folder("docs", ""), r.node(failed.ID), r.node(done.ID)}
	reasons, err := r.Reasons(t.Context(), nodes...)
	if err != nil || len(reasons) != 2 || reasons[partly.ID] != "no thumbnail" || reasons[failed.ID] != "it is damaged" {
		t.Errorf("got %v, error %v, want the reasons of two files", reasons, err)
	}
	if _, _, err := r.Retry(t.Context(), partly, nil); err != nil {
		t.Fatal(err)
	}
	if reasons, err := r.Reasons(t.Context(), r.node(partly.ID)); err != nil || len(reasons) != 0 || r.stored(partly.ID).ErrorMessage != "" {
		t.Errorf("after a retry: got %v, error %v, want no reason", reasons, err)
	}
	if reasons, err := r.Reasons(t.Context()); err != nil || len(reasons) != 0 {
		t.Errorf("without nodes: got %v, error %v, want no reasons", reasons, err)
	}
}

// TestSummaryOfEndedSteps checks that a boolean of a workflow states that its step has ended, in the same way for every step.
func TestSummaryOfEndedSteps(t *testing.T) {
	r := open(t)
	for _, end := range []plan.End{plan.Done, plan.Failed, plan.Skipped} {
		for _, step := range []string{extract.StepThumbnails, extract.StepRecords, extract.StepMetadata, extract.StepText} {
			_, f := r.file("a.xlsx", "")
			f, w, err := r.StoreUpload(t.Context(), f, Content{Type: extract.Office, Length: 7, ETag: "e1"}, PlanOf(extract.Office))
			if err != nil {
				t.Fatal(err)
			}
			if w, err = r.FinishStep(t.Context(), f.ID, 1, step, end, plan.Result{Reason: "why"}, nil); err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{
				extract.StepThumbnails: w.ThumbnailCompleted, extract.StepRecords: w.ParseCompleted, extract.StepMetadata: w.MetadataCompleted, extract.StepText: w.IndexingCompleted,
			}
			for name, completed := range got {
				want := name == step && (step != extract.StepText || end == plan.Done)
				if completed != want {
					t.Errorf("step %s with end %d: got %s completed %t, want %t", step, end, name, completed, want)
				}
			}
		}
	}
}
