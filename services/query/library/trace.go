package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/query/trace"
)

// Trace returns what the tables contain about a node. For a file, it includes the run of its workflow with the steps.
func (a *Area) Trace(ctx context.Context, id string) (trace.Item, error) {
	n, err := a.store.Get(ctx, id)
	if err != nil {
		return trace.Item{}, err
	}
	item := trace.Item{Name: n.Name, Owner: n.OwnedBy, State: string(n.Status)}
	item.Add(n.Created(), "created")
	switch trashed := n.View(library.Caller{Owner: n.OwnedBy}).TrashedAt; {
	case n.Erasing():
		item.Add(n.Updated(), "is being erased")
	case n.IsDeleted && trashed != nil:
		item.Add(*trashed, "put into the trash")
	}
	if !n.IsFile() {
		return item, nil
	}
	f, err := a.store.File(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		item.Error = "the file of the node is missing"
		return item, nil
	}
	if err != nil {
		return trace.Item{}, err
	}
	item.State, item.Error = string(f.Status), f.ErrorMessage
	w, err := a.store.WorkflowOf(ctx, f)
	if errors.Is(err, lifecycle.ErrNotFound) {
		if f.Updated() != f.Created() {
			item.Add(f.Updated(), "last change of the file")
		}
		return item, nil // Loading
	}
	if err != nil {
		return trace.Item{}, err
	}
	addWorkflow(&item, w)
	return item, nil
}

// addWorkflow adds the run of a workflow and its steps.
func addWorkflow(item *trace.Item, w library.Workflow) {
	view := w.View()
	item.Error = cmp.Or(item.Error, w.FailureMessage)
	item.Add(w.Created(), fmt.Sprintf("run %d of the workflow %s began", w.Run, w.FileWorkflowType))
	if w.Final() {
		item.Add(w.Updated(), "became "+string(w.CurrentState))
	} else {
		item.Add(w.Updated(), "last step ended; the workflow is "+string(w.CurrentState))
		item.Add(w.Due(), "a sweep checks the workflow if no step ends before")
	}
	for _, step := range view.Steps {
		detail := step.Reason
		if step.Engine != "" {
			detail = strings.TrimPrefix(detail+"; "+step.Engine, "; ")
		}
		item.Parts = append(item.Parts, trace.Part{Name: step.ID, State: step.State, Attempts: step.Attempts, Millis: step.MS, Detail: detail})
	}
	if c := view.Chunks; c != nil {
		item.Parts = append(item.Parts, trace.Part{
			Name: "chunk/*", State: fmt.Sprintf("%d open, %d done, %d failed", c.Open, c.Done, c.Failed), Detail: fmt.Sprintf("%d chunks of records", c.Total),
		})
	}
}

// WorkSubjects returns a filter for the step events of a file.
func (a *Area) WorkSubjects(id string) string { return library.StepsOf(id) }
