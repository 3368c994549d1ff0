package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// Finish describes the records of a file whose chunks have all ended, and stores the description. failed
// contains a reason for each chunk whose records all failed; the reasons are stored too. Finish is
// idempotent. It returns blob.ErrNotFound if results are missing, for example after an erasure.
func Finish(ctx context.Context, f *step.File, failed map[int]string) (records.Overview, error) {
	x, err := readIndex(ctx, f)
	if err != nil {
		return records.Overview{}, err
	}
	for chunk, reason := range failed {
		var lines, columns bytes.Buffer
		if err := records.FailChunk(&lines, &columns, x, chunk, reason); err != nil {
			return records.Overview{}, err
		}
		if err := StoreChunk(ctx, f, chunk, lines.Bytes(), columns.Bytes()); err != nil {
			return records.Overview{}, err
		}
	}
	o := records.Overview{Format: x.Format, Found: x.Found, Starts: x.Starts, Remarks: x.Remarks, Preamble: x.Preamble}
	all := records.File{Get: f.ResultPart, Total: x.Total(), Starts: x.Starts}
	var failures bytes.Buffer
	z := gzip.NewWriter(&failures)
	encoder := json.NewEncoder(z)
	summary, err := all.Survey(ctx, func(failure records.Failure) error {
		if len(o.Failures) < records.MaxFailures {
			o.Failures = append(o.Failures, failure)
		}
		return encoder.Encode(failure)
	})
	if err := errors.Join(err, z.Close()); err != nil {
		return o, err
	}
	o.Processed, o.Failed, o.Omitted = summary.Records, summary.Failed, summary.Omitted
	columns, remarks := summary.Describe(x.Delimiter, x.Decimal)
	for i, column := range columns {
		if !column.Property {
			columns[i].Unit = x.Units[column.Name]
		}
	}
	o.Columns, o.Remarks = columns, append(o.Remarks, remarks...)
	if o.Failed > records.MaxFailures {
		if _, err := f.Store(ctx, records.FailuresName, gzipType, failures.Bytes()); err != nil {
			return o, err
		}
	}
	document, err := json.Marshal(o)
	if err != nil {
		return o, err
	}
	if _, err := f.Store(ctx, records.OverviewName, jsonType, document); err != nil {
		return o, err
	}
	return o, describe(ctx, f, &all, o.Columns)
}

// describing bounds the time for the statistics of a file. Without them, they are computed when they are requested.
const describing = 30 * time.Second

// describe stores the statistics of the first columns of all records, unless that takes too long.
func describe(ctx context.Context, f *step.File, all *records.File, columns []records.Column) error {
	indexes, err := all.Select(ctx, nil, nil)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, describing)
	defer cancel()
	d, err := all.Describe(bounded, indexes, columns[:min(len(columns), records.MaxDescribed)], nil)
	if bounded.Err() != nil && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return err
	}
	document, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = f.Store(ctx, records.SummaryName, jsonType, document)
	return err
}
