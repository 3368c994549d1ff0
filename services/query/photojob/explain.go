package photojob

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
)

type explainInput struct {
	web.CallerParam
	Body struct {
		Prompt  string           `json:"prompt" maxLength:"2000" doc:"as for a photo; empty means enhance"`
		Options photojob.Options `json:"options,omitempty" doc:"as for a photo"`
	}
}

type explainOutput struct {
	Body grammar.Plan
}

// explainRoute registers the call that shows the plan of a prompt.
func (a *Area) explainRoute(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "explain-photo-prompt", Method: http.MethodPost, Path: "/v1/photos/explain", Tags: []string{"photos"},
		Summary: "Explain what a prompt does",
		Description: "Returns the steps of the local provider for a prompt and options, without a photo: each with a description in plain words, " +
			"and the parts of the prompt that are not understood with the nearest prompt that is. If there is no step, the job would fail with PROMPT_NOT_UNDERSTOOD. " +
			"Other providers interpret prompts themselves.",
	}, a.explain)
}

func (a *Area) explain(_ context.Context, in *explainInput) (*explainOutput, error) {
	o := in.Body.Options
	var wrong []web.FieldError
	for _, v := range operation.Check(o.Operations) {
		wrong = append(wrong, web.FieldError{Field: "body.options.operations" + v.Field, Message: v.Message})
	}
	if len(wrong) > 0 {
		return nil, web.Invalid(wrong...)
	}
	plan, err := grammar.Explain(in.Body.Prompt, operation.Options{
		Format: o.Format, Quality: o.Quality, Width: o.Width, Height: o.Height, AspectRatio: o.AspectRatio, Operations: o.Operations,
	})
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "body.prompt", Message: err.Error()})
	}
	return &explainOutput{Body: plan}, nil
}
