package dynamolite

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/assay-project/assay/pkg/dynamolite/expr"
)

// maxSegments is the maximum number of segments of a parallel Scan.
const maxSegments = 1_000_000

type scanInput struct {
	Segment       *int
	TotalSegments *int
	readOptions
}

func (in *scanInput) parse() (filter expr.Condition, projection expr.Projection, err error) {
	given := []expression{{"ProjectionExpression", in.ProjectionExpression}, {"FilterExpression", in.FilterExpression}}
	if err := in.legacy.check(given...); err != nil {
		return filter, projection, err
	}
	scope, err := in.scope(given...)
	if err != nil {
		return filter, projection, err
	}
	if in.ProjectionExpression != nil {
		if projection, err = expr.ParseProjection(scope, *in.ProjectionExpression); err != nil {
			return filter, projection, err
		}
	}
	if filter, err = condition(scope, expr.FilterExpression, in.FilterExpression); err != nil {
		return filter, projection, err
	}
	return filter, projection, scope.Unused()
}

func (in *scanInput) checkSegments() error {
	var c constraints
	if n := in.Limit; n != nil && *n < 1 {
		c.add(fmt.Sprintf("'%d'", *n), "limit", "Member must have value greater than or equal to 1")
	}
	if n := in.Segment; n != nil && *n < 0 {
		c.add(fmt.Sprintf("'%d'", *n), "segment", "Member must have value greater than or equal to 0")
	}
	if n := in.TotalSegments; n != nil {
		switch {
		case *n < 1:
			c.add(fmt.Sprintf("'%d'", *n), "totalSegments", "Member must have value greater than or equal to 1")
		case *n > maxSegments:
			c.add(fmt.Sprintf("'%d'", *n), "totalSegments", fmt.Sprintf("Member must have value less than or equal to %d", maxSegments))
		}
	}
	if err := c.err(); err != nil {
		return err
	}
	switch {
	case in.Segment != nil && in.TotalSegments == nil:
		return invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case in.Segment == nil && in.TotalSegments != nil:
		return invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case in.Segment != nil && *in.Segment >= *in.TotalSegments:
		return invalid(fmt.Sprintf("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d", *in.Segment, *in.TotalSegments))
	}
	return nil
}

func (e *Engine) scan(in *scanInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if err := in.checkSegments(); err != nil {
		return nil, err
	}
	filter, projection, err := in.parse()
	if err != nil {
		return nil, err
	}
	r, err := e.reader(&in.readOptions, filter, projection)
	if err != nil {
		return nil, err
	}
	if in.Segment != nil {
		r.first, r.end = segment(*in.Segment, *in.TotalSegments)
		if r.start != nil && (bytes.Compare(r.start, r.first) < 0 || r.end != nil && bytes.Compare(r.start, r.end) >= 0) {
			return nil, invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: " + fmt.Sprintf("%d Segment: %d", *in.TotalSegments, *in.Segment))
		}
	}
	return e.readPage(r, &in.readOptions)
}

// segment returns the key range of segment n of total: an equal share of the
// partition hashes that keys begin with.
func segment(n, total int) (first, end []byte) {
	bound := func(n int) []byte {
		// Rounded up, so that adjacent segments share no hash.
		return binary.BigEndian.AppendUint32(nil, uint32((uint64(n)<<32+uint64(total)-1)/uint64(total)))
	}
	first = bound(n)
	if n+1 < total {
		end = bound(n + 1)
	}
	return first, end
}
