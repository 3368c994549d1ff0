package library

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/assay-project/assay/pkg/extract/records"
)

// part reads a part of the content of a file.
type part func(offset, length int64) ([]byte, error)

// ReadAt implements io.ReaderAt.
func (p part) ReadAt(b []byte, offset int64) (int, error) {
	data, err := p(offset, int64(len(b)))
	n := copy(b, data)
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}

// contentWindow is the number of bytes that are read at a time in the search for a record.
const contentWindow = 1 << 20

// original returns the bytes of a record in the content of its file. It returns records.ErrNoRecord if the file has no such
// record, or one that is too large to be read.
func (f *recordFile) original(ctx context.Context, kind records.Format, index int) ([]byte, error) {
	document, err := f.records.Get(ctx, records.IndexName, 0, -1)
	if err != nil {
		return nil, err
	}
	x, err := records.ParseIndex(document)
	if err != nil {
		return nil, err
	}
	chunk := index / records.ChunkSize
	if index < 0 || chunk >= len(x.Spans) {
		return nil, records.ErrNoRecord
	}
	span := x.Spans[chunk]
	source := bufio.NewReaderSize(io.NewSectionReader(f.part, span.Offset, span.Length), contentWindow)
	for scanner := records.NewScanner(source, kind.Boundary(), true); ; {
		raw, err := scanner.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, records.ErrNoRecord
		case err != nil:
			return nil, err
		case span.Chunk*records.ChunkSize+raw.Index != index:
			continue
		case raw.Bytes == nil:
			return nil, records.ErrNoRecord
		}
		return raw.Bytes, nil
	}
}
