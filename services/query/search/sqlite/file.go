package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/assay-project/assay/services/query/search"
)

// RemoveEarlier removes the index at a path of versions of Assay that had a single one. Errors are ignored: the file is only not used.
func RemoveEarlier(path string) {
	if path != "" {
		_ = Remove(path)
	}
}

// At returns a function that opens the index of an area, in a file whose name is a path and the name of the area, or in a temporary
// file if the path is empty. rebuild removes its content.
func At(path, area string) func(ctx context.Context, rebuild bool) (search.Index, error) {
	if path != "" {
		path += "." + area
	}
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
