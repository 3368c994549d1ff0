package folder_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/folder"
)

// start opens a folder as `assay serve` does, and stores something in each part. It returns the identity.
func start(t *testing.T, dir string, acceptEmpty bool) (id string, err error) {
	t.Helper()
	parts, err := folder.Open(dir, acceptEmpty, zerolog.Nop())
	if err != nil {
		return "", err
	}
	engine, err := dynamolite.Open(dynamolite.Options{Path: filepath.Join(dir, folder.Database)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := parts.Join(engine); err != nil {
		return "", err
	}
	store(t, dir)
	id, err = engine.Label()
	if err != nil || id == "" {
		t.Fatalf("the database has the label %q, %v, want an identity", id, err)
	}
	return id, nil
}

// store stores an object and a stream.
func store(t *testing.T, dir string) {
	t.Helper()
	for _, path := range []string{filepath.Join(folder.Objects, "objects", "bucket"), filepath.Join(folder.Streams, "jetstream")} {
		if err := os.MkdirAll(filepath.Join(dir, path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// started returns a folder that was served, and its identity.
func started(t *testing.T) (dir, id string) {
	t.Helper()
	dir = t.TempDir()
	id, err := start(t, dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := start(t, dir, false); again != id || err != nil {
		t.Fatalf("the second start returned %q, %v, want the identity %q", again, err, id)
	}
	return dir, id
}

var all = []string{folder.Database, folder.Objects, folder.Streams}

func remove(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// empty leaves an empty file or folder with the name of the part.
func empty(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	remove(t, dir, name)
	err := os.Mkdir(path, 0o700)
	if name == folder.Database {
		err = errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPartsThatDisagreeAreRefused checks that a folder is not served, and no file of it added or removed, if one of its parts is absent,
// empty or of another folder, until this is accepted by name.
func TestPartsThatDisagreeAreRefused(t *testing.T) {
	t.Parallel()
	other, _ := started(t)
	for _, name := range all {
		for how, change := range map[string]func(dir string){
			"absent": func(dir string) { remove(t, dir, name) },
			"empty":  func(dir string) { empty(t, dir, name) },
			"of another folder": func(dir string) {
				remove(t, dir, name)
				moved := filepath.Join(t.TempDir(), "copy")
				err := os.CopyFS(moved, os.DirFS(other))
				if err = errors.Join(err, os.Rename(filepath.Join(moved, name), filepath.Join(dir, name))); err != nil {
					t.Fatal(err)
				}
			},
			"of an older version": func(dir string) {
				empty(t, dir, name)
				if name == folder.Database {
					closed(t, filepath.Join(dir, name))
				}
				store(t, dir)
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				dir, id := started(t)
				change(dir)
				before := content(t, dir)
				_, err := start(t, dir, false)
				found, ok := errors.AsType[*folder.MismatchError](err)
				if !ok || found.Parts[0] != name && found.Parts[1] != name || found.Parts[0] == found.Parts[1] {
					t.Fatalf("the start returned %v, want an error that names %s and another part", err, name)
				}
				if !strings.Contains(err.Error(), "--accept-empty") || !strings.Contains(err.Error(), dir) {
					t.Errorf("the error is %q, want the folder and the flag", err)
				}
				if after := content(t, dir); after != before {
					t.Errorf("the refused start changed the folder from\n%s to\n%s", before, after)
				}
				accepted, err := start(t, dir, true)
				if err != nil || accepted == id {
					t.Fatalf("the accepted start returned %q, %v, want a new identity", accepted, err)
				}
				if again, err := start(t, dir, false); again != accepted || err != nil {
					t.Errorf("the next start returned %q, %v, want %q", again, err, accepted)
				}
			})
		}
	}
}

// content returns the names of the files of a folder.
func content(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			all.WriteString(path + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// closed creates a database without a label.
func closed(t *testing.T, path string) {
	t.Helper()
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err == nil {
		err = engine.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestOlderFolderIsUpgraded checks that a folder without an identity gets one if all of its parts hold data, and is
// refused if one does not.
func TestOlderFolderIsUpgraded(t *testing.T) {
	t.Parallel()
	older := func() string {
		dir := t.TempDir()
		closed(t, filepath.Join(dir, folder.Database))
		store(t, dir)
		return dir
	}
	dir := older()
	id, err := start(t, dir, false)
	if err != nil {
		t.Fatalf("the upgrade returned %v, want no error", err)
	}
	if again, err := start(t, dir, false); again != id || err != nil {
		t.Errorf("the start after the upgrade returned %q, %v, want %q", again, err, id)
	}
	for _, name := range all {
		dir := older()
		empty(t, dir, name)
		if _, err := start(t, dir, false); !strings.Contains(err.Error(), name+" is empty") {
			t.Errorf("the upgrade of a folder with an empty %s returned %v, want an error", name, err)
		}
	}
}

// TestInterruptedStartIsContinued checks that a crash at any point of the first start, or of an upgrade, leaves a folder
// that can be started.
func TestInterruptedStartIsContinued(t *testing.T) {
	t.Parallel()
	pending := func(id string) string { return `{"id":"` + id + `","pending":true}` }
	for missing := range all {
		dir, id := started(t)
		if err := os.WriteFile(filepath.Join(dir, "identity"), []byte(pending(id)), 0o600); err != nil {
			t.Fatal(err)
		}
		remove(t, dir, all[missing])
		if again, err := start(t, dir, false); again != id || err != nil {
			t.Errorf("without %s: the start returned %q, %v, want %q", all[missing], again, err, id)
		}
	}
	dir := t.TempDir() // the process ended after it created the database
	if _, err := folder.Open(dir, false, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	closed(t, filepath.Join(dir, folder.Database))
	if _, err := start(t, dir, false); err != nil {
		t.Errorf("with a new database: the start returned %v, want no error", err)
	}
}

// TestMovedAndMissingParts checks that all parts can be moved to another folder together, but not be missing together.
func TestMovedAndMissingParts(t *testing.T) {
	t.Parallel()
	dir, _ := started(t)
	other, id := started(t)
	for _, name := range all {
		remove(t, dir, name)
	}
	if _, err := start(t, dir, false); !strings.Contains(err.Error(), "dynamodb.db is absent") {
		t.Errorf("without any part: got %v, want an error", err)
	}
	for _, name := range all {
		if err := os.Rename(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if moved, err := start(t, dir, false); moved != id || err != nil {
		t.Errorf("with all parts of another folder: got %q, %v, want its identity %q", moved, err, id)
	}
}

// TestJournalOfMissingDatabaseIsKept checks that the journal of a database that is accepted as missing is not applied
// to the new database, and not deleted.
func TestJournalOfMissingDatabaseIsKept(t *testing.T) {
	t.Parallel()
	dir, _ := started(t)
	empty(t, dir, folder.Database)
	journal := filepath.Join(dir, folder.Database+".journal")
	if err := os.WriteFile(journal, []byte("commits"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := start(t, dir, true); err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(journal + ".unused"); string(kept) != "commits" {
		t.Errorf("the kept journal is %q, %v, want its content", kept, err)
	}
}

// TestNewerFormatIsRejected checks that a folder whose format a newer version has changed is not opened, and that it is not
// changed.
func TestNewerFormatIsRejected(t *testing.T) {
	dir, id := started(t)
	path, content := filepath.Join(dir, "identity"), []byte(`{"id":"`+id+`","format":2}`)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Examine(dir); !errors.Is(err, folder.ErrNewer) {
		t.Errorf("Examine: got error %v, want ErrNewer", err)
	}
	if _, err := folder.Open(dir, true, zerolog.Nop()); !errors.Is(err, folder.ErrNewer) {
		t.Errorf("Open: got error %v, want ErrNewer", err)
	}
	if left, err := os.ReadFile(path); err != nil || string(left) != string(content) {
		t.Errorf("the identity is %s, error %v, want it unchanged", left, err)
	}
}
