//go:build !noclients

package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

// restrict sets the parameters of found for the tags of a query.
func (r *request) restrict(ctx context.Context, tx pgx.Tx, q search.Query) error {
	tagged, untagged, listed := []int64{}, []int64{}, []int64{}
	if q.Tags.Any() {
		var err error
		if tagged, err = numbersOf(ctx, tx, q.Tagged); err != nil {
			return err
		}
		if untagged, err = numbersOf(ctx, tx, q.Untagged); err != nil {
			return err
		}
	}
	if len(q.Terms) == 0 {
		listed = slices.DeleteFunc(slices.Clone(tagged), func(no int64) bool { return slices.Contains(untagged, no) })
	}
	r.arguments["tags"], r.arguments["tagged"], r.arguments["untagged"], r.arguments["listed"] = len(q.Tags.With) > 0, tagged, untagged, listed
	return nil
}

// numbersOf returns the numbers of the nodes with these ids. It omits ids that the index does not have.
func numbersOf(ctx context.Context, tx pgx.Tx, ids []string) ([]int64, error) {
	keys := [][]byte{}
	for _, id := range ids {
		if k, err := engine.KeyOf(id); err == nil {
			keys = append(keys, k)
		}
	}
	numbers := []int64{}
	err := each(ctx, tx, "SELECT no FROM node WHERE id = ANY ($1::bytea[])", []any{keys}, func(rows pgx.Rows) error {
		var no int64
		err := rows.Scan(&no)
		numbers = append(numbers, no)
		return err
	})
	return numbers, err
}
