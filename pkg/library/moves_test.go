package library

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
)

// records is a plan with a parsing step.
var records = Plan{Type: "Table", Steps: []extract.Step{
	{Name: extract.StepParse, Class: extract.ClassRecords, Required: true}, {Name: extract.StepMetadata, Class: extract.ClassLight, Required: true},
	{Name: extract.StepThumbnails, Class: extract.ClassRender},
}}

var content = Content{Type: "Table", Length: 7, ETag: "e1", MD5: "m1"}

// makers contains the method of the store that makes a move, by the move's name.
var makers = map[string]func(*rig, File, Workflow) error{
	"store": func(r *rig, f File, _ Workflow) error {
		_, _, err := r.StoreUpload(r.t.Context(), f, content, records)
		return err
	},
	"startParsing":    func(r *rig, _ File, w Workflow) error { return r.StartParsing(r.t.Context(), w) },
	"finishParsing":   func(r *rig, _ File, w Workflow) error { return r.FinishParsing(r.t.Context(), w, 2, 1500) },
	"startProcessing": func(r *rig, _ File, w Workflow) error { return r.StartProcessing(r.t.Context(), w) },
	"complete": func(r *rig, _ File, w Workflow) error {
		w.StepsOpen = nil // bypass the check in Finish, to test the condition of the write
		return r.Finish(r.t.Context(), w, End{State: Processed}, map[string]any{"rows": 7})
	},
	"completePartially": func(r *rig, _ File, w Workflow) error {
		w.StepsOpen = nil
		return r.Finish(r.t.Context(), w, End{State: ProcessedPartially, Message: "no thumbnail"}, nil)
	},
	"fail":      func(r *rig, f File, _ Workflow) error { return r.Fail(r.t.Context(), f, "it is damaged") },
	"retry":     func(r *rig, f File, _ Workflow) error { _, _, err := r.Retry(r.t.Context(), f, nil); return err },
	"reprocess": func(r *rig, f File, _ Workflow) error { _, _, err := r.Reprocess(r.t.Context(), f, nil); return err },
}

// in creates a file and moves it to a state. From Processing on, it has no open steps.
func (r *rig) in(state lifecycle.State) (File, Workflow) {
	r.t.Helper()
	_, f := r.file("a.csv", "")
	now := func() (File, Workflow) {
		w, err := r.Workflow(r.t.Context(), f.ID)
		if errors.Is(err, lifecycle.ErrNotFound) {
			w, err = Workflow{CorrelationID: f.ID, FileID: f.ID, Run: f.Run}, nil
		}
		if err != nil {
			r.t.Fatal(err)
		}
		return r.stored(f.ID), w
	}
	path := []string{"store", "startParsing", "finishParsing", "startProcessing"}
	ends := map[lifecycle.State]string{Processed: "complete", ProcessedPartially: "completePartially", Failed: "fail"}
	steps := slices.Index([]lifecycle.State{Loading, Loaded, Parsing, Parsed, Processing}, state)
	if end := ends[state]; end != "" {
		path, steps = append(path, end), 5
	}
	for i, name := range path[:steps] {
		f, w := now()
		if i == 4 || steps == 4 && i == 3 {
			for _, step := range w.StepsOpen {
				if _, err := r.FinishStep(r.t.Context(), f.ID, f.Run, step, plan.Done, plan.Result{Attempts: 1}, nil); err != nil {
					r.t.Fatal(err)
				}
			}
			f, w = now()
		}
		if err := makers[name](r, f, w); err != nil {
			r.t.Fatalf("%s: got error %v, want nil", name, err)
		}
	}
	return now()
}

func TestMachineIsValid(t *testing.T) {
	if err := Machine().Validate(); err != nil {
		t.Error(err)
	}
}

func TestEveryMoveFromEveryState(t *testing.T) {
	if len(makers) != len(Machine().Moves) {
		t.Fatalf("got %d makers, want one for each of %d moves", len(makers), len(Machine().Moves))
	}
	r := open(t)
	for _, move := range Machine().Moves {
		for _, from := range Machine().States() {
			t.Run(move.Name+" from "+string(from), func(t *testing.T) {
				r.t = t
				f, w := r.in(from)
				node := r.node(f.ID)
				err := makers[move.Name](r, f, w)
				after, afterNode := r.stored(f.ID), r.node(f.ID)
				if !slices.Contains(move.From, from) {
					var moved *lifecycle.MovedError
					noWorkflow := from == Loading && errors.Is(err, lifecycle.ErrNotFound)
					if !noWorkflow && (!errors.As(err, &moved) || moved.Found != from || moved.Move != move.Name) {
						t.Errorf("got %v, want a MovedError that found %s", err, from)
					}
					if !reflect.DeepEqual(after, f) || !reflect.DeepEqual(afterNode, node) {
						t.Errorf("after a rejected move: got file %+v, node %+v, want %+v and %+v", after, afterNode, f, node)
					}
					return
				}
				if err != nil || after.Status != move.To || afterNode.Status != move.To {
					t.Fatalf("got file %s, node %s, error %v, want %s", after.Status, afterNode.Status, err, move.To)
				}
				if after.Version != f.Version+1 || afterNode.Version != node.Version+1 || after.Run != afterNode.Run {
					t.Errorf("got versions %d and %d, runs %d and %d, want versions %d and %d, equal runs", after.Version, afterNode.Version, after.Run, afterNode.Run, f.Version+1, node.Version+1)
				}
				if again := after.Run == f.Run+1; again != move.Explicit {
					t.Errorf("got run %d after run %d, want a new run only for an explicit move", after.Run, f.Run)
				}
				now, err := r.Workflow(t.Context(), f.ID)
				if errors.Is(err, lifecycle.ErrNotFound) && from == Loading && move.Name == "fail" {
					return
				}
				if err != nil || now.CurrentState != move.To || now.Run != after.Run || now.Version != w.Version+1 {
					t.Errorf("got workflow %+v, error %v, want state %s, run %d, version %d", now, err, move.To, after.Run, w.Version+1)
				}
			})
		}
	}
}

