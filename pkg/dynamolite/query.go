package dynamolite

import (
	"bytes"

	"github.com/assay-project/assay/pkg/dynamolite/expr"
)

type queryInput struct {
	KeyConditionExpression *string
	ScanIndexForward       *bool
	readOptions
}

// queryExpressions are a Query's parsed expressions.
type queryExpressions struct {
	key        expr.KeyCondition
	filter     expr.Condition
	projection expr.Projection
}

func (in *queryInput) parse() (x queryExpressions, err error) {
	given := []expression{
		{"ProjectionExpression", in.ProjectionExpression}, {"FilterExpression", in.FilterExpression}, {"KeyConditionExpression", in.KeyConditionExpression},
	}
	if err := in.legacy.check(given...); err != nil {
		return x, err
	}
	if in.KeyConditionExpression == nil {
		return x, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	scope, err := in.scope(given...)
	if err != nil {
		return x, err
	}
	if in.ProjectionExpression != nil {
		if x.projection, err = expr.ParseProjection(scope, *in.ProjectionExpression); err != nil {
			return x, err
		}
	}
	if x.filter, err = condition(scope, expr.FilterExpression, in.FilterExpression); err != nil {
		return x, err
	}
	if x.key, err = expr.ParseKeyCondition(scope, *in.KeyConditionExpression); err != nil {
		return x, err
	}
	return x, scope.Unused()
}

func (e *Engine) query(in *queryInput) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.Limit != nil && *in.Limit < 1 {
		return nil, invalid("1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1")
	}
	x, err := in.parse()
	if err != nil {
		return nil, err
	}
	r, err := e.reader(&in.readOptions, x.filter, x.projection)
	if err != nil {
		return nil, err
	}
	r.backward = in.ScanIndexForward != nil && !*in.ScanIndexForward
	key := r.table.Key
	if r.index != nil {
		key = r.index.Key
	}
	hash := expr.KeyAttribute{Name: key.Hash.Name, Kind: key.Hash.Kind}
	var sort expr.KeyAttribute
	if key.Range != nil {
		sort = expr.KeyAttribute{Name: key.Range.Name, Kind: key.Range.Kind}
	}
	partition, sortCondition, err := x.key.Resolve(hash, sort)
	if err != nil {
		return nil, err
	}
	for _, path := range x.filter.Paths() {
		if key.has(path.Head()) {
			return nil, invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: " + path.Head())
		}
	}
	r.first, r.end = sortCondition.Range(appendPartition(nil, partition))
	if r.start != nil && (bytes.Compare(r.start, r.first) < 0 || bytes.Compare(r.start, r.end) >= 0) {
		return nil, invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	return e.readPage(r, &in.readOptions)
}
