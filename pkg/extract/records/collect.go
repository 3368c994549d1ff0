package records

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// A chunk of rows ends early when its compressed lines or its values exceed these sizes in bytes, so that one chunk fits
// into memory.
const (
	fullLines   = 32 << 20
	fullColumns = maxColumns / 2
)

// Rows describes what WriteChunks has written.
type Rows struct {
	Found   int   // records of the source, including those beyond MaxRows, which are in no chunk
	Starts  []int // index of the first record of each chunk
	Summary *Summary
}

// WriteChunks writes the records of a source that is read once, such as the rows of a table, in chunks of up to MaxChunk
// records. next returns io.EOF after the last one; store stores the two objects of a chunk, whose buffers are not reused. At
// most one chunk is in memory.
func WriteChunks(ctx context.Context, next func() (Record, error), store func(chunk int, lines, columns []byte) error) (Rows, error) {
	rows := Rows{Summary: &Summary{}}
	var lines *bytes.Buffer
	var w *ChunkWriter
	end := func() error {
		var columns bytes.Buffer
		if err := w.Close(&columns); err != nil {
			return err
		}
		rows.Summary.Merge(w.Summary())
		chunk, data := w.header.Chunk, lines.Bytes()
		w, lines = nil, nil
		return store(chunk, data, columns.Bytes())
	}
	for ; ; rows.Found++ {
		if err := ctx.Err(); err != nil {
			return Rows{}, err
		}
		r, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Rows{}, err
		}
		if rows.Found >= MaxRows {
			continue
		}
		if w == nil {
			lines = &bytes.Buffer{}
			if w, err = NewChunkWriter(lines, len(rows.Starts), rows.Found); err != nil {
				return Rows{}, err
			}
			rows.Starts = append(rows.Starts, rows.Found)
		}
		if err := w.Add(&r); err != nil {
			return Rows{}, err
		}
		if w.header.Count == MaxChunk || lines.Len() > fullLines || w.size > fullColumns {
			if err := end(); err != nil {
				return Rows{}, err
			}
		}
	}
	if w != nil {
		if err := end(); err != nil {
			return Rows{}, err
		}
	}
	return rows, nil
}
