package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/library/records"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/record"
)

// Names of the metadata of a file's records.
const (
	recordsName  = "records"  // the number of records
	fieldsName   = "fields"   // the columns of the records, at most maxFields
	failuresName = "failures" // the first records that failed
)

// maxFields is the maximum number of columns in the metadata of a file. The object fields.json lists all columns.
const maxFields = 200

// describe describes the records of a workflow without open steps. It returns the end of the workflow and the
// metadata, including the description. It returns lifecycle.ErrNotFound if the file is erased or has another run.
func (a *Area) describe(ctx context.Context, w library.Workflow, end library.End, metadata map[string]any) (library.End, map[string]any, error) {
	f, err := a.store.File(ctx, w.FileID)
	if err == nil && f.Run != w.Run {
		err = lifecycle.ErrNotFound
	}
	if err != nil {
		return end, nil, err
	}
	failed := map[int]string{}
	for _, name := range w.StepsFailed {
		if chunk, ok := library.ParseChunkStep(name); ok {
			failed[chunk] = w.StepResults[name].Reason
		}
	}
	file := step.New(a.bucket, w.Step(f, library.StepFinish).Data.(*event.LibraryStep))
	o, err := record.Finish(ctx, file, failed)
	if errors.Is(err, blob.ErrNotFound) {
		return a.withoutRecords(ctx, w, metadata)
	}
	if err != nil {
		return end, nil, err
	}
	end.Records = int64(o.Found)
	switch {
	case o.Failed == 0:
	case o.Processed == 0 && end.State != library.Failed:
		end.State, end.Message = library.Failed, fmt.Sprintf("no record can be read; the first error: %s", o.Failures[0].Error)
	default:
		end = end.Partly(fmt.Sprintf("%d of %d records failed; the first, record %d: %s", o.Failed, o.Total(), o.Failures[0].Index+1, o.Failures[0].Error))
	}
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata[recordsName] = map[string]any{"format": o.Format, "found": o.Found, "processed": o.Processed, "failed": o.Failed, "fields": len(o.Columns), "omittedFields": o.Omitted}
	for name, list := range map[string]any{fieldsName: o.Columns[:min(len(o.Columns), maxFields)], failuresName: append([]records.Failure{}, o.Failures...)} {
		if metadata[name], err = plain(list); err != nil {
			return end, nil, err
		}
	}
	return end, metadata, nil
}

// withoutRecords returns the end of a workflow whose record results are missing. It returns
// lifecycle.ErrNotFound if the file is erased or has another run.
func (a *Area) withoutRecords(ctx context.Context, w library.Workflow, metadata map[string]any) (library.End, map[string]any, error) {
	f, err := a.store.File(ctx, w.FileID)
	if err == nil && f.Run != w.Run {
		err = lifecycle.ErrNotFound
	}
	return library.End{State: library.Failed, Message: "the bucket no longer contains the results of the records; retry the file"}, metadata, err
}

// plain converts a value to a JSON type.
func plain(value any) (any, error) {
	document, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var found any
	return found, json.Unmarshal(document, &found)
}
