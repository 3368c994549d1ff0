package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
)

// content returns the content of a derived file.
func (w *world) content(request any) string {
	w.t.Helper()
	content, err := json.Marshal(request)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

// derive creates a model or a prediction.
func (w *world) derive(kind extract.Type, content string) library.File {
	w.t.Helper()
	f := w.reserveAs(kind, "derived", "", len(content))
	w.upload(f, content)
	return f
}

// requests returns the contents of a model and of a prediction. They name a file and a model that exist.
func (w *world) requests() map[extract.Type]string {
	w.t.Helper()
	var table strings.Builder
	table.WriteString("a,b,y\n")
	for i := range 40 {
		fmt.Fprintf(&table, "%d.5,%d,%d\n", i%7, i*i%11, 2*(i%7)-i*i%11)
	}
	o := w.worker(nil)
	defer o.end()
	source := w.ended(w.add("a.csv", "", table.String()).ID)
	train := w.content(library.TrainingRequest{FileID: source.ID, Column: "y", Seed: 1})
	model := w.ended(w.derive(library.ModelType, train).ID)
	if model.Status != library.Processed {
		w.t.Fatalf("the model is %s: %s", model.Status, model.ErrorMessage)
	}
	return map[extract.Type]string{
		library.ModelType: train, library.PredictionType: w.content(library.PredictionRequest{ModelID: model.ID, FileID: source.ID}),
	}
}

// learning returns the scenarios of a model and of a prediction.
func (w *world) learning() []scenario {
	w.t.Helper()
	contents := w.requests()
	return []scenario{
		{"a model", func(w *world) library.File { return w.derive(library.ModelType, contents[library.ModelType]) }, trained},
		{"predictions", func(w *world) library.File { return w.derive(library.PredictionType, contents[library.PredictionType]) }, ends("Processed")},
	}
}

// trained returns an error until a model is Processed, its workflow has the attributes of the seed, and its objects are those of
// one training.
func trained(w *world, f library.File) error {
	if err := ends("Processed")(w, f); err != nil {
		return err
	}
	flow, err := w.Workflow(w.t.Context(), f.ID)
	if err != nil {
		return err
	}
	if flow.TrainingID != f.ID || !flow.OptimizationCompleted || !flow.TrainingCompleted || !flow.ReportCompleted || len(flow.StepsDone) != 3 {
		return fmt.Errorf("the workflow is %+v, want all three steps done", flow)
	}
	for _, name := range []string{library.ChoiceName, library.ModelName, library.ReportName, library.ReportPageName} {
		if _, err := w.backends.Bucket.Head(w.t.Context(), library.ResultKey(f.ID, 1, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	_, err = w.backends.Bucket.Head(w.t.Context(), library.ResultKey(f.ID, 2, library.ModelName))
	if !errors.Is(err, blob.ErrNotFound) {
		return fmt.Errorf("a second model: %v, want ErrNotFound", err)
	}
	return nil
}
