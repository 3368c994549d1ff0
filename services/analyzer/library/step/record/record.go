// Package record contains the steps for files of records: molecules, reactions, crystals, spectra and rows of tables.
//
// Parse finds the boundaries of the records, and Chunk processes 1,000 of them. The boundaries of table rows are known
// only after parsing, so ParseTable and Workbook process the rows while they find them. Finish then describes all
// records.
package record

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	engine = "records 1"
	// rate is the minimum throughput of an attempt in bytes per second: 50 Mbit/s.
	rate = 6 << 20
	// window is the number of bytes requested at a time when the first records of a file are read.
	window = 1 << 20

	jsonType = "application/json"
	gzipType = "application/gzip"
	// columnsType is the media type of the columns of a chunk.
	columnsType = "application/octet-stream"
)

// formatOf returns the format of the records in a file, given its type and first bytes.
func formatOf(t extract.Type, head []byte) (records.Format, error) {
	f, found := extract.Of(t).RecordFormat(head)
	if !found {
		return f, reason.NoRecordType.Fill(t)
	}
	return f, nil
}

// StoreIndex stores the result of parsing and returns the result of the step.
func StoreIndex(ctx context.Context, f *step.File, x records.Index) (step.Result, error) {
	document, err := json.Marshal(x)
	if err != nil {
		return step.Result{}, err
	}
	r := step.Result{Engine: engine, Chunks: len(x.Spans), Records: int64(x.Found)}
	if x.Found > x.Total() {
		r.Partial = reason.RecordsLimit.Fill(x.Found, x.Total())
	}
	r.Key, err = f.Store(ctx, records.IndexName, jsonType, document)
	return r, err
}

// readIndex reads the stored result of parsing.
func readIndex(ctx context.Context, f *step.File) (records.Index, error) {
	document, err := f.ResultPart(ctx, records.IndexName, 0, -1)
	if err != nil {
		return records.Index{}, err
	}
	return records.ParseIndex(document)
}

// Parse returns the step that finds the records of a file, without processing them.
func Parse() step.Step {
	return step.Step{Time: time.Minute, Rate: rate, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		head, err := f.Head(ctx, 1<<10)
		if err != nil {
			return step.Result{}, err
		}
		kind, err := formatOf(f.Type, head)
		if err != nil {
			return step.Result{}, err
		}
		kind, coded, err := decoded(ctx, f, kind)
		if err != nil {
			return step.Result{}, err
		}
		body := f.Open(ctx)
		defer body.Close()
		spans, found, err := kind.Spans(body)
		if err != nil {
			return step.Result{}, err
		}
		if found == 0 {
			return step.Result{}, reason.NoRecords
		}
		x := records.Index{Format: kind.Name, Found: found, Spans: spans, Charset: coded.Name}
		if coded.Name == "" {
			return StoreIndex(ctx, f, x)
		}
		outcome := plaintext.Outcome{Charset: coded}
		x.Remarks = outcome.Remarks()
		r, err := StoreIndex(ctx, f, x)
		r.Metadata = step.Decoding(outcome)
		return r, err
	}}
}
