package client_test

import (
	"net/http"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// TestTrainModelOnce checks that a repeated request has the key of the first, so that one model is trained.
func TestTrainModelOnce(t *testing.T) {
	s, c := serve(t,
		problem(503, map[string]string{"Retry-After": "0"}, client.Problem{}),
		hangUp,
		answer(202, map[string]any{"id": "m", "type": client.NodeModel, "workflow": map[string]any{"id": "m", "type": "Training", "steps": []string{"optimize", "train", "report"}}}))
	m, err := c.TrainModel(t.Context(), client.NewModel{FileID: "f", Column: "logS"})
	if err != nil || m.ID != "m" || m.Final() || len(m.Workflow.Steps) != 3 {
		t.Fatalf("TrainModel = %+v, %v, want the model m, which is not final, with 3 steps", m, err)
	}
	for _, r := range s.requests() {
		key := r.header.Get("Idempotency-Key")
		if r.method != http.MethodPost || r.path != "/v1/library/models" || r.body != `{"fileId":"f","column":"logS"}` || key == "" || key != s.requests()[0].header.Get("Idempotency-Key") {
			t.Errorf("sent %+v, want the same POST /v1/library/models with one key", r)
		}
	}
}

func TestPredict(t *testing.T) {
	s, c := serve(t, answer(202, map[string]any{"id": "p", "type": client.NodeFile, "subType": "Prediction", "workflow": map[string]any{"type": "Prediction"}}))
	n, err := c.Predict(t.Context(), "m", client.NewPrediction{Records: []map[string]any{{"smiles": "CCO"}}, Key: "k"})
	if err != nil || n.SubType != "Prediction" || n.Workflow.Type != "Prediction" {
		t.Fatalf("Predict = %+v, %v, want a Prediction", n, err)
	}
	if r := s.requests()[0]; r.path != "/v1/library/models/m/predictions" || r.body != `{"records":[{"smiles":"CCO"}]}` || r.header.Get("Idempotency-Key") != "k" {
		t.Errorf("sent %+v, want the records to the model m with the key k", r)
	}
}
