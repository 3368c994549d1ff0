package photojob

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

// OperatorRoutes registers the operation that only the analyzer can perform, because it has the keys.
func (a *Area) OperatorRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "check-photo-provider", Method: http.MethodPost, Path: "/v1/photo-providers/{name}/check", Tags: []string{"photo providers"},
		Summary:     "Check whether a paid provider accepts the key of this analyzer",
		Description: "Makes one free call, even if the provider is disabled. It changes nothing: a suspended provider stays suspended until its settings or its key change.",
	}, a.checkProvider)
}

type checkInput struct {
	Name string `path:"name" maxLength:"40"`
}

type checkOutput struct {
	Body struct {
		Name       string `json:"name"`
		OK         bool   `json:"ok" doc:"whether the provider can be reached and accepts the key"`
		Model      string `json:"model" doc:"the model for edits"`
		Code       string `json:"code,omitempty" doc:"the error code, as in the errors of jobs" example:"PROVIDER_ACCESS_DENIED"`
		Detail     string `json:"detail,omitempty"`
		HTTPStatus int    `json:"httpStatus,omitempty" doc:"the status of the provider's response, if the check failed"`
		Millis     int64  `json:"millis" doc:"the duration of the call in milliseconds"`
	}
}

// checkTime bounds a check.
const checkTime = 20 * time.Second

func (a *Area) checkProvider(ctx context.Context, in *checkInput) (*checkOutput, error) {
	if !slices.Contains(policy.Paid(), in.Name) {
		return nil, web.NotFound("There is no paid provider with this name.")
	}
	o, err := a.catalog.open(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	out := &checkOutput{}
	out.Body.Name, out.Body.Model = o.name, o.policy.Settings.EditModel
	if o.key == "" {
		out.Body.Code, out.Body.Detail = provider.AccessDenied, "the analyzer has no key: set "+o.policy.Settings.KeyVariable
		return out, nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	began := time.Now()
	err = o.Check(ctx)
	out.Body.Millis = time.Since(began).Milliseconds()
	if out.Body.OK = err == nil; out.Body.OK {
		return out, nil
	}
	failed, ok := errors.AsType[*provider.Error](err)
	if !ok {
		return nil, err
	}
	out.Body.Code, out.Body.Detail, out.Body.HTTPStatus = failed.Code, failed.Err.Error(), failed.HTTP
	return out, nil
}
