package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// content returns reproducible bytes that cannot be compressed.
func content(seed uint64, size int) []byte {
	all := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(all) // never fails
	return all
}

// file is a file to back up.
type file struct {
	Entry
	content []byte
	err     error // of reading it
}

func (f *file) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n := copy(p, f.content[len(f.content)-int(f.Size):])
	f.Size -= int64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// source returns files of each kind: a large one that changes in part, small ones, and a large object. Their paths are
// sorted like those of a walk.
func source() []*file {
	all := []*file{
		{Entry: Entry{Path: "dynamodb.db"}, content: content(1, 5*changingChunk+100)},
		{Entry: Entry{Path: "nats/empty"}},
		{Entry: Entry{Path: "s3/objects/b/"}},
	}
	for i := range 600 {
		path := fmt.Sprintf("s3/objects/b/%04d", i)
		all = append(all, &file{Entry: Entry{Path: path, Tag: "tag", BesidePath: "s3/metadata/" + path, Beside: []byte(path)}, content: content(uint64(i), i)})
	}
	all = append(all, &file{Entry: Entry{Path: "s3/objects/b/large", Tag: "large", Modified: time.Now().UnixNano(), Inode: 7}, content: content(3, 2*maxChunk+1)})
	return all
}

func open(t *testing.T, location string) *Repository {
	t.Helper()
	r, err := Open(t.Context(), location)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var options = Options{Folder: "folder", Holder: "here", Program: "test"}

// begin begins a backup, which the end of the test closes.
func begin(t *testing.T, r *Repository, o Options) *Writer {
	t.Helper()
	w, err := r.Begin(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// backUp makes a backup of the files, and returns it with the number of bytes read and written.
func backUp(t *testing.T, r *Repository, files []*file, o Options, keep int) (Manifest, *Progress) {
	t.Helper()
	o.Progress = &Progress{}
	w := begin(t, r, o)
	for _, f := range files {
		f.Size = int64(len(f.content))
		if err := w.Add(f.Entry, f); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Finish(time.Now(), len(files))
	if err == nil && keep > 0 {
		err = w.Prune(keep)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return m, o.Progress
}

// restored restores a backup and compares it with the files.
func restored(t *testing.T, r *Repository, m Manifest, files []*file) {
	t.Helper()
	dir, n := t.TempDir(), 0
	if err := r.Restore(t.Context(), m, dir, func(Entry) { n++ }); err != nil {
		t.Fatal(err)
	}
	if n != len(files) {
		t.Errorf("restored %d files, want %d", n, len(files))
	}
	for _, f := range files {
		if strings.HasSuffix(f.Path, "/") {
			if is, err := os.Stat(filepath.Join(dir, f.Path)); err != nil || !is.IsDir() {
				t.Errorf("%s: got %v, want a folder", f.Path, err)
			}
			continue
		}
		got, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil || !bytes.Equal(got, f.content) {
			t.Errorf("%s: got %d bytes, error %v, want the %d stored bytes", f.Path, len(got), err, len(f.content))
		}
		if f.BesidePath == "" {
			continue
		}
		if got, err := os.ReadFile(filepath.Join(dir, f.BesidePath)); err != nil || !bytes.Equal(got, f.Beside) {
			t.Errorf("%s: got %q, error %v, want %q", f.BesidePath, got, err, f.Beside)
		}
	}
}

func clean(t *testing.T, r *Repository, backups int) {
	t.Helper()
	n, _, err := r.Check(t.Context(), func(problem string) { t.Errorf("problem: %s", problem) })
	if err != nil || n != backups {
		t.Errorf("the check read %d backups, error %v, want %d", n, err, backups)
	}
}

// TestBackupsAreIncremental checks that backups restore to their files, and that a backup reads and stores only what has
// changed.
func TestBackupsAreIncremental(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "repository"))
	files := source()
	first, all := backUp(t, r, files, options, 0)
	restored(t, r, first, files)
	if first.Bytes != all.Read.Load() || first.Written < first.Bytes {
		t.Errorf("the first backup has %d bytes, read %d and wrote %d, want all of them", first.Bytes, all.Read.Load(), first.Written)
	}
	second, some := backUp(t, r, files, options, 0)
	if read, most := some.Read.Load(), int64(6*changingChunk); read > most {
		t.Errorf("the second backup read %d bytes, want the database only, at most %d", read, most)
	}
	if some.Written.Load() > changingChunk/4 {
		t.Errorf("the second backup wrote %d bytes, want little", some.Written.Load())
	}
	files[0].content[2*changingChunk] ^= 1
	files[100].content, files[100].Tag = content(9, 50), "other"
	third, some := backUp(t, r, files, options, 0)
	if written := some.Written.Load(); written > changingChunk+changingChunk/4 {
		t.Errorf("the third backup wrote %d bytes, want a chunk and a small file", written)
	}
	restored(t, r, third, files)
	clean(t, r, 3)
	listed, err := r.List(t.Context())
	if err != nil || len(listed) != 3 || listed[2].ID != third.ID || listed[1].ID != second.ID {
		t.Errorf("got %v, error %v, want the three backups", listed, err)
	}
	if _, err := r.Find(t.Context(), "20260101T000000Z-abcdef"); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown id: got %v, want %v", err, ErrUnknown)
	}
}

// TestInterruptedBackupIsContinued checks that a backup that ends anywhere leaves a repository without damage, and that the
// next one stores only what is missing.
func TestInterruptedBackupIsContinued(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "repository"))
	files := source()
	w := begin(t, r, options)
	for _, f := range files[:len(files)-1] {
		f.Size = int64(len(f.content))
		if err := w.Add(f.Entry, f); err != nil {
			t.Fatal(err)
		}
	}
	broken := errors.New("the disk is broken")
	last := *files[len(files)-1]
	last.Size, last.err = int64(len(last.content)), broken
	if err := w.Add(last.Entry, &last); !errors.Is(err, broken) {
		t.Fatalf("got %v, want %v", err, broken)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	clean(t, r, 0)
	m, rest := backUp(t, r, files, options, 0)
	if written, most := rest.Written.Load(), int64(len(last.content)+changingChunk); written > most {
		t.Errorf("the next backup wrote %d bytes, want at most %d", written, most)
	}
	restored(t, r, m, files)
}

// TestPrune checks that the oldest backups of a folder are removed, with the chunks that no other needs.
func TestPrune(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "repository")
	r := open(t, at)
	other, _ := backUp(t, r, []*file{{Entry: Entry{Path: "other"}, content: content(42, 2*changingChunk)}}, Options{Folder: "another folder", Holder: "here"}, 0)
	var last Manifest
	files := source()
	for i := range 4 {
		files[0].content = content(uint64(50+i), 3*changingChunk)
		last, _ = backUp(t, r, files, options, 2)
	}
	listed, err := r.List(t.Context())
	if err != nil || len(listed) != 3 {
		t.Fatalf("got %d backups, error %v, want 3", len(listed), err)
	}
	clean(t, r, 3)
	restored(t, r, last, files)
	restored(t, r, other, []*file{{Entry: Entry{Path: "other"}, content: content(42, 2*changingChunk)}})
	size := int64(0)
	err = filepath.WalkDir(filepath.Join(at, chunksFolder), func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			info, err := entry.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		}
		return err
	})
	if most := int64(2+2*3+9) << 20; err != nil || size > most {
		t.Errorf("the chunks have %d bytes, error %v, want at most %d", size, err, most)
	}
}

