package feed

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

// alertRoutes registers the calls that change alerts. query evaluates them and serves the reads.
func (a *Area) alertRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "put-feed-alert", Method: http.MethodPut, Path: "/v1/feed/alerts/{name}", Tags: []string{"feed alerts"},
		Summary: "Add an alert of the feed or change its settings",
		Description: "The alert is evaluated within a minute. A firing alert continues to fire with its new settings, until it resolves; disabling it resolves it. " +
			"To change an alert, send its ETag as If-Match, which prevents lost updates, or * to change any version. 201 means that the alert was added.",
		Responses: map[string]*huma.Response{"201": created[alertSettings](r)},
	}, a.putAlert, web.Refusals{http.StatusConflict: {"too-many-alerts"}, http.StatusPreconditionFailed: {"precondition-failed"}, http.StatusPreconditionRequired: {"precondition-required"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-feed-alert", Method: http.MethodDelete, Path: "/v1/feed/alerts/{name}", Tags: []string{"feed alerts"},
		Summary: "Delete an alert of the feed", Description: "A firing alert resolves.", DefaultStatus: http.StatusNoContent,
	}, a.deleteAlert, web.Refusals{http.StatusPreconditionFailed: {"precondition-failed"}, http.StatusPreconditionRequired: {"precondition-required"}})
}

// created describes the 201 response to a PUT.
func created[T any](r *web.Router) *huma.Response {
	view := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
	return &huma.Response{
		Description: "Created", Content: map[string]*huma.MediaType{"application/json": {Schema: view}},
		Headers: map[string]*huma.Param{"ETag": {Schema: &huma.Schema{Type: "string"}}},
	}
}

// alertSettings contains the name and the settings of an alert. Its state is served by query.
type alertSettings struct {
	Name string `json:"name"`
	alert.Settings
}

// newAlertSettings names the schema of the body.
type newAlertSettings struct{ alert.Settings }

type alertPutInput struct {
	Name        string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$"`
	IfMatch     string `header:"If-Match" doc:"the current ETag of the alert, or *"`
	IfNoneMatch string `header:"If-None-Match" doc:"* to reject the request if the alert exists"`
	Body        newAlertSettings
}

type alertPutOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   alertSettings
}

func (a *Area) putAlert(ctx context.Context, in *alertPutInput) (*alertPutOutput, error) {
	match, err := readMatch(in.IfMatch, in.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	settings := in.Body.Settings.WithDefaults()
	var wrong []web.FieldError
	for _, v := range settings.Check() {
		wrong = append(wrong, web.FieldError{Field: "body." + v.Field, Message: v.Message})
	}
	if len(wrong) > 0 {
		return nil, web.Invalid(wrong...)
	}
	put, isNew, err := a.alerts.Put(ctx, in.Name, settings, match)
	if err != nil {
		return nil, alertProblem(err)
	}
	status := http.StatusOK
	if isNew {
		status = http.StatusCreated
	}
	return &alertPutOutput{status, platform.ETag(put.Revision), alertSettings{put.Name, put.Settings}}, nil
}

type alertDeleteInput struct {
	Name    string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$"`
	IfMatch string `header:"If-Match" doc:"the current ETag of the alert, or *"`
}

func (a *Area) deleteAlert(ctx context.Context, in *alertDeleteInput) (*struct{}, error) {
	match, err := readMatch(in.IfMatch, "")
	if err != nil {
		return nil, err
	}
	return nil, alertProblem(a.alerts.Delete(ctx, in.Name, match))
}

func alertProblem(err error) error {
	switch {
	case errors.Is(err, alert.ErrTooMany):
		return web.NewProblem(http.StatusConflict, "too-many-alerts", "There are "+strconv.Itoa(alert.MaxAlerts)+" alerts, the maximum. Delete one first.")
	case errors.Is(err, platform.ErrUnconditional):
		return web.NewProblem(http.StatusPreconditionRequired, "precondition-required", "The alert exists. Read it, and send its ETag as If-Match.")
	case errors.Is(err, platform.ErrOtherRevision):
		return web.NewProblem(http.StatusPreconditionFailed, "precondition-failed", "The alert has changed since it was read. Read it and try again.")
	}
	return err
}
