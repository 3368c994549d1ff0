package library

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/record"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Names of the metadata of a file's records.
const (
	recordsName  = "records"  // the number of records
	fieldsName   = "fields"   // the columns of the records, at most maxFields
	failuresName = "failures" // the first records that failed
	remarksName  = "remarks"  // what was guessed or skipped and could be read otherwise; absent if nothing was
	preambleName = "preamble" // the lines before a table; absent if there are none
)

// maxFields is the maximum number of columns in the metadata of a file. The object fields.json lists all columns.
const maxFields = 200

// describe describes the records of a workflow without open steps in the metadata. It returns the end of the workflow. It
// returns the errors of file for a file that was deleted or has another run.
func (a *Area) describe(ctx context.Context, w library.Workflow, end library.End, metadata table.Document) (library.End, error) {
	f, err := a.file(ctx, work.Step{Item: w.FileID, Run: w.Run})
	if err != nil {
		return end, err
	}
	failed := map[int]string{}
	for _, name := range w.StepsFailed {
		if chunk, ok := library.ParseChunkStep(name); ok {
			failed[chunk] = w.StepResults[name].Reason
		}
	}
	file := step.New(a.bucket, a.memory, w.Step(f, library.StepFinish).Data.(*event.LibraryStep))
	o, err := record.Finish(ctx, file, failed)
	if errors.Is(err, blob.ErrNotFound) {
		_, err = a.file(ctx, work.Step{Item: w.FileID, Run: w.Run}) // an erasure deletes the results first
		return library.End{State: library.Failed, Message: reason.RecordsGone.Error()}, err
	}
	if err != nil {
		return end, err
	}
	end.Records = int64(o.Found)
	switch {
	case o.Failed == 0:
	case o.Processed == 0 && end.State != library.Failed && !slices.Contains(w.StepsDone, extract.StepRecords): // that step is optional
		end.State, end.Message = library.Failed, reason.NoRecordRead.Fill(o.Failures[0].Error).Error()
	default:
		end = end.Partly(reason.RecordsFailed.Fill(o.Failed, o.Total(), o.Failures[0].Index+1, o.Failures[0].Error).Error())
	}
	metadata[recordsName] = map[string]any{"format": o.Format, "found": o.Found, "processed": o.Processed, "failed": o.Failed, "fields": len(o.Columns), "omittedFields": o.Omitted}
	metadata[fieldsName], metadata[failuresName] = o.Columns[:min(len(o.Columns), maxFields)], append([]records.Failure{}, o.Failures...)
	if len(o.Remarks) > 0 {
		metadata[remarksName] = o.Remarks
	}
	if o.Preamble != "" {
		metadata[preambleName] = o.Preamble
	}
	return end, nil
}
