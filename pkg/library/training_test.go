package library

import (
	"errors"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
)

// model reserves and starts a model of ann.
func (r *rig) model() (File, Workflow) {
	r.t.Helper()
	terms := r.newFile("logS of a.sdf", "")
	terms.Type = ModelType
	node, f, err := r.Reserve(r.t.Context(), terms)
	if err != nil || node.Type != KindModel || node.TypeOwnedBy != "Model#ann" {
		r.t.Fatalf("got node %+v, error %v, want a node of type Model", node, err)
	}
	f, w, err := r.StoreUpload(r.t.Context(), f, Content{Type: ModelType, ETag: "e"}, PlanOf(ModelType))
	if err != nil {
		r.t.Fatal(err)
	}
	return f, w
}

func TestStepsOfModelsAreSequential(t *testing.T) {
	r := open(t)
	f, w := r.model()
	if w.WorkflowType != TrainingWorkflow || w.TrainingID != f.ID || w.OptimizationCompleted || w.TrainingCompleted || w.ReportCompleted {
		t.Errorf("got workflow %+v, want one of type Training with the id of the model", w)
	}
	if err := r.StartProcessing(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	for i, step := range []string{StepOptimize, StepTrain, StepReport} {
		if !slices.Equal(w.StepsOpen, []string{step}) || w.Joined() {
			t.Fatalf("got the open steps %q, want %s", w.StepsOpen, step)
		}
		if next := PlanOf(ModelType).Next(step); next != "" {
			for range 2 { // a redelivery repeats the write
				if err := r.OpenStep(t.Context(), w, next, step); err != nil {
					t.Fatal(err)
				}
			}
		}
		var err error
		if w, err = r.FinishStep(t.Context(), f.ID, f.Run, step, plan.Done, plan.Result{Attempts: 1}, nil); err != nil {
			t.Fatal(err)
		}
		if w.OptimizationCompleted != (i >= 0) || w.TrainingCompleted != (i >= 1) || w.ReportCompleted != (i >= 2) {
			t.Errorf("after %s: got workflow %+v, want the attributes of the steps so far", step, w)
		}
		if err := r.OpenStep(t.Context(), w, StepReport, step); !errors.Is(err, lifecycle.ErrCondition) {
			t.Errorf("opening a step after the end of %s: got error %v, want ErrCondition", step, err)
		}
	}
	if err := r.Finish(t.Context(), w, w.End(PlanOf(ModelType)), nil); err != nil {
		t.Fatal(err)
	}
	if n := r.node(f.ID); n.Status != Processed || n.Type != KindModel {
		t.Errorf("got node %+v, want a Processed model", n)
	}
}

func TestFailedStepEndsModel(t *testing.T) {
	r := open(t)
	f, w := r.model()
	if err := r.OpenStep(t.Context(), w, StepTrain, StepOptimize); err != nil {
		t.Fatal(err)
	}
	if _, err := r.FinishStep(t.Context(), f.ID, f.Run, StepOptimize, plan.Done, plan.Result{Attempts: 1}, nil); err != nil {
		t.Fatal(err)
	}
	w, err := r.FinishStep(t.Context(), f.ID, f.Run, StepTrain, plan.Failed, plan.Result{Attempts: 5, Reason: "the file is gone"}, nil)
	if err != nil || !w.Joined() || !w.OptimizationCompleted || w.TrainingCompleted {
		t.Fatalf("got workflow %+v, error %v, want one without open steps and without training", w, err)
	}
	if err := r.StartProcessing(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(t.Context(), w, w.End(PlanOf(ModelType)), nil); err != nil {
		t.Fatal(err)
	}
	f = r.stored(f.ID)
	if f.Status != Failed || f.ErrorMessage != "train: the file is gone" {
		t.Errorf("got %s with the message %q, want Failed with that of the step", f.Status, f.ErrorMessage)
	}
	f, w, err = r.RetryStep(t.Context(), f, StepTrain, nil)
	if err != nil || !slices.Equal(w.StepsOpen, []string{StepTrain}) || !w.OptimizationCompleted || w.TrainingCompleted {
		t.Fatalf("got workflow %+v, error %v, want the step train open and the step optimize done", w, err)
	}
	if f, w, err = r.Retry(t.Context(), r.failed(f), nil); err != nil || !slices.Equal(w.StepsOpen, []string{StepOptimize}) || w.OptimizationCompleted || w.TrainingID != f.ID {
		t.Errorf("got workflow %+v, error %v, want all steps again", w, err)
	}
}

// failed moves a file to Failed.
func (r *rig) failed(f File) File {
	r.t.Helper()
	if err := r.Fail(r.t.Context(), f, "it failed"); err != nil {
		r.t.Fatal(err)
	}
	return r.stored(f.ID)
}

func TestTypesOfDerivedFiles(t *testing.T) {
	for kind, want := range map[extract.Type]string{ModelType: "Training", PredictionType: "Prediction", extract.Chemical: "File"} {
		if got := WorkflowTypeOf(kind); got != want || Derived(kind) != (want != "File") || FormatOf(kind).Type != kind {
			t.Errorf("type %s: got workflow type %s, want %s", kind, got, want)
		}
	}
	if !PlanOf(PredictionType).HasRecords() || PlanOf(ModelType).HasRecords() {
		t.Error("predictions have records, and models do not")
	}
}
