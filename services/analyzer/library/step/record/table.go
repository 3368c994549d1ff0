package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/sheet"
	"github.com/assay-project/assay/pkg/extract/zipxml"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// maxWorkbook is the maximum size of a workbook, in bytes.
const maxWorkbook = 100 << 20

// ParseTable returns the step that finds and processes the rows of a delimited table.
func ParseTable() step.Step {
	return step.Step{Time: 2 * time.Minute, Rate: rate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		rows, done, err := openTable(ctx, f)
		if err != nil {
			return step.Result{}, err
		}
		defer done()
		x, err := processRows(ctx, f, "csv", rows.Next)
		if err != nil {
			return step.Result{}, err
		}
		switch {
		case x.Found == 0 && len(rows.Columns()) == 0:
			return step.Result{Skipped: reason.NoRows}, nil
		case x.Found == 0:
			return step.Result{}, reason.NoRows
		}
		x.Remarks, x.Preamble = rows.Remarks, rows.Preamble
		return storeIndex(ctx, f, x)
	}}
}

// openTable opens the rows of a delimited table. The caller must call done.
func openTable(ctx context.Context, f *step.File) (rows *sheet.Text, done func(), err error) {
	charset, err := plaintext.Text{ContentType: f.ContentType, Open: func() (io.ReadCloser, error) { return f.Open(ctx), nil }}.Detect()
	if err != nil {
		return nil, nil, err
	}
	source := f.Open(ctx)
	text, err := charset.NewReader(source)
	if err != nil {
		return nil, nil, errors.Join(err, source.Close())
	}
	done = func() {
		text.Free()
		_ = source.Close() // no error to report: the source is only read
	}
	rows, err = sheet.NewText(text, f.Options)
	if err == nil {
		return rows, done, nil
	}
	done()
	return nil, nil, err
}

// Workbook returns the step that finds and processes the rows of the sheets of an XLSX workbook. Documents in other
// formats are skipped.
func Workbook() step.Step {
	return step.Step{Time: 2 * time.Minute, Rate: rate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		skipped := step.Result{Skipped: reason.NotWorkbook}
		if magic, err := f.Head(ctx, 2); err != nil || string(magic) != "PK" {
			return skipped, err
		}
		release, err := f.Reserve(ctx, sheet.Memory(min(f.Size, maxWorkbook))+step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		data, err := f.Load(ctx, maxWorkbook)
		if err != nil {
			return step.Result{}, err
		}
		book, err := sheet.NewWorkbook(ctx, bytes.NewReader(data), int64(len(data)))
		if errors.Is(err, sheet.ErrNotWorkbook) && !errors.Is(err, zipxml.ErrTooBig) {
			return skipped, nil
		}
		if err != nil {
			return step.Result{}, err
		}
		repeated := false
		x, err := processRows(ctx, f, "xlsx", func() (records.Record, error) {
			r, err := book.Next()
			if repeated = errors.Is(err, sheet.ErrRepeated); repeated {
				return r, io.EOF
			}
			return r, err
		})
		if err != nil {
			return step.Result{}, err
		}
		if x.Found == 0 {
			return step.Result{Skipped: reason.EmptyWorkbook}, nil
		}
		r, err := storeIndex(ctx, f, x)
		if repeated {
			r.Partial = reason.RepeatedStrings.Fill(x.Found)
		}
		return r, err
	}}
}

// processRows processes all rows and stores them in chunks.
func processRows(ctx context.Context, f *step.File, format string, next func() (records.Record, error)) (records.Index, error) {
	_, found, err := records.WriteChunks(ctx, next, func(chunk int, lines, columns []byte) error {
		return storeChunk(ctx, f, chunk, lines, columns)
	})
	return records.Index{Format: format, Found: found}, err
}
