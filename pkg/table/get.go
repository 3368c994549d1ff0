package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// GetLimit is the maximum number of items that DynamoDB reads in one request.
const GetLimit = 100

// Get selects what GetAll reads.
type Get struct {
	Table      string
	Keys       []Key // distinct
	Consistent bool
	Attributes []string // attributes to return; empty for all
}

// GetAll reads the items with these keys and calls see with each, in any order, until it returns an
// error. Missing items are skipped.
func GetAll(ctx context.Context, db Reader, g Get, see func(map[string]types.AttributeValue) error) error {
	query := types.KeysAndAttributes{ConsistentRead: &g.Consistent}
	if len(g.Attributes) > 0 {
		expr, err := expression.NewBuilder().WithProjection(Projection(g.Attributes)).Build()
		if err != nil {
			return fmt.Errorf("read %s: %w", g.Table, err)
		}
		query.ProjectionExpression, query.ExpressionAttributeNames = expr.Projection(), expr.Names()
	}
	for chunk := range slices.Chunk(g.Keys, GetLimit) {
		for len(chunk) > 0 {
			query.Keys = chunk
			out, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{g.Table: query}})
			if err != nil {
				return fmt.Errorf("read %s: %w", g.Table, err)
			}
			for _, item := range out.Responses[g.Table] {
				if err := see(item); err != nil {
					return err
				}
			}
			// UnprocessedKeys contains the keys that did not fit in one response. If no key could be
			// read, the SDK retries with backoff and then returns an error.
			chunk = out.UnprocessedKeys[g.Table].Keys
		}
	}
	return nil
}

// Projection returns the projection on these attributes, of which there must be at least one.
func Projection(attributes []string) expression.ProjectionBuilder {
	var names expression.ProjectionBuilder
	for _, name := range attributes {
		names = expression.AddNames(names, expression.Name(name))
	}
	return names
}
