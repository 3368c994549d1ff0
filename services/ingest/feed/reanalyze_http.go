package feed

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
)

// reanalysisRoute registers the call that reanalyzes items.
func (a *Area) reanalysisRoute(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "reanalyze-feed-items", Method: http.MethodPost, Path: "/v1/feed/reanalyze", Tags: []string{"feed"},
		Summary: "Reanalyze items that an older model analyzed",
		Description: "A call reads about 1,000 items, in no particular order. Repeat it with nextCursor until a response has none. An item keeps its " +
			"result, and its place in lists and statistics, until the new one replaces it. Items of the current model are skipped, so " +
			"repeating calls is safe, even from the beginning after a failure.",
	}, a.postReanalysis)
}

type reanalysisInput struct {
	Body struct {
		Since  time.Time `json:"since,omitzero" required:"false" doc:"only items ingested at or after this time; default: all"`
		DryRun bool      `json:"dryRun,omitempty" doc:"only count the items"`
		Cursor string    `json:"cursor,omitempty" doc:"the nextCursor of the previous call"`
	}
}

type outdatedItems struct {
	ModelVersion string `json:"modelVersion" doc:"the model that analyzed the items"`
	Items        int    `json:"items"`
}

type reanalysisOutput struct {
	Body struct {
		ModelVersion string          `json:"modelVersion" doc:"the current model, which analyzes the outdated items"`
		Outdated     []outdatedItems `json:"outdated" doc:"items that an older model analyzed; they now wait for reanalysis, or are unchanged with dryRun"`
		Current      int             `json:"current" doc:"items that the current model analyzed"`
		Waiting      int             `json:"waiting" doc:"items that were already waiting for analysis"`
		Unreadable   int             `json:"unreadable" doc:"number of rows of the table that are not valid items"`
		NextCursor   string          `json:"nextCursor,omitempty" doc:"absent after the last page"`
	}
}

func (a *Area) postReanalysis(ctx context.Context, in *reanalysisInput) (*reanalysisOutput, error) {
	done, err := a.reanalyze(ctx, in.Body.Since, in.Body.Cursor, in.Body.DryRun)
	if errors.Is(err, table.ErrCursor) {
		return nil, web.Invalid(web.FieldError{Field: "body.cursor", Message: "is not a nextCursor of this call; start again without it"})
	}
	if err != nil {
		return nil, admission.Problem(err)
	}
	out := &reanalysisOutput{}
	out.Body.ModelVersion, out.Body.Outdated = feed.ModelVersion, done.versions()
	out.Body.Current, out.Body.Waiting, out.Body.Unreadable, out.Body.NextCursor = done.current, done.waiting, done.unreadable, done.next
	return out, nil
}
