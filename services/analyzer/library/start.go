package library

import (
	"context"
	"errors"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// start begins a run: it detects the type of the file, if it is not known yet, and publishes the open steps. It is
// idempotent.
func (a *Area) start(ctx context.Context, s *event.LibraryStep) error {
	f, err := a.store.File(ctx, s.FileId)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Run != int64(s.Run) {
		return nil
	}
	if err != nil {
		return err
	}
	if f.Erasing() {
		return nil
	}
	if f.Final() { // a late message
		_, err := a.joiner().Announce(ctx, f.ID, f.Run, false)
		return err
	}
	var w library.Workflow
	if f.ETag != "" {
		w, err = a.store.Workflow(ctx, f.ID)
	} else {
		f, w, err = a.stored(ctx, f)
	}
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound): // erased concurrently
		if s.Origin != "" {
			return a.bucket.Delete(ctx, f.Key)
		}
		return nil
	case moved, errors.Is(err, lifecycle.ErrFenceLost):
		return bus.ErrTakenOver
	case err != nil:
		return err
	case w.Run != f.Run || w.WorkflowType != library.FileWorkflow:
		return nil
	}
	return a.dispatch(ctx, f, w)
}

// stored records the properties of the stored content of a file.
func (a *Area) stored(ctx context.Context, f library.File) (library.File, library.Workflow, error) {
	none := library.Workflow{}
	object, err := upload.Find(ctx, f.Upload(a.bucket))
	if f.Origin != "" && errors.Is(err, upload.ErrNoBytes) {
		object, err = a.fetch(ctx, f)
	}
	switch {
	case err != nil:
		return f, none, err
	case object.Size == 0:
		return f, none, reason.FileEmpty
	}
	opened := f.Start(object.ETag).Data.(*event.LibraryStep)
	opened.Size = float64(object.Size)
	head, err := step.New(a.bucket, a.memory, opened).Head(ctx, extract.HeadSize)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return f, none, upload.ErrNoBytes
	}
	if err != nil {
		return f, none, err
	}
	plan := library.PlanOf(extract.Detect(head, f.Name).Type)
	found := library.Content{Type: plan.Type, Length: object.Size, ETag: object.ETag}
	if f.Origin != "" {
		if err := fetched(&found, object); err != nil {
			return f, none, err
		}
	}
	if len(object.ETag) == md5Digits && !strings.Contains(object.ETag, "-") {
		found.MD5 = object.ETag // the ETag of an upload in one part is its MD5
	}
	if f.Status == library.Loading {
		return a.store.StoreUpload(ctx, f, found, plan)
	}
	return a.store.Identify(ctx, f, found, plan) // a retry of a run that failed before the file was Loaded
}

const md5Digits = 32

// dispatch publishes the open steps of a workflow, and then moves it to the next state. In a workflow with
// StepParse, that step moves it instead.
func (a *Area) dispatch(ctx context.Context, f library.File, w library.Workflow) error {
	if w.Joined() {
		return a.conclude(ctx, w)
	}
	if err := a.publish(ctx, f, w, w.StepsOpen...); err != nil {
		return err
	}
	if w.IsOpen(extract.StepParse) {
		return nil
	}
	return a.process(ctx, w)
}

// publish publishes steps, except those that have an outstanding message.
func (a *Area) publish(ctx context.Context, f library.File, w library.Workflow, steps ...string) error {
	for _, name := range steps {
		if err := a.bus.Ensure(ctx, w.Step(f, name)); err != nil {
			return err
		}
	}
	return nil
}

// process moves a workflow to Processing, unless it is in that state or a later one.
func (a *Area) process(ctx context.Context, w library.Workflow) error {
	return unlessMoved(a.store.StartProcessing(ctx, w))
}

// unlessMoved returns nil for the error of a move that another worker has made, or of a run that was replaced or deleted,
// and other errors unchanged. The write that ends a step checks the run.
func unlessMoved(err error) error {
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved || errors.Is(err, lifecycle.ErrFenceLost) || errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	return err
}

// startParsing moves a file to Parsing, unless it is in that state or a later one.
func (a *Area) startParsing(ctx context.Context, s *event.LibraryStep) error {
	return unlessMoved(a.store.StartParsing(ctx, library.Workflow{CorrelationID: s.FileId, FileID: s.FileId, Run: int64(s.Run)}))
}

// finishParsing opens and publishes the steps for the records found by StepParse. It runs before StepParse is
// completed, so that a redelivery repeats all of it.
func (a *Area) finishParsing(ctx context.Context, s *event.LibraryStep, found step.Result) error {
	w := library.Workflow{CorrelationID: s.FileId, FileID: s.FileId, Run: int64(s.Run)}
	err := a.store.FinishParsing(ctx, w, found.Chunks, found.Records)
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrFenceLost), errors.Is(err, lifecycle.ErrNotFound):
		return nil // FinishStep fails too, and its caller deletes the results
	case err != nil && !moved:
		return err
	}
	f, err := a.store.File(ctx, s.FileId)
	if err == nil {
		w, err = a.store.Workflow(ctx, s.FileId)
	}
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && (f.Run != int64(s.Run) || w.Run != f.Run) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.publish(ctx, f, w, w.StepsOpen...); err != nil {
		return err
	}
	return a.process(ctx, w)
}
