package records

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	// fullChunk is the approximate memory of the records of a chunk in bytes, at which it ends early.
	fullChunk = 20 << 20
	// writers is the number of chunks that are written concurrently. Two more are in memory: one that is read, and one
	// that waits.
	writers = 2
)

// Rows describes what WriteChunks has written.
type Rows struct {
	Found   int   // records of the source, including those beyond MaxRows, which are in no chunk
	Starts  []int // index of the first record of each chunk
	Summary *Summary
}

// WriteChunks writes the records of a source that is read once, such as the rows of a table, in chunks of up to MaxChunk
// records. next returns io.EOF after the last one; store stores the two objects of a chunk, whose buffers are not reused.
// The calls of next, and those of store, are not concurrent among themselves, and the chunks are stored in any order. A few
// chunks are in memory.
func WriteChunks(ctx context.Context, next func() (Record, error), store func(chunk int, lines, columns []byte) error) (Rows, error) {
	var rows Rows
	var summaries []*Summary
	var storing sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for ended := false; !ended; {
		var part []Record
		var err error
		start := min(rows.Found, MaxRows)
		if part, ended, err = rows.read(ctx, next); err != nil {
			return Rows{}, cmp.Or(group.Wait(), err) // reading also ends when writing fails
		}
		if len(part) == 0 {
			continue
		}
		chunk, summary := len(rows.Starts), &Summary{}
		rows.Starts, summaries = append(rows.Starts, start), append(summaries, summary)
		group.Go(func() error {
			var lines, columns bytes.Buffer
			if err := writeChunk(&lines, &columns, chunk, start, part, summary); err != nil {
				return err
			}
			storing.Lock()
			defer storing.Unlock()
			return store(chunk, lines.Bytes(), columns.Bytes())
		})
	}
	if err := group.Wait(); err != nil {
		return Rows{}, err
	}
	rows.Summary = &Summary{}
	for _, summary := range summaries {
		rows.Summary.Merge(summary)
	}
	return rows, nil
}

// read reads the records of the next chunk, and counts them. Those beyond MaxRows are only counted. ended means that there are
// no more.
func (r *Rows) read(ctx context.Context, next func() (Record, error)) (part []Record, ended bool, err error) {
	for size := 0; len(part) < MaxChunk && size < fullChunk; r.Found++ {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		record, err := next()
		if errors.Is(err, io.EOF) {
			return part, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		if r.Found < MaxRows {
			part = append(part, record)
			size += record.memory()
		}
	}
	return part, false, nil
}

func writeChunk(lines, columns io.Writer, chunk, start int, part []Record, summary *Summary) error {
	w, err := NewChunkWriter(lines, chunk, start)
	if err != nil {
		return err
	}
	for i := range part {
		if err := w.Add(&part[i]); err != nil {
			return err
		}
	}
	*summary = *w.Summary()
	return w.Close(columns)
}

// memory returns the approximate memory of a record, in bytes.
func (r *Record) memory() int {
	const record, field, property = 200, 32, 64
	size := record + len(r.Content) + len(r.Name) + len(r.Error) + len(r.Properties)*property
	for i := range r.Fields {
		size += field + len(r.Fields[i].Value)
	}
	return size
}
