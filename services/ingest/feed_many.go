package ingest

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/bus"
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
	outcomeRefused   = "refused"
)

type itemOutcome struct {
	SourceID string           `json:"sourceId"`
	Outcome  string           `json:"outcome" enum:"created,duplicate,invalid,refused" doc:"refused may come again after the answer's Retry-After"`
	Errors   []web.FieldError `json:"errors,omitempty" doc:"only when invalid"`
	Type     string           `json:"type,omitempty" doc:"only when refused: that of the problem which the item alone would be answered with" example:"urn:assay:problem:too-much-waiting"`
	refusal  error            // of bus.ErrFull and bus.ErrFlowFull
}

// candidate is an item on its way in, with what is wrong with it.
type candidate struct {
	feed.Submission
	wrong []web.FieldError
}

// acceptAll accepts those of many that nothing is wrong with and that there is room
// for. The outcomes are in the order of the candidates. When an engine fails, some
// may be accepted; all can come again.
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
			switch {
			case errors.Is(err, bus.ErrFull), errors.Is(err, bus.ErrFlowFull):
				results[i].Outcome, results[i].refusal = outcomeRefused, err
				return nil
			case created:
				results[i].Outcome = outcomeCreated
			}
			return err
		})
	}
	return results, group.Wait()
}

// refusal returns why some items, and whether all, were refused; nil for none.
func refusal(results []itemOutcome) (first error, all bool) {
	all = true
	for _, result := range results {
		if result.refusal == nil {
			all = false
		} else if first == nil {
			first = result.refusal
		}
	}
	return first, all
}
