package client

import (
	"context"
	"io"

	modelreport "github.com/assay-project/assay/pkg/extract/learn/report"
)

// NewModel describes a model to train.
type NewModel struct {
	FileID   string `json:"fileId"`             // a file with records
	Column   string `json:"column"`             // field or property to predict: numbers, or two different values
	Name     string `json:"name,omitempty"`     // empty means the names of the column and the file
	ParentID string `json:"parentId,omitempty"` // empty means the root
	Seed     uint64 `json:"seed,omitempty"`     // the same records and seed give the same model; at most 2⁵³-1
	Key      string `json:"-"`                  // see Reservation
}

// NewPrediction describes what a model predicts: the records of a file, or records.
type NewPrediction struct {
	FileID   string           `json:"fileId,omitempty"`
	Records  []map[string]any `json:"records,omitempty"`  // values by field, at most 1,000 records; a molecule is the field smiles
	Name     string           `json:"name,omitempty"`     // empty means the names of the model and the file
	ParentID string           `json:"parentId,omitempty"` // empty means the root
	Key      string           `json:"-"`                  // see Reservation
}

// DerivedNode is a new model or a new file with predictions.
type DerivedNode struct {
	Node
	Workflow struct {
		ID    string   `json:"id"`
		Type  string   `json:"type"`  // Training or Prediction
		Steps []string `json:"steps"` // in order
	} `json:"workflow"`
}

// LibraryModel is a trained model.
type LibraryModel struct {
	Node   Node               `json:"node"`
	Report modelreport.Report `json:"report"`
}

// TrainModel creates a model. The server trains it asynchronously; see WaitNode and Workflow.
func (c *Client) TrainModel(ctx context.Context, m NewModel) (DerivedNode, error) {
	var n DerivedNode
	err := c.do(ctx, reservation("library/models", m.Key, m), &n)
	return n, err
}

// Predict creates a file with records and the predictions of a model for them. The server predicts asynchronously.
func (c *Client) Predict(ctx context.Context, modelID string, p NewPrediction) (DerivedNode, error) {
	var n DerivedNode
	err := c.do(ctx, reservation("library/models/"+modelID+"/predictions", p.Key, p), &n)
	return n, err
}

// Model returns a trained model with its report. NodesByType lists models. The problem is not-trained until the training has
// ended, and if it failed.
func (c *Client) Model(ctx context.Context, id string, r Reading) (LibraryModel, error) {
	var m LibraryModel
	err := c.do(ctx, libraryRead(r, "models", id), &m)
	return m, err
}

// ModelPage returns the report of a trained model as an HTML document without scripts. The caller closes it.
func (c *Client) ModelPage(ctx context.Context, id string, r Reading) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(r, "models", id, "report"))
}
