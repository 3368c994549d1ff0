package library

import (
	"slices"
	"testing"
)

func TestViewsForOwnersAndOthers(t *testing.T) {
	r := open(t)
	file, _ := r.file("a.txt", "")
	own, other := file.View(Caller{Owner: "ann"}), file.View(Caller{Owner: "bob"})
	if own.OwnedBy != "ann" || own.Permissions == nil || *own.Length != 5 || !own.CreatedAt.Equal(r.clock) {
		t.Errorf("got %+v", own)
	}
	if other.OwnedBy != "" || other.Permissions != nil || other.ParentID == "" {
		t.Errorf("got %+v", other)
	}
}

func TestWorkflowViewShowsEveryStep(t *testing.T) {
	r := open(t)
	f, _ := r.in(Loaded)
	result := StepResult{Reason: "it is blank", Attempts: 3, MS: 250, Engine: "pixels 1.0"}
	w, err := r.FinishStep(t.Context(), f.ID, 1, StepThumbnails, StepFailed, result, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := w.View()
	want := []StepView{{ID: "metadata", State: "open"}, {ID: "parse", State: "open"}, {"thumbnails", "failed", "it is blank", 3, 250, "pixels 1.0"}}
	if !slices.Equal(v.Steps, want) || v.State != "Loaded" || v.Run != 1 || v.Deadline == nil {
		t.Errorf("got %+v", v)
	}
	_, w = r.in(Processed)
	if v := w.View(); v.Deadline != nil || len(v.Steps) != 3 || v.Chunks == nil || *v.Chunks != (StepCount{Total: 2, Done: 2}) {
		t.Errorf("got %+v", v)
	}
}

func TestWorkflowViewCountsChunks(t *testing.T) {
	w := Workflow{
		StepsOpen: []string{ChunkStep(2), StepText}, StepsDone: []string{StepParse, ChunkStep(0)}, StepsFailed: []string{ChunkStep(1)},
		StepResults: map[string]StepResult{ChunkStep(1): {Reason: "it takes too long"}, StepParse: {Reason: "too many records"}},
	}
	v := w.View()
	want := []StepView{{ID: "chunk/00001", State: "failed", Reason: "it takes too long"}, {ID: "parse", State: "done", Reason: "too many records"}, {ID: "text", State: "open"}}
	if !slices.Equal(v.Steps, want) || *v.Chunks != (StepCount{Total: 3, Open: 1, Done: 1, Failed: 1}) {
		t.Errorf("got %+v, %+v", v, v.Chunks)
	}
}