// TestDamageIsFound checks that a damaged or missing chunk is found by name, and not restored.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"missing": os.Remove,
		"changed": func(path string) error { return os.WriteFile(path, []byte("other"), 0o600) },
		"flipped": func(path string) error {
			stored, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			stored[len(stored)/2] ^= 1
			return os.WriteFile(path, stored, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "repository")
			r := open(t, at)
			files := source()
			m, _ := backUp(t, r, files, options, 0)
			var victim string
			for entry, err := range r.Entries(t.Context(), m) {
				if err != nil {
					t.Fatal(err)
				}
				if entry.Path == files[len(files)-1].Path {
					victim = chunkName(entry.Parts[1].Chunk)
				}
			}
			if err := damage(filepath.Join(at, filepath.FromSlash(victim))); err != nil {
				t.Fatal(err)
			}
			var problems []string
			if _, _, err := r.Check(t.Context(), func(problem string) { problems = append(problems, problem) }); err != nil || len(problems) != 1 || !strings.Contains(problems[0], victim) {
				t.Errorf("the check found %q, error %v, want one problem with %s", problems, err, victim)
			}
			if err := r.Restore(t.Context(), m, t.TempDir(), func(Entry) {}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), victim) {
				t.Errorf("restore: got %v, want %v and %s", err, ErrDamaged, victim)
			}
		})
	}
}

// TestRepositoryIsLocked checks that only one process writes, unless the other is of the same place or was killed long ago.
func TestRepositoryIsLocked(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "repository")
	r := open(t, at)
	elsewhere := options
	elsewhere.Holder = "elsewhere"
	first := begin(t, r, options)
	if _, err := r.Begin(t.Context(), elsewhere); !errors.Is(err, ErrLocked) {
		t.Errorf("another place: got %v, want %v", err, ErrLocked)
	}
	second := begin(t, r, options) // the first process was killed
	if _, err := first.Finish(time.Now(), 0); !errors.Is(err, ErrLocked) {
		t.Errorf("the first process: got %v, want %v", err, ErrLocked)
	}
	if err := first.Close(); !errors.Is(err, ErrLocked) {
		t.Errorf("the first process ends: got %v, want %v", err, ErrLocked)
	}
	if _, err := second.Finish(time.Now(), 0); err != nil {
		t.Errorf("the second process: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(at, lockName), []byte(`{"holder":"dead","process":"a","expires":"2026-01-01T00:00:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	begin(t, r, elsewhere)
}

// TestCancelEndsBackup checks that a canceled backup returns the cause, and leaves the repository to others.
func TestCancelEndsBackup(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "repository"))
	ctx, cancel := context.WithCancelCause(t.Context())
	slow := options
	slow.Rate = 1 // the first read takes a burst, the second a week
	w, err := r.Begin(ctx, slow)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("canceled by a test")
	f := &file{Entry: Entry{Path: "a", Size: 3 * changingChunk}, content: content(1, 3*changingChunk)}
	done := make(chan error)
	go func() { done <- w.Add(f.Entry, f) }()
	cancel(cause)
	if err := <-done; err == nil {
		t.Error("a canceled backup of a file succeeded")
	}
	if err := w.Add(f.Entry, f); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	begin(t, r, Options{Folder: "folder", Holder: "elsewhere"})
}

// TestLocations checks the errors for locations that are none.
func TestLocations(t *testing.T) {
	for _, location := range []string{"", "relative", "s3://", "https://example.org/backups", "s3://bucket/a?key=secret"} {
		if _, err := Open(t.Context(), location); !errors.Is(err, ErrLocation) {
			t.Errorf("%q: got %v, want %v", location, err, ErrLocation)
		}
	}
}
