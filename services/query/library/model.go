package library

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/learn/report"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
)

// ofModel lists the problems of calls that need a trained model.
var ofModel = web.Refusals{http.StatusConflict: {"not-a-file", "not-a-model", "not-trained"}}

func (a *Area) modelRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-library-model", Method: http.MethodGet, Path: "/v1/library/models/{id}", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get the report of a model", Description: "The report says first whether the model is better than the baseline. " +
			"GET /v1/library/nodes?type=Model lists the models of the caller. Returns 409 until the model is trained.",
	}, a.getModel, linked, ofModel)
	r.Handle(reportOperation(), a.limited(a.reportPage), linked, ofFile, tooManyDownloads)
}

func reportOperation() huma.Operation {
	return resultOperation("get-library-model-page", "/v1/library/models/{id}/report", "Get the report of a model as a page", "text/html", "An HTML document",
		"The report with plots, as HTML without scripts. Returns 404 until the model is trained, and for other files.")
}

// reportPage is the plain handler of reportOperation.
func (a *Area) reportPage(w http.ResponseWriter, r *http.Request) {
	a.document(w, r, "style-src 'unsafe-inline'; ", library.StepReport, library.ReportPageName, "The file is not a model that is trained")
}

type modelOutput struct {
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         modelView
}

// modelView is a trained model in the HTTP API.
type modelView struct {
	Node   library.NodeView `json:"node"`
	Report report.Report    `json:"report"`
}

var (
	errNotModel   = errors.New("the node is not a model")
	errNotTrained = errors.New("the model is not trained")
)

// notTrainedError is errNotTrained with the reason, for users.
type notTrainedError struct{ reason string }

func (e *notTrainedError) Error() string { return e.reason }

func (e *notTrainedError) Is(target error) bool { return target == errNotTrained }

func (a *Area) getModel(ctx context.Context, in *readInput) (*modelOutput, error) {
	file, path, c, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	switch {
	case err != nil:
		return nil, problem(err)
	case file.Type != library.ModelType:
		return nil, problem(errNotModel)
	case !file.Final():
		return nil, problem(&notTrainedError{"The training of the model has not ended."})
	}
	document, err := a.bucket.Part(ctx, library.ResultKey(file.ID, file.Run, library.ReportName), 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, problem(&notTrainedError{"The training of the model failed: " + file.ErrorMessage + "."})
	}
	if err != nil {
		return nil, problem(err)
	}
	n := path.Node()
	out := &modelOutput{ETag: n.ETag(), CacheControl: noStore, Body: modelView{Node: n.View(c)}}
	return out, json.Unmarshal(document, &out.Body.Report)
}
