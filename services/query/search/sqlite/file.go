package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/assay-project/assay/services/query/search"
)

// At returns a function that opens the index at a path, or in a temporary file if the path is empty. rebuild removes its
// content.
func At(path string) func(ctx context.Context, rebuild bool) (search.Index, error) {
	return func(ctx context.Context, rebuild bool) (search.Index, error) {
		if path == "" {
			return openTemporary(ctx)
		}
		if rebuild {
			if err := Remove(path); err != nil {
				return nil, err
			}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return Open(ctx, path)
	}
}

// temporary is an index that is removed when it is closed.
type temporary struct {
	*Index
	dir string
}

func openTemporary(ctx context.Context) (search.Index, error) {
	dir, err := os.MkdirTemp("", "assay-index-")
	if err != nil {
		return nil, err
	}
	index, err := Open(ctx, filepath.Join(dir, "index.db"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return temporary{index, dir}, nil
}

func (t temporary) Close() error { return errors.Join(t.Index.Close(), os.RemoveAll(t.dir)) }
