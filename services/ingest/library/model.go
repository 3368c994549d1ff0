package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/learn/dataset"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/admission"
)

// ofSource and ofModel list the problems of calls that use the records of a file, and a model.
var (
	ofSource = web.Refusals{http.StatusConflict: {"not-processed", "no-records"}}
	ofModel  = web.Refusals{http.StatusConflict: {"not-a-model", "not-trained"}}
)

func (a *Area) modelRoutes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "train-library-model", Method: http.MethodPost, Path: "/v1/library/models", Tags: []string{tag},
		Summary: "Train a model that predicts a column of the records of a file",
		Description: "The column has numbers, or two different values. The model learns from the other numeric columns and, if the records are molecules, from their structures. " +
			"It is a node: it is renamed, moved, shared and deleted like a file, and POST /v1/library/files/{id}/reprocess trains it again on the present records, as its next version. " +
			"Its workflow, GET /v1/library/files/{id}/workflow, has the steps optimize, train and report. See docs/models.md.",
		DefaultStatus: http.StatusAccepted,
	}, a.postModel, admission.Refusals, accept.Creates, changes, ofSource)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "predict-library-model", Method: http.MethodPost, Path: "/v1/library/models/{id}/predictions", Tags: []string{tag},
		Summary: "Predict the records of a file, or records in the request",
		Description: "Creates a file of type Prediction whose records are those of the file, or of the request, with the properties prediction, predictionLow, predictionHigh or probability, similarity and insideDomain. " +
			"They are listed, filtered and exported like the records of any file. Its metadata names the version of the model.",
		DefaultStatus: http.StatusAccepted,
	}, a.postPrediction, admission.Refusals, accept.Creates, changes, ofSource, ofModel)
}

type modelInput struct {
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the model of the first call as long as it exists; a call with other parameters gets 422"`
	Body           struct {
		FileID   string `json:"fileId" format:"uuid" doc:"a file with records that the caller may read"`
		Column   string `json:"column" minLength:"1" maxLength:"1024" doc:"name of the field or property to predict" example:"logS"`
		Name     string `json:"name,omitempty" maxLength:"1024" doc:"default: the names of the column and the file"`
		ParentID string `json:"parentId,omitempty" format:"uuid" doc:"id of a folder; default: the root"`
		Seed     uint64 `json:"seed,omitempty" maximum:"9007199254740991" doc:"determines the folds and the random choices of trees: the same records and seed give the same model"`
	}
}

type derivedOutput struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     struct {
		library.NodeView
		Workflow startedWorkflow `json:"workflow"`
	}
}

// startedWorkflow is the workflow of a new model or prediction.
type startedWorkflow struct {
	ID    string   `json:"id" format:"uuid" doc:"the id of the node; GET /v1/library/files/{id}/workflow returns the progress"`
	Type  string   `json:"type" enum:"Training,Prediction"`
	Steps []string `json:"steps" nullable:"false" doc:"names of the steps, in order"`
}

func (a *Area) postModel(ctx context.Context, in *modelInput) (*derivedOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	source, overview, err := a.source(ctx, in.Body.FileID, caller(web.CallerOf(ctx)))
	if err != nil {
		return nil, err
	}
	if _, err := dataset.NewPlan(overview.Columns, in.Body.Column); err != nil {
		return nil, web.Invalid(web.FieldError{Field: "body.column", Message: err.Error()})
	}
	name := in.Body.Name
	if name == "" {
		name = library.ModelNameOf(in.Body.Column, source.Name)
	}
	return a.derive(ctx, in.IdempotencyKey, library.NewNode{Owner: in.OwnerID, ParentID: in.Body.ParentID, Name: name}, library.ModelType,
		library.TrainingRequest{FileID: source.ID, Column: in.Body.Column, Seed: in.Body.Seed})
}

