package library

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Join implements work.Steps.
func (a *Area) Join(ctx context.Context, w library.Workflow) (bool, error) {
	if err := a.startProcessing(ctx, w); err != nil { // the steps may end before the worker that published them moves the workflow
		return false, err
	}
	metadata, err := a.metadata(ctx, w)
	if err != nil {
		return false, err
	}
	end := w.End(library.PlanOf(w.FileWorkflowType))
	if w.HasRecords() {
		if end, err = a.describe(ctx, w, end, metadata); err != nil {
			return false, err
		}
	}
	if metadata, err = fitted(metadata); err != nil {
		return false, err
	}
	err = a.store.Finish(ctx, w, end, metadata)
	return err == nil, unlessMoved(err)
}

// Fail implements work.Steps.
func (a *Area) Fail(ctx context.Context, s work.Step, reason string) (bool, error) {
	f, err := a.file(ctx, s)
	if err == nil {
		err = a.store.Fail(ctx, f, reason)
	}
	return err == nil, unlessMoved(err)
}

// Outcome implements work.Steps.
func (a *Area) Outcome(ctx context.Context, s work.Step) (e event.Event, ok bool, err error) {
	f, err := a.file(ctx, s)
	if err == nil && f.Final() {
		e, err = a.outcomeOf(ctx, f)
	}
	return e, f.Final(), err
}

// outcomeOf returns the outcome of a file in a final state. A file that failed before it had a workflow has an outcome too.
func (a *Area) outcomeOf(ctx context.Context, f library.File) (event.Event, error) {
	at := timestamppb.New(f.Updated())
	switch w, err := a.store.WorkflowOf(ctx, f); {
	case err == nil && w.Final():
		at = timestamppb.New(w.Updated())
	case err != nil && !errors.Is(err, lifecycle.ErrNotFound):
		return event.Event{}, err
	}
	if f.Status == library.Failed {
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: library.Name, Id: f.ID, OwnerId: f.OwnedBy, Name: f.Name, FailedAt: at, ErrorMessage: f.ErrorMessage,
		}), nil
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: library.Name, Id: f.ID, OwnerId: f.OwnedBy, Name: f.Name, CompletedAt: at,
	}), nil
}
