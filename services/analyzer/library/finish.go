package library

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/analyzer/library/step"
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

// conclude completes a workflow without open steps and publishes its outcome. Several workers may call it; one
// of them makes the move.
func (a *Area) conclude(ctx context.Context, w library.Workflow) error {
	if w.Final() {
		return a.announce(ctx, w, false)
	}
	if w.CurrentState == library.Loaded || w.CurrentState == library.Parsed { // the steps ended before the worker that published them moved the workflow
		if err := a.process(ctx, w); err != nil {
			return err
		}
	}
	metadata, err := a.metadata(ctx, w)
	if err != nil {
		return err
	}
	end := w.End(library.PlanOf(w.FileWorkflowType))
	if w.HasRecords() {
		if end, metadata, err = a.describe(ctx, w, end, metadata); err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
			return err
		}
	}
	if metadata, err = fitted(metadata); err != nil {
		return err
	}
	err = a.store.Finish(ctx, w, end, metadata)
	_, moved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound), errors.Is(err, lifecycle.ErrFenceLost): // erased, or replaced by another run
		return a.compensate(ctx, w.FileID, w.Run)
	case err != nil && !moved:
		return err
	}
	if w, err = a.store.Workflow(ctx, w.FileID); errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return a.announce(ctx, w, !moved)
}

// announce publishes the outcome of a workflow in a final state. The event id contains the time of the last
// move, so that the stream drops duplicates.
func (a *Area) announce(ctx context.Context, w library.Workflow, first bool) error {
	f, err := a.store.File(ctx, w.FileID)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Run != w.Run || !w.Final() {
		return nil
	}
	if err != nil {
		return err
	}
	e := outcome(f, w.Updated())
	if first {
		return a.worker.Announce(ctx, library.Name, e)
	}
	return a.bus.Republish(ctx, e)
}

// concludeFile republishes the outcome of a file in a final state. It handles late messages.
func (a *Area) concludeFile(ctx context.Context, f library.File) error {
	e, err := a.outcomeOf(ctx, f)
	if err != nil {
		return err
	}
	return a.bus.Republish(ctx, e)
}

// outcomeOf returns the outcome of a file in a final state, even if it failed before it had a
// workflow.
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

// failFile fails a run that could not start, and returns the time of the failure.
func (a *Area) failFile(ctx context.Context, fileID string, run int64, reason string) (time.Time, error) {
	f, err := a.store.File(ctx, fileID)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Run != run {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	first := !f.Final()
	if first {
		if err := a.store.Fail(ctx, f, reason); errors.Is(err, lifecycle.ErrNotFound) || errors.Is(err, lifecycle.ErrFenceLost) {
			return time.Time{}, nil
		} else if err != nil {
			return time.Time{}, err
		}
		if f, err = a.store.File(ctx, fileID); errors.Is(err, lifecycle.ErrNotFound) {
			return time.Time{}, nil
		} else if err != nil {
			return time.Time{}, err
		}
	}
	e, err := a.outcomeOf(ctx, f)
	if err != nil {
		return time.Time{}, err
	}
	if first {
		return e.Time, a.worker.Announce(ctx, library.Name, e)
	}
	return e.Time, a.bus.Republish(ctx, e)
}

const (
	// inlineMetadata is the maximum size of the metadata that a step adds to the item of the workflow, in
	// bytes of JSON. Larger metadata is stored as an object.
	inlineMetadata = 2 << 10
	// maxMetadata is the maximum size of a file's metadata in its item, in bytes of JSON.
	maxMetadata = 64 << 10
	// omittedName is the key of the list of metadata names that did not fit.
	omittedName = "omitted"
)

// keep adds the metadata of a step to its result.
func keep(ctx context.Context, f *step.File, r *library.StepResult, metadata map[string]any) error {
	if len(metadata) == 0 {
		return nil
	}
	document, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	if len(document) <= inlineMetadata {
		r.Metadata = metadata
		return nil
	}
	r.MetadataKey, err = f.Store(ctx, f.Step+".json", "application/json", document)
	return err
}

// metadata returns the metadata of all steps of a workflow, or nil.
func (a *Area) metadata(ctx context.Context, w library.Workflow) (table.Document, error) {
	var all table.Document
	for _, name := range slices.Sorted(maps.Keys(w.StepResults)) {
		r := w.StepResults[name]
		found := r.Metadata
		if r.MetadataKey != "" {
			var err error
			if found, err = a.document(ctx, r.MetadataKey); err != nil {
				return nil, err
			}
		}
		if len(found) > 0 && all == nil {
			all = table.Document{}
		}
		maps.Copy(all, found)
	}
	return all, nil
}

func (a *Area) document(ctx context.Context, key string) (table.Document, error) {
	body, err := a.bucket.Open(ctx, key, "")
	if err != nil {
		return nil, err
	}
	defer body.Close()
	document, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var found table.Document
	return found, json.Unmarshal(document, &found)
}

// fitted omits the largest entries until the rest fits into the item of a file, and lists the omitted names. The
// objects stored by the steps still contain these entries.
func fitted(all table.Document) (table.Document, error) {
	sizes, total := map[string]int{}, 0
	for name, value := range all {
		document, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		sizes[name] = len(name) + len(document)
		total += sizes[name]
	}
	var omitted []any
	for total > maxMetadata {
		largest := slices.MaxFunc(slices.Sorted(maps.Keys(sizes)), func(a, b string) int { return sizes[a] - sizes[b] })
		total -= sizes[largest]
		delete(sizes, largest)
		delete(all, largest)
		omitted = append(omitted, largest)
	}
	if len(omitted) > 0 {
		all[omittedName] = omitted
	}
	return all, nil
}
