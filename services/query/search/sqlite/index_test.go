package sqlite_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/searchtest"
	"github.com/assay-project/assay/services/query/search/sqlite"
)

func open(ctx context.Context, path string) (search.Index, error) { return sqlite.Open(ctx, path) }

func TestIndex(t *testing.T) { searchtest.Run(t, open) }

// idOf returns the id of an item with a name.
func idOf(name string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String() }
