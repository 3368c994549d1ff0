package status

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the calls, which are for operators only.
func (s *Service) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-status", Method: http.MethodGet, Path: "/v1/status", Tags: []string{"status"},
		Summary: "Show backlogs, outcomes and the state of the backends",
		Description: "Outcomes and backlogs cover all processes, and count items. After a restart, query reports only the last 8,192 outcomes " +
			"and the backlogs since the restart.",
	}, s.getStatus)
	web.Register(r, huma.Operation{
		OperationID: "list-sweeps", Method: http.MethodGet, Path: "/v1/sweeps", Tags: []string{"sweeps"},
		Summary: "List the results of the last sweeps, by area",
	}, s.listSweeps)
	s.itemRoutes(r)
}

// report is the response body of the status call.
type report struct {
	At           time.Time         `json:"at"`
	Since        time.Time         `json:"since" doc:"when this process began to sample backlogs"`
	Areas        []areaView        `json:"areas"`
	Dependencies []dependency      `json:"dependencies"`
	DeadLetters  map[string]uint64 `json:"deadLetters" example:"{\"analyzer-textfile\":2}" doc:"number of dead letters by consumer"`
	Sweeps       []sweepView       `json:"sweeps" doc:"the last sweep of each area"`
	Problems     []string          `json:"problems" doc:"parts of the report that could not be read: they are empty, or as last read"`
}

type areaView struct {
	Name    string    `json:"name" example:"textfile"`
	Waiting uint64    `json:"waiting" example:"12" doc:"number of items with work that is queued or in progress; an estimate if there are more than 20,000 work events"`
	Oldest  time.Time `json:"oldest,omitzero" doc:"when the oldest waiting work event was queued"`
	Minutes []Minute  `json:"minutes" doc:"the last 60 minutes, the current one last"`
}

type dependency struct {
	Name   string `json:"name" example:"nats"`
	OK     bool   `json:"ok" example:"true"`
	Detail string `json:"detail,omitempty" doc:"description of the problem"`
	Millis int64  `json:"millis" example:"3" doc:"duration of the check"`
}

func dependencies(r obs.Readiness) []dependency {
	all := make([]dependency, 0, len(r.Checks))
	for _, name := range slices.Sorted(maps.Keys(r.Checks)) {
		d := dependency{Name: name, OK: r.Checks[name] == "ok", Millis: r.Millis[name]}
		if !d.OK {
			d.Detail = r.Checks[name]
		}
		all = append(all, d)
	}
	return all
}

type sweepView struct {
	Area string `json:"area" example:"textfile"`
	sweep.Run
	Stops []sweep.Stop `json:"stops" doc:"orphans that sweeps do not delete until an operator allows it"`
}

type statusOutput struct{ Body report }

func (s *Service) getStatus(ctx context.Context, _ *struct{}) (*statusOutput, error) {
	r, err := s.report(ctx)
	return &statusOutput{r}, err
}

type sweepsOutput struct {
	Body struct {
		Areas []sweep.Area `json:"areas"`
	}
}

func (s *Service) listSweeps(ctx context.Context, _ *struct{}) (*sweepsOutput, error) {
	areas, err := s.reports.List(ctx)
	out := &sweepsOutput{}
	out.Body.Areas = areas
	return out, err
}
