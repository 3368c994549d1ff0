package sqlite_test

import (
	"context"
	"testing"

	"github.com/assay-project/assay/services/query/library/search"
	"github.com/assay-project/assay/services/query/library/search/searchtest"
	"github.com/assay-project/assay/services/query/library/search/sqlite"
)

func open(ctx context.Context, path string) (search.Index, error) { return sqlite.Open(ctx, path) }

func TestIndex(t *testing.T) { searchtest.Run(t, open) }
