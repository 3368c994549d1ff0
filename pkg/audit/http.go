package audit

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
)

type listInput struct {
	Since  time.Time `query:"since" doc:"only operations recorded at or after this time"`
	Limit  int       `query:"limit" default:"50" minimum:"1" maximum:"200"`
	Cursor string    `query:"cursor" maxLength:"8192" doc:"nextCursor of the previous page"`
}

type listOutput struct {
	Body struct {
		Entries    []Entry `json:"entries" nullable:"false" doc:"newest first"`
		NextCursor string  `json:"nextCursor,omitempty"`
	}
}

// Routes registers the call that reads the log, which is for operators only.
func (l *Log) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-audit", Method: http.MethodGet, Path: "/v1/audit", Tags: []string{"audit"},
		Summary: "List write operations of operators, newest first",
		Description: "Every operator request that may change something is recorded before it is processed, and its outcome before the response is sent. " +
			"So are writes that are rejected because the credential lacks the role or the scope: a burst of 100, and then one per minute. " +
			"The log keeps entries for 400 days, up to 64 MiB, which is more than 50,000 entries.",
	}, func(ctx context.Context, in *listInput) (*listOutput, error) {
		entries, next, err := l.List(ctx, in.Since, in.Limit, in.Cursor)
		if errors.Is(err, ErrCursor) {
			return nil, web.InvalidCursor()
		}
		out := &listOutput{}
		out.Body.Entries, out.Body.NextCursor = append([]Entry{}, entries...), next
		return out, err
	})
}
