package record

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/records"
	"github.com/assay-project/assay/pkg/library/records/format"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// Chunk returns the step that processes the records of a chunk. Those that are damaged fail one by one.
func Chunk() step.Step {
	return step.Step{Time: 2 * time.Minute, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		x, err := readIndex(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		chunk, ok := library.ParseChunkStep(f.Step)
		kind, known := format.Find(x.Format)
		if !ok || !known || chunk >= len(x.Spans) {
			return step.Result{}, step.Permanent("there is no %s of records", f.Step)
		}
		span := x.Spans[chunk]
		var columns bytes.Buffer
		key, err := f.Stream(ctx, records.LinesName(chunk), gzipType, func(lines io.Writer) error {
			columns.Reset()
			body := f.From(ctx, span.Offset, span.Length)
			defer body.Close()
			_, err := kind.Chunk(ctx, body, span, lines, &columns)
			return err
		})
		if err != nil {
			return step.Result{}, err
		}
		_, err = f.Store(ctx, records.ColumnsName(chunk), columnsType, columns.Bytes())
		return step.Result{Engine: engine, Key: key}, err
	}}
}

// storeChunk stores the objects of a chunk.
func storeChunk(ctx context.Context, f *step.File, chunk int, lines, columns []byte) error {
	if _, err := f.Store(ctx, records.LinesName(chunk), gzipType, lines); err != nil {
		return err
	}
	_, err := f.Store(ctx, records.ColumnsName(chunk), columnsType, columns)
	return err
}
