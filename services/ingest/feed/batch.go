package feed

import (
	"context"
	"errors"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
)

// acceptParallel is the number of items of one batch that are accepted
// concurrently.
const acceptParallel = 16

// acceptBytes limits the total size of items that the process accepts concurrently. Accepting an
// item uses about 20 times its size in memory.
const acceptBytes = 4 << 20

// Outcomes of an item of a batch.
const (
	outcomeCreated   = "created"
	outcomeDuplicate = "duplicate"
	outcomeInvalid   = "invalid"
	outcomeRefused   = "refused"
)

type itemOutcome struct {
	SourceID string           `json:"sourceId"`
	Outcome  string           `json:"outcome" enum:"created,duplicate,invalid,refused" doc:"retry refused items after the response's Retry-After"`
	Errors   []web.FieldError `json:"errors,omitempty" doc:"only when invalid"`
	Type     string           `json:"type,omitempty" doc:"only when refused: the type of the problem that the item alone would get" example:"urn:assay:problem:too-much-waiting"`
	Remarks
	refusal error // error of admission, bus.ErrFull or an exceeded quota; nil unless refused
}

// candidate is a parsed item and its errors.
type candidate struct {
	feed.Submission
	wrong []web.FieldError
	size  int       // size in bytes
	hold  *web.Hold // memory reserved for the item; nil if the item was not read from a request body
}

// acceptBounded is like accept for an item of size bytes, but first waits until acceptBytes allows the item.
func (a *Area) acceptBounded(ctx context.Context, s feed.Submission, size int) (feed.Item, bool, error) {
	n := min(int64(size), acceptBytes)
	if err := a.accepting.Acquire(ctx, n); err != nil {
		return feed.Item{}, false, err
	}
	defer a.accepting.Release(n)
	return a.accept(ctx, s, size)
}

// acceptAll accepts the valid items of a sender within the limits of admission and its quotas, and reads the next items
// concurrently. The outcomes are in the order of the candidates. If acceptAll returns an error, of a
// backend or of the sequence, some items may have been accepted; the whole batch can be sent again.
func (a *Area) acceptAll(ctx context.Context, sender string, several iter.Seq2[candidate, error]) ([]itemOutcome, error) {
	var results []*itemOutcome
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(acceptParallel)
	var unreadable error
	for one, err := range several {
		if err != nil {
			unreadable = err
			break
		}
		one.Sender = sender
		result := &itemOutcome{SourceID: one.SourceID, Outcome: outcomeInvalid, Errors: one.wrong}
		results = append(results, result)
		group.Go(func() error {
			defer one.hold.Release()
			if len(one.wrong) > 0 {
				return nil
			}
			item, created, err := a.acceptBounded(running, one.Submission, one.size)
			result.Outcome = outcomeDuplicate
			switch {
			case admission.Refused(err), isExceeded(err):
				result.Outcome, result.refusal = outcomeRefused, err
				return nil
			case err != nil:
				return err
			case created:
				result.Outcome = outcomeCreated
			}
			result.Remarks = remarks(item, one.Submission, time.Now())
			return nil
		})
		if running.Err() != nil {
			break // an item failed, which fails the call
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if unreadable != nil {
		return nil, unreadable
	}
	inOrder := make([]itemOutcome, len(results))
	for i, result := range results {
		inOrder[i] = *result
	}
	return inOrder, ctx.Err()
}

// isExceeded reports whether err is the problem of an exceeded quota.
func isExceeded(err error) bool {
	_, exceeded := errors.AsType[*quota.ExceededError](err)
	return exceeded
}

// refusal returns the error of the first rejected item, or nil if none was rejected, and whether all were rejected.
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