// source returns a file that the caller may read, and the overview of its records.
func (a *Area) source(ctx context.Context, id string, c library.Caller) (library.File, records.Overview, error) {
	none := records.Overview{}
	file, err := a.readable(ctx, id, c)
	switch {
	case err != nil:
		return file, none, err
	case !file.Final():
		return file, none, errNotProcessed
	case !library.PlanOf(file.Type).HasRecords():
		return file, none, errNoRecords
	}
	document, err := a.Bucket.Part(ctx, library.ResultKey(file.ID, file.Run, records.OverviewName), 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		return file, none, errNoRecords
	}
	if err != nil {
		return file, none, err
	}
	overview, err := records.ParseOverview(document)
	return file, overview, err
}

type predictionInput struct {
	web.IDParam
	web.OwnerParam
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"requires X-Owner-Id. A repeated call with the same key returns the file of the first call as long as it exists; a call with other parameters gets 422"`
	Body           struct {
		FileID   string           `json:"fileId,omitempty" format:"uuid" doc:"a file with records that the caller may read; or else records"`
		Records  []map[string]any `json:"records,omitempty" maxItems:"1000" doc:"objects with the values of fields, as text, numbers or booleans; a molecule is the field smiles" example:"[{\"smiles\":\"CCO\"}]"`
		Name     string           `json:"name,omitempty" maxLength:"1024" doc:"default: the names of the model and the file"`
		ParentID string           `json:"parentId,omitempty" format:"uuid" doc:"id of a folder; default: the root"`
	}
}

func (a *Area) postPrediction(ctx context.Context, in *predictionInput) (*derivedOutput, error) {
	if err := a.Admit(ctx, in.OwnerID, in.Named(), in.IdempotencyKey); err != nil {
		return nil, err
	}
	model, err := a.trained(ctx, in.ID, caller(web.CallerOf(ctx)))
	if err != nil {
		return nil, err
	}
	if (in.Body.FileID == "") == (len(in.Body.Records) == 0) {
		return nil, web.Invalid(web.FieldError{Field: "body", Message: "state either fileId or records"})
	}
	request, name := library.PredictionRequest{ModelID: model.ID}, library.PlainName("records by "+model.Name)
	if in.Body.FileID != "" {
		source, _, err := a.source(ctx, in.Body.FileID, caller(web.CallerOf(ctx)))
		if err != nil {
			return nil, err
		}
		request.FileID, name = source.ID, library.PlainName(source.Name+" by "+model.Name)
	}
	for _, r := range in.Body.Records {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		request.Records = append(request.Records, line)
	}
	if in.Body.Name != "" {
		name = in.Body.Name
	}
	return a.derive(ctx, in.IdempotencyKey, library.NewNode{Owner: in.OwnerID, ParentID: in.Body.ParentID, Name: name}, library.PredictionType, request)
}

// trained returns a model that the caller may read and whose training has ended well.
func (a *Area) trained(ctx context.Context, id string, c library.Caller) (library.File, error) {
	path, err := a.store.Readable(ctx, id, c)
	if err != nil {
		return library.File{}, err
	}
	if path.Node().Type != library.KindModel {
		return library.File{}, errNotModel
	}
	model, err := a.store.File(ctx, id)
	if err == nil && model.Status != library.Processed && model.Status != library.ProcessedPartially {
		err = errNotTrained
	}
	return model, err
}

// derive creates a model or a prediction, whose content is the request.
func (a *Area) derive(ctx context.Context, key string, n library.NewNode, kind extract.Type, request any) (*derivedOutput, error) {
	content, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(content)
	made, created, err := a.reserve(ctx, key, library.NewFile{
		NewNode: n, Type: kind, ContentType: library.RequestMedia, SHA256: hex.EncodeToString(digest[:]), Length: int64(len(content)),
	}, quota.Item{Bytes: int64(len(content))}, nil)
	if err != nil {
		return nil, err
	}
	if err := a.Put(ctx, made, created, key, library.RequestMedia, accept.Known(content)); err != nil {
		return nil, err
	}
	out := &derivedOutput{Location: location(made.node.ID), ETag: made.node.ETag()}
	out.Body.NodeView = made.node.View(library.Caller{Owner: n.Owner})
	out.Body.Workflow = startedWorkflow{ID: made.node.ID, Type: library.WorkflowTypeOf(kind), Steps: library.PlanOf(kind).Names()}
	return out, nil
}
