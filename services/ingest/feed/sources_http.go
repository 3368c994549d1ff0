package feed

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/feed/source"
)

// OperatorRoutes registers the calls that manage sources and alerts, delete items and reanalyze them.
func (a *Area) OperatorRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-feed-sources", Method: http.MethodGet, Path: "/v1/feed/sources", Tags: []string{"feed sources"},
		Summary: "List the feed sources with their state",
	}, a.listSources)
	web.Register(r, huma.Operation{
		OperationID: "get-feed-source", Method: http.MethodGet, Path: "/v1/feed/sources/{name}", Tags: []string{"feed sources"},
		Summary: "Get a source",
	}, a.getSource)
	web.Register(r, huma.Operation{
		OperationID: "put-feed-source", Method: http.MethodPut, Path: "/v1/feed/sources/{name}", Tags: []string{"feed sources"},
		Summary: "Add a source or change its settings",
		Description: "The settings take effect immediately; a paused or stopped source resumes. To change a source, send its " +
			"ETag as If-Match, which prevents lost updates, or * to change any version. 201 means that the source was added.",
		Responses: map[string]*huma.Response{"201": created[sourceView](r)},
	}, a.putSource, web.Refusals{http.StatusConflict: {"too-many-sources"}, http.StatusPreconditionFailed: {"precondition-failed"}, http.StatusPreconditionRequired: {"precondition-required"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-feed-source", Method: http.MethodDelete, Path: "/v1/feed/sources/{name}", Tags: []string{"feed sources"},
		Summary: "Delete a source; its items remain", DefaultStatus: http.StatusNoContent,
	}, a.deleteSource, web.Refusals{http.StatusPreconditionFailed: {"precondition-failed"}, http.StatusPreconditionRequired: {"precondition-required"}})
	web.Register(r, huma.Operation{
		OperationID: "delete-feed-item", Method: http.MethodDelete, Path: "/v1/feed/items/{sourceId}", Tags: []string{"feed"},
		Summary: "Delete an item and its text", Description: "Also returns 204 if the item does not exist. The dashboard is updated within a second. A source that still contains the item adds it again.",
		DefaultStatus: http.StatusNoContent,
	}, a.deleteItem)
	a.reanalysisRoute(r)
	a.opmlRoutes(r)
	a.alertRoutes(r)
}

type itemDeleteInput struct {
	SourceID string `path:"sourceId" maxLength:"256" pattern:"^[a-z]+#[a-zA-Z0-9_-]+$"`
}

func (a *Area) deleteItem(ctx context.Context, in *itemDeleteInput) (*struct{}, error) {
	return nil, a.remove(ctx, in.SourceID)
}

// sourceView is a source as the API shows it.
type sourceView struct {
	Name string `json:"name"`
	source.Settings
	State sourceState `json:"state"`
}

type sourceState struct {
	Status    string          `json:"status" enum:"disabled,waiting,polling,paused,stopped" doc:"paused: after failures, or because the server requested a pause; stopped: until the settings change"`
	Reason    string          `json:"reason,omitempty" doc:"why the source is stopped"`
	NextPoll  time.Time       `json:"nextPoll,omitzero" doc:"the earliest time of the next poll"`
	Failures  int             `json:"failures" doc:"consecutive failed polls"`
	QuotaUsed int             `json:"quotaUsed" doc:"requests today (UTC)"`
	Location  string          `json:"location,omitempty" doc:"rss: the URL that is polled instead, because url redirects there permanently or is a web page that names it as its feed"`
	Last      *source.Outcome `json:"lastPoll,omitempty"`
}

func viewSource(s source.Source) sourceView {
	now := time.Now()
	v := sourceView{Name: s.Name, Settings: s.Settings, State: sourceState{
		Status: s.Status(now), Reason: s.State.Stopped, Failures: s.State.Failures, Location: s.State.Location, Last: s.State.Last,
	}}
	if v.State.Status != "disabled" && v.State.Status != "stopped" {
		v.State.NextPoll = s.State.NextPoll
		if s.State.HeldUntil.After(v.State.NextPoll) {
			v.State.NextPoll = s.State.HeldUntil
		}
	}
	if s.State.Used.Day == now.UTC().Format(time.DateOnly) {
		v.State.QuotaUsed = s.State.Used.Requests
	}
	return v
}

type sourceOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"ETag of the settings; state changes do not affect it"`
	Body   sourceView
}

func outputSource(status int, s source.Source) *sourceOutput {
	return &sourceOutput{status, platform.ETag(s.Revision), viewSource(s)}
}

type sourceListOutput struct {
	Body struct {
		Sources []sourceView `json:"sources"`
	}
}

func (a *Area) listSources(ctx context.Context, _ *struct{}) (*sourceListOutput, error) {
	all, err := a.sources.All(ctx)
	if err != nil {
		return nil, err
	}
	out := &sourceListOutput{}
	out.Body.Sources = []sourceView{}
	for _, one := range all {
		out.Body.Sources = append(out.Body.Sources, viewSource(one))
	}
	return out, nil
}

type sourceInput struct {
	Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$"`
}

func (a *Area) getSource(ctx context.Context, in *sourceInput) (*sourceOutput, error) {
	found, err := a.sources.Get(ctx, in.Name)
	if err != nil {
		return nil, sourceProblem(err)
	}
	return outputSource(http.StatusOK, found), nil
}

// readMatch parses the precondition headers.
func readMatch(ifMatch, ifNoneMatch string) (platform.Match, error) {
	match := platform.MatchOf(ifMatch, 1)
	match.None = ifNoneMatch == "*"
	if ifNoneMatch != "" && !match.None {
		return match, web.Invalid(web.FieldError{Field: "header.If-None-Match", Message: "is not *"})
	}
	return match, nil
}

type sourcePutInput struct {
	Name        string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$"`
	IfMatch     string `header:"If-Match" doc:"the current ETag of the source, or *"`
	IfNoneMatch string `header:"If-None-Match" doc:"* to reject the request if the source exists"`
	Body        source.Settings
}

func (a *Area) putSource(ctx context.Context, in *sourcePutInput) (*sourceOutput, error) {
	match, err := readMatch(in.IfMatch, in.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	settings, wrong := a.poller.Check(in.Body)
	if len(wrong) > 0 {
		return nil, web.Invalid(wrong...)
	}
	put, isNew, err := a.sources.Put(ctx, in.Name, settings, match)
	if err != nil {
		return nil, sourceProblem(err)
	}
	a.poller.Changed()
	status := http.StatusOK
	if isNew {
		status = http.StatusCreated
	}
	return outputSource(status, put), nil
}

type sourceDeleteInput struct {
	Name    string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$"`
	IfMatch string `header:"If-Match" doc:"the current ETag of the source, or *"`
}

func (a *Area) deleteSource(ctx context.Context, in *sourceDeleteInput) (*struct{}, error) {
	match, err := readMatch(in.IfMatch, "")
	if err != nil {
		return nil, err
	}
	return nil, sourceProblem(a.sources.Delete(ctx, in.Name, match))
}

func sourceProblem(err error) error {
	switch {
	case errors.Is(err, source.ErrNotFound):
		return web.NotFound("There is no feed source with this name.")
	case errors.Is(err, source.ErrTooMany):
		return web.NewProblem(http.StatusConflict, "too-many-sources", "There are "+strconv.Itoa(source.MaxSources)+" sources, the maximum. Delete one first.")
	case errors.Is(err, platform.ErrUnconditional):
		return web.NewProblem(http.StatusPreconditionRequired, "precondition-required", "The source exists. Read it, and send its ETag as If-Match.")
	case errors.Is(err, platform.ErrOtherRevision):
		return web.NewProblem(http.StatusPreconditionFailed, "precondition-failed", "The source has changed since it was read. Read it and try again.")
	}
	return err
}
