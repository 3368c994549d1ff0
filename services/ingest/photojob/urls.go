package photojob

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/photojob/rendition"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

// urlRoute registers the call that signs the URL of a rendition. It writes nothing but the key of the signatures.
func (a *Area) urlRoute(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "create-photo-url", Method: http.MethodPost, Path: "/v1/photos/{id}/urls", Tags: []string{"photos"}, DefaultStatus: http.StatusCreated,
		Summary: "Create a URL under which everyone can load the photo in a size, shape and format",
		Description: "The URL needs no credential, and cannot be revoked except by deleting the job. It can be created before the job is COMPLETED. " +
			"The picture is drawn when it is first requested, and cached.",
	}, a.postURL)
}

type urlInput struct {
	JobParam
	Body struct {
		rendition.Rendition
		ExpiresIn string `json:"expiresIn" example:"24h" doc:"lifetime of the URL, at most 2160h, after which the job is removed"`
	}
}

type urlOutput struct{ Body urlResponse }

type urlResponse struct {
	URL       string    `json:"url" doc:"path and query, relative to the address of the API" example:"/v1/photos/01JD0000000000000000000000/w800.webp?expires=1764322000&signature=AAAB"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (a *Area) postURL(ctx context.Context, in *urlInput) (*urlOutput, error) {
	job, err := a.Owned(ctx, in.ID, in.Caller)
	if err != nil {
		return nil, err
	}
	var wrong []web.FieldError
	for _, v := range in.Body.Check() {
		wrong = append(wrong, web.FieldError{Field: "body." + v.Field, Message: v.Message})
	}
	valid, err := time.ParseDuration(in.Body.ExpiresIn)
	if err != nil || valid < time.Second || valid > rendition.MaxAge {
		wrong = append(wrong, web.FieldError{Field: "body.expiresIn", Message: "must be a duration from 1s to 2160h, such as 24h"})
	}
	if len(wrong) > 0 {
		return nil, web.Invalid(wrong...)
	}
	expires := time.Now().Add(valid).Truncate(time.Second).UTC()
	url, err := a.urls.Sign(ctx, job, in.Body.Rendition, expires)
	return &urlOutput{urlResponse{url, expires}}, err
}
