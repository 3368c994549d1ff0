package ingest

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
)

// acceptParallel is how many items of one batch are accepted at once.
const acceptParallel = 16

// Outcomes of an item of a batch.
const (
	outcomeCreated   = "created"
	outcomeDuplicate = "duplicate"
	outcomeInvalid   = "invalid"
)

type itemOutcome struct {
	SourceID string           `json:"sourceId"`
	Outcome  string           `json:"outcome" enum:"created,duplicate,invalid"`
	Errors   []web.FieldError `json:"errors,omitempty" doc:"only when invalid"`
}

// candidate is an item on its way in, with what is wrong with it.
type candidate struct {
	feed.Submission
	wrong []web.FieldError
}

// acceptAll accepts those of many that nothing is wrong with. The outcomes are in
// the order of the candidates. When an engine fails, some may be accepted; all can
// come again. It returns bus.ErrFull.
func (f *feedItems) acceptAll(ctx context.Context, several []candidate) ([]itemOutcome, error) {
	results := make([]itemOutcome, len(several))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(acceptParallel)
	for i, one := range several {
		group.Go(func() error {
			results[i] = itemOutcome{SourceID: one.SourceID, Outcome: outcomeInvalid, Errors: one.wrong}
			if len(one.wrong) > 0 {
				return nil
			}
			_, created, err := f.accept(ctx, one.Submission)
			results[i].Outcome = outcomeDuplicate
			if created {
				results[i].Outcome = outcomeCreated
			}
			return err
		})
	}
	return results, group.Wait()
}
