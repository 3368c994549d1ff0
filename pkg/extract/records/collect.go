package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxLines is the maximum size of the compressed lines of a chunk of WriteChunks. Further records of the chunk
// fail.
const maxLines = 64 << 20

// WriteChunks writes the records of a source that is read once, such as the rows of a table, in chunks. next
// returns io.EOF after the last one; store stores the two objects of a chunk, whose buffers are not reused. At most
// one chunk is in memory. A record fails if its chunk would become too large. found counts all records, including
// those beyond MaxRecords, which are in no chunk.
func WriteChunks(ctx context.Context, next func() (Record, error), store func(chunk int, lines, columns []byte) error) (summary *Summary, found int, err error) {
	summary = &Summary{}
	var lines bytes.Buffer
	var w *ChunkWriter
	end := func() error {
		var columns bytes.Buffer
		if err := w.Close(&columns); err != nil {
			return err
		}
		summary.Merge(w.Summary())
		chunk := w.header.Chunk
		w = nil
		return store(chunk, bytes.Clone(lines.Bytes()), columns.Bytes())
	}
	for ; ; found++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		r, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		if found >= MaxRecords {
			continue
		}
		if w == nil {
			lines.Reset()
			if w, err = NewChunkWriter(&lines, found/ChunkSize); err != nil {
				return nil, 0, err
			}
		}
		if lines.Len() > maxLines {
			r = Record{Error: fmt.Sprintf("the preceding records use %d MiB, the maximum for %d records of a table", maxLines>>20, ChunkSize)}
		}
		if err := w.Add(&r); err != nil {
			return nil, 0, err
		}
		if w.header.Count == ChunkSize {
			if err := end(); err != nil {
				return nil, 0, err
			}
		}
	}
	if w != nil {
		if err := end(); err != nil {
			return nil, 0, err
		}
	}
	return summary, found, nil
}