func TestMovesRequireRun(t *testing.T) {
	r := open(t)
	for _, move := range Machine().Moves {
		for _, from := range move.From {
			f, w := r.in(from)
			before := r.node(f.ID)
			f.Run--
			w.Run--
			if err := makers[move.Name](r, f, w); !errors.Is(err, lifecycle.ErrFenceLost) {
				t.Errorf("%s from %s of an old run: got error %v, want ErrFenceLost", move.Name, from, err)
			}
			if after := r.node(f.ID); !reflect.DeepEqual(before, after) {
				t.Errorf("%s of an old run: got node %+v, want %+v", move.Name, after, before)
			}
		}
	}
}

func TestFinalStatesAreLeftOnlyOnRequest(t *testing.T) {
	for _, move := range Machine().Moves {
		for _, final := range Machine().Final {
			if slices.Contains(move.From, final) && move.Name != "retry" && move.Name != "reprocess" {
				t.Errorf("move %s: got a From state %s, which is final, want none", move.Name, final)
			}
		}
	}
}

func TestStepRetryKeepsOtherResults(t *testing.T) {
	r := open(t)
	_, f := r.file("a.csv", "")
	f, w, err := r.StoreUpload(t.Context(), f, content, records)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StartProcessing(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	for step, end := range map[string]plan.End{extract.StepParse: plan.Skipped, extract.StepMetadata: plan.Done, extract.StepThumbnails: plan.Failed} {
		result := plan.Result{Key: "r1/" + step}
		if end != plan.Done {
			result.Reason = "it is blank"
		}
		if _, err = r.FinishStep(t.Context(), f.ID, 1, step, end, result, nil); err != nil {
			t.Fatal(err)
		}
	}
	w, err = r.Workflow(t.Context(), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	end := w.End(records)
	if want := (End{State: ProcessedPartially, Message: "thumbnails: it is blank"}); end != want {
		t.Fatalf("got end %+v, want %+v", end, want)
	}
	if err := r.Finish(t.Context(), w, end, nil); err != nil {
		t.Fatal(err)
	}
	f = r.stored(f.ID)
	if _, _, err := r.RetryStep(t.Context(), f, extract.StepMetadata, nil); !errors.Is(err, ErrStep) {
		t.Errorf("a retry of a step that succeeded: got error %v, want ErrStep", err)
	}
	f, again, err := r.RetryStep(t.Context(), f, extract.StepThumbnails, map[string]plan.Result{extract.StepMetadata: {Key: "r2/metadata"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err = r.Workflow(t.Context(), f.ID)
	if err != nil || !reflect.DeepEqual(again, w) {
		t.Errorf("got workflow %+v, error %v, want %+v", w, err, again)
	}
	if w.Run != 2 || w.CurrentState != Loaded || !slices.Equal(w.StepsOpen, []string{extract.StepThumbnails}) || w.StepsFailed != nil ||
		!slices.Equal(w.StepsDone, []string{extract.StepMetadata}) || !slices.Equal(w.StepsSkipped, []string{extract.StepParse}) ||
		w.StepResults[extract.StepMetadata].Key != "r2/metadata" || w.ThumbnailCompleted || !w.MetadataCompleted || w.FailureMessage != "" {
		t.Errorf("got workflow %+v, want run 2 with only the thumbnails open and the other results kept", w)
	}
	if _, err := r.FinishStep(t.Context(), f.ID, 1, extract.StepThumbnails, plan.Done, plan.Result{}, nil); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("a step of the previous run: got error %v, want ErrFenceLost", err)
	}
	if err := r.Fail(t.Context(), f, "no more"); err != nil {
		t.Fatal(err)
	}
	if w, err = r.Workflow(t.Context(), f.ID); err != nil || r.Drop(t.Context(), w) != nil {
		t.Fatal(err)
	}
	if _, _, err := r.RetryStep(t.Context(), r.stored(f.ID), extract.StepThumbnails, nil); !errors.Is(err, ErrNoWorkflow) {
		t.Errorf("a retry without a workflow: got error %v, want ErrNoWorkflow", err)
	}
	if f, _, err = r.Retry(t.Context(), r.stored(f.ID), nil); err != nil || f.Run != 3 || f.ErrorMessage != "" || r.stored(f.ID).ErrorMessage != "" {
		t.Errorf("a retry of the file: got %+v, error %v, want run 3 without an error message", f, err)
	}
}

// A rename during processing and the moves of the file do not overwrite each other.
func TestRenameDuringProcessing(t *testing.T) {
	r := open(t)
	f, w := r.in(Loaded)
	if _, err := r.Rename(t.Context(), f.ID, "b.csv", ann); err != nil {
		t.Fatal(err)
	}
	if err := r.StartProcessing(t.Context(), w); err != nil {
		t.Error(err)
	}
	if n := r.node(f.ID); n.Name != "b.csv" || n.Status != Processing {
		t.Errorf("got %+v, want b.csv in state Processing", n)
	}
}
