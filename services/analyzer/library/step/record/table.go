package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/sheet"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/extract/zipxml"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	// maxWorkbook is the maximum size of a workbook, in bytes.
	maxWorkbook = 100 << 20
	// rowRate is the minimum throughput of processing rows in bytes per second. On an idle processor it is about 10 MB/s.
	rowRate = 2 << 20
	// workbookTime bounds an attempt at a workbook, whose rows are compressed.
	workbookTime = 5 * time.Minute
)

// ParseTable returns the step that finds and processes the rows of a delimited table. The kit identifies the molecules
// of a column of SMILES.
func ParseTable(kit *structure.Kit) step.Step {
	return step.Step{Time: 2*time.Minute + identifyingRows, Rate: rowRate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, step.RecordMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		var x records.Index
		var rows *sheet.Text
		coding, err := readTable(ctx, f, func(opened *sheet.Text) (err error) {
			rows = opened
			x, err = processRows(ctx, f, kit, "csv", rows.Next)
			return err
		})
		if err != nil {
			return step.Result{}, err
		}
		switch {
		case x.Found == 0 && len(rows.Columns()) == 0:
			return step.Result{Skipped: reason.NoRows}, nil
		case x.Found == 0:
			return step.Result{}, reason.NoRows
		}
		x.Remarks, x.Preamble, x.Units = append(coding.Remarks(), rows.Remarks...), rows.Preamble, rows.Units
		x.Delimiter, x.Decimal = string(rows.Delimiter), f.Options.Decimal
		r, err := StoreIndex(ctx, f, x)
		r.Metadata = step.Decoding(coding)
		return r, err
	}}
}

// readTable calls use with the rows of a delimited table, and returns how the table was decoded.
func readTable(ctx context.Context, f *step.File, use func(*sheet.Text) error) (plaintext.Outcome, error) {
	return f.Text(ctx).ReadDetected(func(text io.Reader) error {
		rows, err := sheet.NewText(text, f.Options)
		if err != nil {
			return err
		}
		return use(rows)
	})
}

// Workbook returns the step that finds and processes the rows of the sheets of an XLSX workbook. Documents in other
// formats are skipped. The kit identifies the molecules of a column of SMILES.
func Workbook(kit *structure.Kit) step.Step {
	return step.Step{Time: workbookTime + identifyingRows, Rate: rowRate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
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
		x, err := processRows(ctx, f, kit, "xlsx", func() (records.Record, error) {
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
		x.Remarks, x.Preamble, x.Units = book.Remarks, strings.TrimSpace(book.Preamble), book.Units
		r, err := StoreIndex(ctx, f, x)
		if repeated {
			r.Partial = reason.RepeatedStrings.Fill(x.Found)
		}
		return r, err
	}}
}

// processRows processes all rows and stores them in chunks.
func processRows(ctx context.Context, f *step.File, kit *structure.Kit, format string, next func() (records.Record, error)) (x records.Index, err error) {
	molecules := Molecules{Kit: kit}
	defer func() { err = errors.Join(err, molecules.Close()) }()
	identified := func() (records.Record, error) {
		r, err := next()
		if err == nil {
			err = molecules.Identify(ctx, &r)
		}
		return r, err
	}
	rows, err := records.WriteChunks(ctx, identified, func(chunk int, lines, columns []byte) error {
		return StoreChunk(ctx, f, chunk, lines, columns)
	})
	return records.Index{Format: format, Found: rows.Found, Starts: rows.Starts}, err
}
