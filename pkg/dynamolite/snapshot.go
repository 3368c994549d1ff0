package dynamolite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
)

// Snapshot is the content of an engine's file at one moment, the mark: all writes that were acknowledged before the
// mark, and none that began after it. A file with this content opens as an engine; it needs no journal.
//
// While a snapshot is open, bbolt does not reuse the pages that it contains. The file therefore grows by what is written
// meanwhile, at most by the size of the snapshot; the pages are reused after Close. Each commit also examines the list of
// these pages, which takes microseconds per thousand of commits since the mark. Close a snapshot as soon as it is read.
type Snapshot struct {
	tx    *bbolt.Tx
	file  *os.File
	roots []byte // the first two pages, which the file no longer has
	size  int64
}

// Snapshot stops the writes between two commits, calls atMark, and opens a snapshot of this moment; then the writes
// continue. atMark may be nil. If it returns an error, Snapshot returns it. While atMark runs, every write waits, so it
// must be short and must not write. The caller closes the snapshot, before the engine.
func (e *Engine) Snapshot(ctx context.Context, atMark func() error) (*Snapshot, error) {
	file, err := os.Open(e.db.Path())
	if err != nil {
		return nil, fmt.Errorf("dynamolite: snapshot: %w", err)
	}
	s := &Snapshot{file: file}
	err = e.between(func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if atMark != nil {
			if err := atMark(); err != nil {
				return err
			}
		}
		s.tx, err = e.beginClosed()
		return err
	})
	if err == nil {
		err = s.readRoots()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dynamolite: snapshot: %w", err), s.Close())
	}
	return s, nil
}

// beginClosed begins a read transaction that sees the file as Close would leave it. It must be called between two
// groups.
func (e *Engine) beginClosed() (*bbolt.Tx, error) {
	j := e.journal
	if j == nil {
		return e.db.Begin(false)
	}
	if j.failed != nil {
		return nil, j.failed
	}
	if err := j.finish(); err != nil {
		return nil, err
	}
	clear(j.late) // the file has them; after a crash, the records have them
	tx, err := e.db.Begin(false)
	return tx, errors.Join(err, j.update(markOpen))
}

// readRoots reads the root pages of the transaction.
func (s *Snapshot) readRoots() error {
	s.size = s.tx.Size()
	first := &firstBytes{most: 2 * s.tx.DB().Info().PageSize}
	if _, err := s.tx.WriteTo(first); len(first.read) < first.most {
		return fmt.Errorf("read the root pages: %w", err)
	}
	s.roots = first.read
	return nil
}

// firstBytes is a writer that fails when it has the given number of bytes.
type firstBytes struct {
	read []byte
	most int
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.read = append(f.read, p[:min(len(p), f.most-len(f.read))]...)
	if len(f.read) == f.most {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// Size returns the size of the content in bytes.
func (s *Snapshot) Size() int64 { return s.size }

// ReadAt implements io.ReaderAt. Pages that the snapshot does not use can have any content.
func (s *Snapshot) ReadAt(p []byte, at int64) (n int, err error) {
	if at < 0 || at >= s.size {
		return 0, io.EOF
	}
	rest := p[:min(int64(len(p)), s.size-at)]
	if at < int64(len(s.roots)) {
		n = copy(rest, s.roots[at:])
	}
	if n < len(rest) {
		var m int
		m, err = s.file.ReadAt(rest[n:], at+int64(n))
		n += m
	}
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// WriteTo implements io.WriterTo.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, io.NewSectionReader(s, 0, s.size))
}

// Close ends the snapshot. Further calls do nothing.
func (s *Snapshot) Close() error {
	err := s.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	if s.tx != nil {
		err = errors.Join(err, s.tx.Rollback())
	}
	return err
}
