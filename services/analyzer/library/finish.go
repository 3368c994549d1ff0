package library

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// finish completes a workflow without open steps. It handles the messages that sweeps publish.
func (a *Area) finish(ctx context.Context, s *event.LibraryStep) error {
	w, err := a.store.Workflow(ctx, s.FileId)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && (w.Run != int64(s.Run) || w.WorkflowType != library.FileWorkflow || !w.Joined()) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.conclude(ctx, w)
}

// conclude ends the file of a workflow without open steps.
func (a *Area) conclude(ctx context.Context, w library.Workflow) error {
	return a.joiner().Conclude(ctx, w, w.FileID, w.Run)
}

// Join implements work.Steps.
func (a *Area) Join(ctx context.Context, w library.Workflow) (bool, error) {
	if w.CurrentState == library.Loaded || w.CurrentState == library.Parsed { // the steps ended before the worker that published them moved the workflow
		if err := a.process(ctx, w); err != nil {
			return false, err
		}
	}
	metadata, err := a.metadata(ctx, w)
	if err != nil {
		return false, err
	}
	end := w.End(library.PlanOf(w.FileWorkflowType))
	if w.HasRecords() {
		if end, metadata, err = a.describe(ctx, w, end, metadata); err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
			return false, err
		}
	}
	if metadata, err = fitted(metadata); err != nil {
		return false, err
	}
	err = a.store.Finish(ctx, w, end, metadata)
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved {
		return false, nil
	}
	return err == nil, err
}

// Fail implements work.Steps.
func (a *Area) Fail(ctx context.Context, fileID string, run int64, reason string) (bool, error) {
	f, err := a.store.File(ctx, fileID)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && (f.Run != run || f.Final()) {
		return false, nil
	}
	if err == nil {
		err = a.store.Fail(ctx, f, reason)
	}
	if errors.Is(err, lifecycle.ErrNotFound) || errors.Is(err, lifecycle.ErrFenceLost) {
		return false, nil
	}
	return err == nil, err
}

// Outcome implements work.Steps. A file that failed before it had a workflow has an outcome too.
func (a *Area) Outcome(ctx context.Context, fileID string, run int64) (event.Event, bool, error) {
	f, err := a.store.File(ctx, fileID)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && (f.Run != run || !f.Final()) {
		return event.Event{}, false, nil
	}
	if err != nil {
		return event.Event{}, false, err
	}
	e, err := a.outcomeOf(ctx, f)
	return e, err == nil, err
}

// outcomeOf returns the outcome of a file in a final state.
func (a *Area) outcomeOf(ctx context.Context, f library.File) (event.Event, error) {
	w, err := a.store.Workflow(ctx, f.ID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound), err == nil && (w.Run != f.Run || !w.Final()):
		return outcome(f, f.Updated()), nil
	case err != nil:
		return event.Event{}, err
	}
	return outcome(f, w.Updated()), nil
}

func outcome(f library.File, at time.Time) event.Event {
	if f.Status == library.Failed {
		return event.NewAnalysisFailed(&event.AnalysisFailed{
			Area: library.Name, Id: f.ID, OwnerId: f.OwnedBy, Name: f.Name, FailedAt: timestamppb.New(at), ErrorMessage: f.ErrorMessage,
		})
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{
		Area: library.Name, Id: f.ID, OwnerId: f.OwnedBy, Name: f.Name, CompletedAt: timestamppb.New(at),
	})
}
