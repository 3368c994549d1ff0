package quota

import (
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
)

// ExceededError means that new items would exceed a quota of their owner.
type ExceededError struct {
	Quota       Name
	Limit, Used int64
	Wanted      int64
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("quota %s: %d of %d in use, %d more requested", e.Quota, e.Used, e.Limit, e.Wanted)
}

// exceeded returns the error for the quota that items would exceed, according to the row with the usage.
func exceeded(limits Limits, items []Item, row table.Key) error {
	var used, sum Use
	if err := attributevalue.UnmarshalMap(row, &used); err != nil {
		return wrap("read the usage of an owner", err)
	}
	for _, item := range items {
		h := holdingOf(item)
		sum.Bytes, sum.Items, sum.Uploads = sum.Bytes+h.Bytes, sum.Items+1, sum.Uploads+h.Uploads
	}
	sum.Bytes = bytesWanted(items, sum)
	for _, q := range []struct {
		name                Name
		limit, used, wanted int64
	}{{Bytes, limits.Bytes, used.Bytes, sum.Bytes}, {Items, limits.Items, used.Items, sum.Items}, {Uploads, limits.Uploads, used.Uploads, sum.Uploads}} {
		if q.limit > 0 && q.wanted > 0 && q.used+q.wanted > q.limit {
			return &ExceededError{Quota: q.name, Limit: q.limit, Used: q.used, Wanted: q.wanted}
		}
	}
	return fmt.Errorf("quota: usage %+v rejects %+v", used, sum) // unreachable: one of the limits made the condition fail
}

// Refusals lists the problems that Problem returns.
var Refusals = web.Refusals{
	http.StatusTooManyRequests:       {"quota-exceeded"},
	http.StatusRequestEntityTooLarge: {"larger-than-quota"},
}

// uploadsRetry is the Retry-After while too many uploads in parts are open.
const uploadsRetry = time.Minute

// Problem returns the problem for an exceeded quota: 413 for items that exceed it even if nothing is used, otherwise 429 with
// the fields RateLimit and RateLimit-Policy.
func (e *ExceededError) Problem() error {
	used := fmt.Sprintf("of %d are used", e.Limit)
	switch e.Quota {
	case Bytes:
		if e.Wanted > e.Limit {
			return web.NewProblem(http.StatusRequestEntityTooLarge, "larger-than-quota",
				fmt.Sprintf("%d bytes were requested, but the quota of this owner is %d bytes.", e.Wanted, e.Limit)).Because(e)
		}
		return e.refusal("content-bytes", fmt.Sprintf("This upload would exceed the owner's quota of stored bytes: %d %s, and it needs %d more. Delete items, or ask the operator for a larger quota.", e.Used, used, e.Wanted))
	case Items:
		return e.refusal("", fmt.Sprintf("This request would exceed the owner's quota of items: %d %s, and it needs %d more. Delete items, or ask the operator for a larger quota.", e.Used, used, e.Wanted))
	default:
		return e.refusal("", fmt.Sprintf("The owner has reached its quota of open uploads in parts: %d %s. Complete or delete one, or upload the file in one request.", e.Used, used)).
			WithHeader("Retry-After", fmt.Sprint(int(uploadsRetry/time.Second)))
	}
}

func (e *ExceededError) refusal(unit, detail string) *web.Problem {
	return web.NewProblem(http.StatusTooManyRequests, "quota-exceeded", detail).Because(e).
		WithRateLimit(web.RateLimit{Policy: string(e.Quota), Quota: e.Limit, Remaining: max(0, e.Limit-e.Used), Unit: unit})
}
