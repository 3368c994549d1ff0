package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// cutTries is the maximum number of attempts to read the streams while nothing is written to them, and cutPause the pause
// between two.
const (
	cutTries = 20
	cutPause = 2 * time.Millisecond
)

// Streams are the files of all streams and consumers as they were at a moment, the mark. A server that starts on these files
// finds what a server finds that was killed at the mark: every message and acknowledgement that a client knew of.
//
// The server only appends to the files with the messages, or replaces them by new files, so an open file with its size at
// the mark keeps its content.
type Streams struct {
	Files []StreamFile
	// Exact is false if messages were written, or consumers created, during all attempts. Then a message whose processing had
	// just ended can be in Files as acknowledged, while another that its processing has published is not, and a consumer can
	// be without its checksum.
	Exact bool
}

// StreamFile is a file of the streams. Its content is the first Size bytes of File.
type StreamFile struct {
	// Path is the path in the folder of the NATS server, with slashes.
	Path string
	Size int64
	File *os.File
}

// Cut sets the mark. It opens each file, of which there are as many as consumers, and one for 8 MB of messages. It retries
// until nothing is written meanwhile, at most 20 times and until ctx is done. The caller closes the result.
func (n *NATS) Cut(ctx context.Context) (*Streams, error) {
	cut := &Streams{}
	for try := 0; try == 0 || !cut.Exact && try < cutTries && ctx.Err() == nil; try++ {
		if try > 0 {
			<-time.After(cutPause)
		}
		if err := cut.Close(); err != nil {
			return nil, fmt.Errorf("embedded nats: %w", err)
		}
		if err := cut.open(n.jetStream.StoreDir); err != nil {
			return nil, fmt.Errorf("embedded nats: %w", errors.Join(err, cut.Close()))
		}
	}
	return cut, nil
}

// open opens all files, first those with acknowledgements, so that these are not later than the messages.
func (s *Streams) open(top string) error {
	if err := s.add(top, func(path string) bool { return !isMessages(path) }); err != nil {
		return err
	}
	first := len(s.Files)
	if err := s.add(top, isMessages); err != nil {
		return err
	}
	again := &Streams{}
	err := again.add(top, isMessages)
	s.Exact = err == nil && len(again.Files) == len(s.Files)-first && summed(s.Files[:first])
	for i := 0; s.Exact && i < len(again.Files); i++ {
		s.Exact, err = same(s.Files[first+i], again.Files[i])
	}
	return errors.Join(err, again.Close())
}

// summed reports whether every description of a stream or a consumer has its checksum, which the server writes next.
func summed(files []StreamFile) bool {
	sums := map[string]bool{}
	for _, file := range files {
		if name, is := strings.CutSuffix(file.Path, "/meta.sum"); is {
			sums[name] = true
		}
	}
	return !slices.ContainsFunc(files, func(file StreamFile) bool {
		name, is := strings.CutSuffix(file.Path, "/meta.inf")
		return is && !sums[name]
	})
}

// same reports whether two files are the same, with the same size.
func same(a, b StreamFile) (bool, error) {
	is, err := a.File.Stat()
	if err != nil {
		return false, err
	}
	was, err := b.File.Stat()
	return err == nil && a.Path == b.Path && a.Size == b.Size && os.SameFile(is, was), err
}

// isMessages reports whether a file contains messages of a stream. Removals of messages are recorded in these files too.
func isMessages(path string) bool { return strings.HasSuffix(path, ".blk") }

// isDerived reports whether the server rebuilds a file from the messages. It overwrites the index in place.
func isDerived(path string) bool {
	return strings.HasSuffix(path, "index.db") || strings.HasSuffix(path, ".tmp")
}

// add opens the selected files.
func (s *Streams) add(top string, selected func(path string) bool) error {
	return filepath.WalkDir(filepath.Join(top, "jetstream"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || isDerived(path) || !selected(path) {
			return ignoreMissing(err)
		}
		file, err := os.Open(path)
		if err != nil {
			return ignoreMissing(err)
		}
		info, err := file.Stat()
		if err != nil {
			return errors.Join(err, file.Close())
		}
		local, err := filepath.Rel(top, path)
		if err != nil {
			return errors.Join(err, file.Close())
		}
		s.Files = append(s.Files, StreamFile{Path: filepath.ToSlash(local), Size: info.Size(), File: file})
		return nil
	})
}

// ignoreMissing returns nil for a file that was removed since its folder was read.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Reader returns a reader of the content.
func (f StreamFile) Reader() io.Reader { return io.NewSectionReader(f.File, 0, f.Size) }

// Close closes all files.
func (s *Streams) Close() error {
	var failed []error
	for _, file := range s.Files {
		failed = append(failed, file.File.Close())
	}
	s.Files = nil
	return errors.Join(failed...)
}
