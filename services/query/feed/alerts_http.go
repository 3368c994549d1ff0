package feed

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

// OperatorRoutes registers the reads of alerts, so that operators read and change alerts at one address.
func (a *Area) OperatorRoutes(r *web.Router) { a.alertRoutes(r) }

func (a *Area) alertRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-feed-alerts", Method: http.MethodGet, Path: "/v1/feed/alerts", Tags: []string{"feed alerts"},
		Summary: "List the alerts of the feed with their state", Description: "By name.",
	}, a.listAlerts)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-alert", Method: http.MethodGet, Path: "/v1/feed/alerts/{name}", Tags: []string{"feed alerts"},
		Summary: "Get an alert of the feed",
	}, a.getAlert)
}

// alertView is an alert as the API shows it.
type alertView struct {
	Name string `json:"name"`
	alert.Settings
	State alertState `json:"state"`
}

type alertState struct {
	Status      string    `json:"status" enum:"ok,firing,disabled,new" doc:"new: not evaluated yet"`
	Since       time.Time `json:"since,omitzero" doc:"when the status began, to the minute"`
	Value       float64   `json:"value" doc:"a number of items for match and volume, a share for negative, a number of minutes without items for silent"`
	Limit       float64   `json:"limit" doc:"the value from which the alert fires"`
	Count       int       `json:"count" doc:"the number of items in the window"`
	Usual       *float64  `json:"usual,omitempty" doc:"volume: the number of items that are usual in the window; silent: in the time without items"`
	Waiting     string    `json:"waiting,omitempty" doc:"why the alert cannot fire now, whatever the value is"`
	EvaluatedAt time.Time `json:"evaluatedAt,omitzero" doc:"the end of the last window that was evaluated"`
	alert.Cause
}

func viewAlert(a alert.Alert, s alert.State) alertView {
	v := alertView{Name: a.Name, Settings: a.Settings, State: alertState{
		Status: s.Status, Since: s.Since, Value: s.Value, Limit: s.Limit, Count: s.Count, Usual: s.Usual, Waiting: s.Waiting, EvaluatedAt: s.At, Cause: s.Cause,
	}}
	switch {
	case !a.Settings.Enabled:
		v.State = alertState{Status: "disabled"}
	case s.Revision == 0:
		v.State.Status = "new"
	}
	return v
}

type alertListOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Alerts []alertView `json:"alerts"`
	}
}

func (a *Area) listAlerts(ctx context.Context, _ *struct{}) (*alertListOutput, error) {
	store := a.alerts.Store()
	all, err := store.All(ctx)
	if err != nil {
		return nil, err
	}
	states, err := store.States(ctx)
	if err != nil {
		return nil, err
	}
	out := &alertListOutput{CacheControl: "no-store"}
	out.Body.Alerts = []alertView{}
	for _, one := range all {
		out.Body.Alerts = append(out.Body.Alerts, viewAlert(one, states[one.Name].State))
	}
	return out, nil
}

type alertInput struct {
	Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$"`
}

type alertOutput struct {
	CacheControl string `header:"Cache-Control"`
	ETag         string `header:"ETag" doc:"ETag of the settings; state changes do not affect it"`
	Body         alertView
}

func (a *Area) getAlert(ctx context.Context, in *alertInput) (*alertOutput, error) {
	store := a.alerts.Store()
	found, err := store.Get(ctx, in.Name)
	if errors.Is(err, alert.ErrNotFound) {
		return nil, web.NotFound("There is no alert with this name.")
	}
	if err != nil {
		return nil, err
	}
	state, err := store.State(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return &alertOutput{"no-store", platform.ETag(found.Revision), viewAlert(found, state.State)}, nil
}
