package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// models: a model is trained on a column of the records of a file, its page shows the verdict and the report, it predicts the
// records of a file and single records, predictions link to the version of the model, and it can be trained again. A failed training states the reason.
func models(t *testing.T, b *Browser, s system.System) {
	p := b.Open(t, s.HTTP, "/library/models")
	p.See(t, ".empty h2", "No models")
	p.State(t, "models-empty")
	var table strings.Builder
	table.WriteString("temperature,time,operator,yield,passed\n")
	for i := range 80 {
		temperature, hours := 20+i*37%60, 1+i*7%24
		fmt.Fprintf(&table, "%d,%d,%c,%d,%v\n", temperature, hours, 'A'+i%3, 2*temperature+hours+i%5, temperature > 50)
	}
	n := keep(t, s, p.Owner, "yield.csv", "", table.String())
	p.Go(t, "/library/"+n.ID)
	p.Click(t, ".page-head button", "Train a model")
	p.See(t, "dialog select", "passed (false, true)") // has two values
	p.Gone(t, "dialog select", "operator")
	p.Eval(t, `const select = document.querySelector("dialog select");
		select.value = "yield"; select.dispatchEvent(new Event("change", { bubbles: true }))`)
	p.State(t, "model-train")
	p.Click(t, "dialog button.primary", "Train")
	p.See(t, "h1", "yield of yield.csv")
	p.See(t, ".notice.good", "The model is better")
	p.See(t, ".numbers dt", "RMSE")
	if page := Read[string](t, p, `fetch(document.querySelector("iframe.report").src).then((r) => r.text())`); !strings.Contains(page, "Prediction of <bdi>yield</bdi>") {
		t.Errorf("the frame shows %.200q, want the report", page)
	}
	p.State(t, "model")

	p.Click(t, ".page-head button", "Predict")
	p.See(t, "dialog .file-list label", "yield.csv")
	p.State(t, "model-predict-file")
	p.Click(t, "dialog .file-list label", "yield.csv")
	p.Click(t, "dialog button.primary", "Predict")
	p.See(t, ".predicted", "Predictions of yield by yield of yield.csv, version 1, for the records of yield.csv.")
	p.See(t, "[role=columnheader]", "predictionLow")
	p.See(t, ".list-end", "80 records")
	p.State(t, "model-predictions")
	p.Click(t, ".predicted a", "yield of yield.csv")
	p.Click(t, ".page-head button", "Predict")
	p.Click(t, "dialog .choice button", "One record")
	p.See(t, "dialog .inputs label", "temperature")
	p.Gone(t, "dialog .inputs label", "yield")
	p.State(t, "model-predict-record")
	p.Eval(t, `for (const label of document.querySelectorAll("dialog .inputs label")) {
		const input = label.querySelector("input");
		input.value = { temperature: "50", time: "12", passed: "true" }[label.textContent];
		input.dispatchEvent(new Event("input", { bubbles: true }));
	}`)
	p.Click(t, "dialog button.primary", "Predict")
	p.See(t, ".predicted", "Predictions of yield by yield of yield.csv, version 1.")
	p.See(t, ".list-end", "1 record")

	p.Click(t, ".predicted a", "yield of yield.csv")
	p.Click(t, ".page-head button", "Train again")
	p.See(t, ".toast", "The model will be trained again.")
	p.See(t, ".file-lead", "Version 2")
	p.Click(t, "[role=tab]", "Steps")
	p.See(t, ".steps li", "Choose the kind of model")
	p.State(t, "model-steps")
	modelRead(t, b, s, p)
	few := keep(t, s, p.Owner, "few.csv", "", "a,b\n1,2\n2,1\n3,3\n")
	m, err := s.Client(t, p.Owner).TrainModel(system.Within(t), client.NewModel{FileID: few.ID, Column: "b"})
	if err != nil {
		t.Fatal(err)
	}
	p.Go(t, "/library/"+m.ID)
	p.See(t, ".notice.bad", "The model could not be trained.")
	p.See(t, ".steps li", "Failed")
	p.State(t, "model-failed")
	p.Go(t, "/library/models")
	p.See(t, ".rows .name", "yield of yield.csv")
	p.State(t, "models")
	p.Go(t, "/library")
	p.See(t, ".rows .row:nth-child(2) .name", "yield of yield.csv") // models are before files
}

// modelRead: a visitor with a share link sees the report of the model that a page lists, and cannot predict.
func modelRead(t *testing.T, b *Browser, s system.System, p *Page) {
	t.Helper()
	owner := s.Client(t, p.Owner)
	for n, err := range owner.NodesByType(system.Within(t), client.NodeModel) {
		if err != nil {
			t.Fatal(err)
		}
		link, err := owner.CreateLink(system.Within(t), n.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		visitor := b.Open(t, s.HTTP, "/library/"+n.ID+"?link="+link.Token)
		visitor.See(t, ".numbers dt", "RMSE")
		visitor.Gone(t, ".page-head button", "Predict")
		visitor.Gone(t, ".page-head button", "Train again")
		if status := Read[int](t, visitor, `fetch(document.querySelector("iframe.report").src).then((r) => r.status)`); status != 200 {
			t.Errorf("the frame of a visitor gets %d, want 200", status)
		}
	}
}
