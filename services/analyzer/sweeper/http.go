package sweeper

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/web"
)

// request is a run requested by an operator.
type request struct {
	options  Options
	findings []runFinding
	report   Report
	err      error
	done     chan struct{}
}

func (r *request) run(ctx context.Context, s *Sweeper) {
	defer close(r.done)
	r.options.Tell = func(f Finding) {
		if len(r.findings) < sweep.MaxFindings {
			r.findings = append(r.findings, runFinding(f))
		}
	}
	r.report, r.err = s.Once(ctx, r.options)
}

// Routes registers the operator call that runs a sweep.
func (s *Sweeper) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "run-sweep", Method: http.MethodPost, Path: "/v1/sweeps", Tags: []string{"sweeps"},
		Summary: "Find and repair stuck items now",
		Description: "Sweeps all data of every area at ASSAY_SWEEP_RATE items per second. If more than 1 % of the things of a kind, and more than 10 or half of them, are orphans, none of them is deleted unless allowOrphans is true. The response contains the report if that takes no longer " +
			"than 10 s. Otherwise done is false, and the run continues; its report follows in the list of sweeps.",
	}, s.postSweep, web.Refusals{http.StatusConflict: {"sweep-waiting"}})
}

type sweepInput struct {
	Body struct {
		DryRun        bool      `json:"dryRun,omitempty" example:"true" doc:"report problems without repairing them"`
		AllowOrphans  bool      `json:"allowOrphans,omitempty" doc:"delete orphans, such as objects without an item, even if there are suspiciously many"`
		OutcomesSince time.Time `json:"outcomesSince,omitzero" required:"false" doc:"for use after a loss of all JetStream data: also publishes outcomes since this time again, and restores lost dead letters"`
	}
}

type sweepOutput struct{ Body runReport }

// runReport is the report of a run in the API.
type runReport struct {
	Done     bool         `json:"done" example:"true" doc:"whether the run has ended; until then the counts are 0"`
	DryRun   bool         `json:"dryRun" example:"true"`
	Read     int          `json:"read" example:"1200" doc:"the number of items and objects that were read"`
	Found    int          `json:"found" example:"1"`
	Repaired int          `json:"repaired"`
	Failed   int          `json:"failed" doc:"the number of findings that could not be repaired"`
	Millis   int64        `json:"millis" example:"2400" doc:"the duration of the run in milliseconds"`
	Findings []runFinding `json:"findings" doc:"the first 100 findings"`
	Error    string       `json:"error,omitempty" doc:"which data could not be read"`
}

type runFinding struct {
	Area     string `json:"area" example:"textfile"`
	Found    string `json:"found" example:"lost_message" doc:"a code, see assay sweep --help"`
	ID       string `json:"id" example:"0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"the id of the item, or the key of an object"`
	Repaired bool   `json:"repaired"`
	Error    string `json:"error,omitempty" doc:"why it was not repaired"`
}

// requestTime is the maximum time that a request waits for its run.
const requestTime = 10 * time.Second

func (s *Sweeper) postSweep(ctx context.Context, in *sweepInput) (*sweepOutput, error) {
	r := &request{options: Options{DryRun: in.Body.DryRun, AllowOrphans: in.Body.AllowOrphans, OutcomesSince: in.Body.OutcomesSince}, findings: []runFinding{}, done: make(chan struct{})}
	select {
	case s.requests <- r:
	default:
		return nil, web.NewProblem(http.StatusConflict, "sweep-waiting", "Another sweep is already waiting for the one in progress. Its report will be in the list of sweeps.")
	}
	out := &sweepOutput{}
	out.Body.DryRun, out.Body.Findings = in.Body.DryRun, []runFinding{}
	select {
	case <-r.done:
	case <-time.After(requestTime):
		return out, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out.Body = runReport{
		Done: true, DryRun: r.report.DryRun, Read: r.report.Read, Found: r.report.Found, Repaired: r.report.Repaired, Failed: r.report.Failed,
		Millis: r.report.Took.Milliseconds(), Findings: r.findings,
	}
	if r.err != nil {
		out.Body.Error = r.err.Error()
	}
	return out, nil
}
