package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// Chunk returns the step that processes the records of a chunk. A damaged record does not affect the
// others. The kit identifies molecules, and draws those that have no coordinates.
func Chunk(kit *structure.Kit) step.Step {
	return step.Step{Time: identifying + time.Minute, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		x, err := readIndex(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		chunk, ok := library.ParseChunkStep(f.Step)
		kind, known := extract.FindRecordFormat(x.Format)
		if !ok || !known || chunk >= len(x.Spans) {
			return step.Result{}, reason.NoChunk.Fill(f.Step)
		}
		kind = in(kind, x.Charset)
		span, used := x.Spans[chunk], engine
		identify := kit != nil && structure.Applies(kind.Name)
		if identify {
			if err := Prepared(ctx, kit); err != nil {
				return step.Result{}, err
			}
			used += ", " + structure.Version
		}
		var columns bytes.Buffer
		key, err := f.Stream(ctx, records.LinesName(chunk), gzipType, func(lines io.Writer) error {
			columns.Reset()
			body := f.From(ctx, span.Offset, span.Length)
			defer body.Close()
			if identify {
				return identified(ctx, kit, kind, func(kind records.Format) error {
					_, err := kind.Chunk(ctx, body, span, lines, &columns)
					return err
				})
			}
			_, err := kind.Chunk(ctx, body, span, lines, &columns)
			return err
		})
		if err != nil {
			return step.Result{}, err
		}
		_, err = f.Store(ctx, records.ColumnsName(chunk), columnsType, columns.Bytes())
		return step.Result{Engine: used, Key: key}, err
	}}
}

const (
	// compiling is how long a step waits for the compilation of RDKit, and compilingDelay is its redelivery delay.
	compiling      = 20 * time.Second
	compilingDelay = 5 * time.Second
	// identifying bounds the time for identifying the molecules of a chunk. Typical ones take 5 s of CPU time.
	identifying = 3 * time.Minute
)

// Prepared waits until RDKit is compiled. If that takes too long, the step is redelivered without using an
// attempt.
func Prepared(ctx context.Context, kit *structure.Kit) error {
	ctx, cancel := context.WithTimeout(ctx, compiling)
	defer cancel()
	if err := kit.Prepare(ctx); errors.Is(err, wasm.ErrCompiling) {
		return bus.Later(err, compilingDelay)
	}
	return nil // other errors are recorded as the reason why the molecules are not identified
}

// identified calls process with a format that also identifies the records of a chunk while it reads them.
func identified(ctx context.Context, kit *structure.Kit, kind records.Format, process func(records.Format) error) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, identifying, structure.ErrTime)
	defer cancel()
	session, err := kit.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	described := kind
	described.Read = func(raw []byte) records.Record {
		r := kind.Read(raw)
		session.Describe(kind, &r)
		return r
	}
	return process(described)
}

// StoreChunk stores the objects of a chunk.
func StoreChunk(ctx context.Context, f *step.File, chunk int, lines, columns []byte) error {
	if _, err := f.Store(ctx, records.LinesName(chunk), gzipType, lines); err != nil {
		return err
	}
	_, err := f.Store(ctx, records.ColumnsName(chunk), columnsType, columns)
	return err
}
