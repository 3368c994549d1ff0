package library

import (
	"cmp"
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
	"github.com/assay-project/assay/services/analyzer/work"
)

// Begin implements work.Steps. It detects the type of the file, if it is not known yet.
func (a *Area) Begin(ctx context.Context, s work.Step) (library.Workflow, error) {
	f, err := a.file(ctx, s)
	if err != nil || f.Final() { // a final file has a late message
		return library.Workflow{CurrentState: f.Status}, err
	}
	var w library.Workflow
	if f.ETag != "" {
		w, err = a.Run(ctx, s)
	} else {
		f, w, err = a.identify(ctx, f)
	}
	if err != nil {
		return w, err
	}
	return w, a.publish(ctx, f, w)
}

// identify records the properties of the stored content of a file, and its steps.
func (a *Area) identify(ctx context.Context, f library.File) (_ library.File, w library.Workflow, err error) {
	object, err := upload.Find(ctx, f.Upload(a.bucket))
	if f.Origin != "" && errors.Is(err, upload.ErrNoBytes) {
		object, err = a.fetch(ctx, f)
	}
	if err != nil {
		return f, w, err
	}
	opened := f.Start(object.ETag).Data.(*event.LibraryStep)
	opened.Size = float64(object.Size)
	kind := f.Type
	if !library.Derived(kind) {
		head, err := step.New(a.bucket, a.memory, opened).Head(ctx, extract.HeadSize)
		if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
			return f, w, upload.ErrNoBytes
		}
		if err != nil {
			return f, w, err
		}
		kind = extract.Detect(head, f.Name).Type
	}
	if object.Size == 0 && !extract.Of(kind).Blank {
		return f, w, reason.FileEmpty
	}
	plan := library.PlanOf(kind)
	found := library.Content{Type: plan.Type, Length: object.Size, ETag: object.ETag}
	if f.Origin != "" {
		if err = fetched(&found, object); err != nil {
			return f, w, err
		}
	}
	if len(object.ETag) == md5Digits && !strings.Contains(object.ETag, "-") {
		found.MD5 = object.ETag // the ETag of an upload in one part is its MD5
	}
	record := a.store.StoreUpload
	if f.Status != library.Loading { // a retry of a run that failed before the file was Loaded
		record = a.store.Identify
	}
	stored, w, err := record(ctx, f, found, plan)
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved {
		return f, w, bus.ErrTakenOver
	}
	if errors.Is(err, lifecycle.ErrNotFound) && f.Origin != "" { // erased during the fetch
		return f, w, cmp.Or(a.bucket.Delete(ctx, f.Key), err)
	}
	return stored, w, err
}

const md5Digits = 32

// publish publishes the open steps of a workflow, except those that have an outstanding message, and then moves it to
// Processing. While StepParse may open more steps, it does not move it.
func (a *Area) publish(ctx context.Context, f library.File, w library.Workflow) error {
	for _, name := range w.StepsOpen {
		if err := a.bus.Ensure(ctx, w.Step(f, name)); err != nil {
			return err
		}
	}
	if w.IsOpen(extract.StepParse) && w.CurrentState != library.Parsed {
		return nil
	}
	return a.startProcessing(ctx, w)
}

// startProcessing moves a workflow whose steps are published to Processing, unless it is in that state or a later one.
func (a *Area) startProcessing(ctx context.Context, w library.Workflow) error {
	if w.CurrentState != library.Loaded && w.CurrentState != library.Parsed {
		return nil
	}
	return unlessMoved(a.store.StartProcessing(ctx, w))
}

// unlessMoved returns nil for the error of a move that another worker has made, and other errors unchanged.
func unlessMoved(err error) error {
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved {
		return nil
	}
	return err
}

// openMore opens and publishes the steps that follow a step: those for the records that StepParse found, or the next one if the
// plan of the file is sequential. It runs before the step is completed, so that a redelivery repeats all of it.
func (a *Area) openMore(ctx context.Context, s work.Step, kind extract.Type, found step.Result) (err error) {
	next := library.PlanOf(kind).Next(s.Name)
	switch {
	case s.Name == extract.StepParse:
		err = unlessMoved(a.store.FinishParsing(ctx, runOf(s), found.Chunks, found.Records))
	case next != "":
		err = a.store.OpenStep(ctx, runOf(s), next, s.Name)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	f, err := a.file(ctx, s)
	if err != nil {
		return err
	}
	w, err := a.Run(ctx, s)
	if err != nil {
		return err
	}
	if next != "" {
		w.StepsOpen = []string{next} // the other one is this step
	}
	return a.publish(ctx, f, w)
}
