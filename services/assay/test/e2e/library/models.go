package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// measurements returns a CSV of n rows, in which y is 3a - 2b, plus noise below 0.1, and grade says whether y is above 1.
func measurements(n int) string {
	var text strings.Builder
	text.WriteString("sample,a,b,weekday,y,grade\n")
	for i := range n {
		a, b := float64(i%17)/4, float64(i*i%23)/5
		y, grade := 3*a-2*b+float64(i*7%11-5)/50, "low"
		if y > 1 {
			grade = "high"
		}
		fmt.Fprintf(&text, "S%04d,%g,%g,%d,%.3f,%s\n", i, a, b, i%7, y, grade)
	}
	return text.String()
}

// train trains a model and waits for the end of its workflow.
func train(t *testing.T, c *client.Client, m client.NewModel) client.Node {
	t.Helper()
	made, err := c.TrainModel(system.Within(t), m)
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.WaitNode(system.Within(t), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// predicted is a record with predictions.
type predicted struct {
	Y            string  `json:"y"` // a field
	Prediction   any     `json:"prediction"`
	Similarity   float64 `json:"similarity"`
	InsideDomain *bool   `json:"insideDomain"`
}

// predict predicts, and returns the predictions.
func predict(t *testing.T, c *client.Client, model string, p client.NewPrediction) (client.Node, []predicted) {
	t.Helper()
	made, err := c.Predict(system.Within(t), model, p)
	if err != nil {
		t.Fatal(err)
	}
	n, err := c.WaitNode(system.Within(t), made.ID)
	if err != nil || n.Status != client.LibraryProcessed {
		t.Fatalf("the prediction is %s, error %v, want it Processed", system.JSON(n), err)
	}
	var all []predicted
	for r, err := range c.Records(system.Within(t), n.ID, client.RecordQuery{}) {
		var one predicted
		if err := errors.Join(err, json.Unmarshal(r.Fields, &one), json.Unmarshal(r.Properties, &one)); err != nil || one.InsideDomain == nil {
			t.Fatalf("record %s, error %v, want a prediction", system.JSON(r), err)
		}
		all = append(all, one)
	}
	return n, all
}

// modelsPredict: a model is a node with a report, which the owner shares and trains again, and its predictions are records that
// name its version.
func modelsPredict(t *testing.T, s system.System) {
	c, stranger := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	source := file(t, c, "measurements.csv", "", measurements(300))
	if _, err := stranger.TrainModel(system.Within(t), client.NewModel{FileID: source.ID, Column: "y"}); !system.IsProblem(err, 404) {
		t.Errorf("training on the file of another owner returned %v, want 404", err)
	}
	n := train(t, c, client.NewModel{FileID: source.ID, Column: "y", Seed: 7})
	if n.Type != "Model" || n.Status != client.LibraryProcessed || n.Name != "y of measurements.csv" {
		t.Fatalf("the model is %s, want a Processed node of type Model", system.JSON(n))
	}
	first, err := c.Model(system.Within(t), n.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	r := first.Report
	if !r.Verdict.Better || r.Task != learn.Regression || r.Regression == nil || *r.Regression.RMSE > 0.5 || r.Model.Version != 1 || r.File.ID != source.ID || r.Rows.Used != 300 {
		t.Errorf("the report is %s, want a good model of version 1", system.JSON(r))
	}
	if _, err := stranger.Model(system.Within(t), n.ID, client.Reading{}); !system.IsProblem(err, 404) {
		t.Errorf("a stranger's read of the model returned %v, want 404", err)
	}
	if page := read(t)(c.ModelPage(system.Within(t), n.ID, client.Reading{})); !strings.Contains(page, "<svg") || strings.Contains(page, "<script") {
		t.Errorf("the page of the report is %.200s, want plots and no scripts", page)
	}

	p, all := predict(t, c, n.ID, client.NewPrediction{FileID: source.ID})
	if p.SubType != "Prediction" || len(all) != 300 {
		t.Fatalf("got %d predictions in %s, want 300 in a file of type Prediction", len(all), system.JSON(p))
	}
	for i, one := range all {
		value, _ := one.Prediction.(float64)
		actual, err := strconv.ParseFloat(one.Y, 64)
		if err != nil || math.Abs(value-actual) > 1.5 {
			t.Fatalf("record %d is %s, want a prediction near y", i, system.JSON(one))
		}
	}
	trained, err := c.NodeMetadata(system.Within(t), p.ID, client.Reading{})
	if model, ok := trained["trained"].(map[string]any); err != nil || !ok || model["modelId"] != n.ID || fmt.Sprint(model["modelVersion"]) != "1" || model["fileId"] != source.ID {
		t.Errorf("the metadata of the prediction is %s, error %v, want the model and its version", system.JSON(trained), err)
	}
	csv := read(t)(c.ExportRecords(system.Within(t), p.ID, client.Export{Format: "csv", Fields: "sample,prediction"}))
	if head, _, _ := strings.Cut(csv, "\r\n"); !strings.HasSuffix(head, "sample,prediction") {
		t.Errorf("the export begins with %q, want the predictions as a column", head)
	}
	_, alone := predict(t, c, n.ID, client.NewPrediction{Records: []map[string]any{{"a": 2, "b": 1.5, "weekday": 3}, {"a": "1000"}}})
	if len(alone) != 2 || !*alone[0].InsideDomain || *alone[1].InsideDomain {
		t.Errorf("the predictions are %s, want one inside the domain and one outside", system.JSON(alone))
	}

	again, err := c.ReprocessLibraryFile(system.Within(t), n.ID)
	if err == nil {
		again, err = c.WaitNode(system.Within(t), again.ID)
	}
	second, failed := c.Model(system.Within(t), n.ID, client.Reading{})
	if err != nil || failed != nil || again.Status != client.LibraryProcessed || second.Report.Model.Version != 2 {
		t.Fatalf("training again returned %v, %v and %s, want version 2", err, failed, system.JSON(again))
	}
	r.Model, second.Report.Model = second.Report.Model, r.Model
	second.Report.Model = r.Model
	if got, want := system.JSON(second.Report), system.JSON(r); got != want {
		t.Errorf("the same records and seed give the report %s, want %s", got, want)
	}
	link, err := c.CreateLink(system.Within(t), n.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Model(system.Within(t), n.ID, client.Reading{Link: link.Token}); err != nil {
		t.Errorf("a read of the shared model returned %v", err)
	}
}

// modelsUseStructures: a model of molecules learns from their structures, and predicts a SMILES.
func modelsUseStructures(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	var text strings.Builder
	text.WriteString("smiles,alcohol\n")
	for i := range 60 {
		chain := strings.Repeat("C", 1+i%15) + strings.Repeat("N", i/15%2) + "C"
		fmt.Fprintf(&text, "%sO,yes\n%sC,no\n", chain, chain)
	}
	source := file(t, c, "molecules.csv", "", text.String())
	n := train(t, c, client.NewModel{FileID: source.ID, Column: "alcohol", Name: "alcohols"})
	m, err := c.Model(system.Within(t), n.ID, client.Reading{})
	if err != nil {
		t.Fatalf("the model is %s: %v", system.JSON(n), err)
	}
	r := m.Report
	if r.Task != learn.Classification || fmt.Sprint(r.Classes) != "[no yes]" || r.Features.Bits == 0 || r.Split.GroupedBy != "molecule" || !r.Verdict.Better {
		t.Errorf("the report is %s, want a classification by structures", system.JSON(r))
	}
	_, all := predict(t, c, n.ID, client.NewPrediction{Records: []map[string]any{{"smiles": "CCCCCCO"}, {"smiles": "CCCCCCC"}}})
	if all[0].Prediction != "yes" || all[1].Prediction != "no" {
		t.Errorf("the predictions are %s, want yes and no", system.JSON(all))
	}
}

// unfitColumnsAreNamed: a training that cannot succeed says why, and what would.
func unfitColumnsAreNamed(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	source := file(t, c, "measurements.csv", "", measurements(60))
	if _, err := c.TrainModel(system.Within(t), client.NewModel{FileID: source.ID, Column: "z"}); !system.IsProblem(err, 422) || !strings.Contains(err.Error(), "weekday, y") {
		t.Errorf("training on an unknown column returned %v, want 422 with the columns", err)
	}
	failed := train(t, c, client.NewModel{FileID: source.ID, Column: "sample"})
	if failed.Status != client.LibraryFailed || !strings.Contains(failed.ErrorMessage, "more than two different ones") {
		t.Errorf("the model is %s, want it Failed with the reason", system.JSON(failed))
	}
	if _, err := c.Model(system.Within(t), failed.ID, client.Reading{}); !system.IsProblem(err, 409) {
		t.Errorf("a read of a model that failed returned %v, want 409", err)
	}
	if _, err := c.Predict(system.Within(t), failed.ID, client.NewPrediction{FileID: source.ID}); !system.IsProblem(err, 409) {
		t.Errorf("a prediction by a model that failed returned %v, want 409", err)
	}
	text := file(t, c, "a.txt", "", "no records")
	if _, err := c.TrainModel(system.Within(t), client.NewModel{FileID: text.ID, Column: "y"}); !system.IsProblem(err, 409) {
		t.Errorf("training on a text returned %v, want 409", err)
	}
}
