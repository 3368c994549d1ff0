//go:build noclients

package postgres

import (
	"context"
	"errors"

	"github.com/assay-project/assay/services/query/search"
)

var errNone = errors.New("ASSAY_INDEX names a PostgreSQL database, but this program was built without the PostgreSQL engine: use the program query, or a path")

// Validate returns an error: the program has no PostgreSQL engine.
func Validate(string) error { return errNone }

// At returns a function that returns an error.
func At(string, string) func(ctx context.Context, rebuild bool) (search.Index, error) {
	return func(context.Context, bool) (search.Index, error) { return nil, errNone }
}
