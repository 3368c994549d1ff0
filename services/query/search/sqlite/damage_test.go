package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/sqlite"
)

// TestUnusableFiles checks that Open replaces a file that is not an index or has another version with an empty index,
// and that damage found later is reported.
func TestUnusableFiles(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"not a database": func(path string) error { return os.WriteFile(path, make([]byte, 9000), 0o600) },
		"truncated":      func(path string) error { return os.Truncate(path, 700) },
		"other version": func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 99")
			return errors.Join(err, db.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.db")
			build(t, path)
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			x, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if _, built, err := x.Position(t.Context()); built || err != nil {
				t.Errorf("got built %v, error %v, want false", built, err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("damaged words", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "index.db")
		build(t, path)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		var page, size int64
		err = db.QueryRowContext(t.Context(), "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'words_data'").Scan(&page, &size)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil { // overwrite the words, which no statement reads before the first search
			_, err = file.WriteAt(make([]byte, size), (page-1)*size)
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		x, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close() //nolint:errcheck // it is damaged
		_, err = x.Search(t.Context(), search.Query{Caller: search.Caller{Owner: "ann"}, Terms: search.Terms{{Words: []string{"a"}}}, Limit: 10})
		if !errors.Is(err, search.ErrDamaged) {
			t.Errorf("got error %v, want ErrDamaged", err)
		}
	})
}

// build builds an index of one file.
func build(t *testing.T, path string) {
	t.Helper()
	x, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	root := idOf("ann")
	err = x.Build(t.Context(), func(yield func(search.Item, error) bool) {
		_ = yield(search.Item{ID: root, Kind: "User", Owner: "ann", Version: 1}, nil) &&
			yield(search.Item{ID: idOf("file"), Kind: "File", Owner: "ann", Parent: root, Name: "a", Version: 1}, nil)
	}, 1)
	if err := errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
}
