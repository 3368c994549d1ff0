package library

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/work"
)

// Codes of findings that are specific to the library.
const (
	unnotifiedUpload  = "unnotified_upload"  // an uploaded object without a notification; the event is published
	unusedReservation = "unused_reservation" // an old reservation without an upload; deleted
	overdueStep       = "overdue_step"       // a step that has had no message for hours; published again, and failed after several attempts
	lostWorkflow      = "lost_workflow"      // a file in processing without a workflow; moved to Failed
	outdatedWorkflow  = "outdated_workflow"  // a workflow that ended long ago or belongs to an earlier run; deleted
	outdatedObject    = "outdated_object"    // a result of an earlier run; deleted
	orphanNode        = "orphan_node"        // a node whose folder no longer exists; erased
	outdatedTrash     = "outdated_trash"     // a node that has been in the trash for ASSAY_TRASH_KEEP; erased
)

// Findings returns the codes of findings besides those of package sweeper.
func (a *Area) Findings() []string {
	return []string{unnotifiedUpload, unusedReservation, overdueStep, lostWorkflow, outdatedWorkflow, outdatedObject, orphanNode, outdatedTrash}
}

const (
	// keepWorkflow is the retention time of a workflow after its end.
	keepWorkflow = 7 * 24 * time.Hour
	// maxRepublications is the number of times that an overdue step is published again before it
	// fails.
	maxRepublications = 3
)

// Orphans of the library.
var (
	nodeless   = sweeper.Orphans{Found: sweeper.InconsistentCopies, Text: "files have no node"}
	fileless   = sweeper.Orphans{Found: sweeper.InconsistentCopies, Text: "nodes of files have no file"}
	folderless = sweeper.Orphans{Found: orphanNode, Text: "nodes are in a folder that does not exist"}
	unneeded   = sweeper.Orphans{Found: outdatedWorkflow, Text: "workflows have no file"}
)

// sweep repairs workflows and files and deletes data that is no longer needed. Each pass reads a table, or the
// objects.
type sweep struct {
	*Area
	counting *sweeper.Counting
}

func (s sweep) run(ctx context.Context, r *sweeper.Run) error {
	return errors.Join(
		s.counting.Sweep(ctx, r),
		r.Tags(ctx, s.store.Exist),
		r.Walk(ctx, "workflows", func(ctx context.Context, cursor string) (string, int, error) {
			page, err := s.store.ScanWorkflows(ctx, cursor, library.ScanLimit)
			return checkPage(ctx, r, page, err, s.workflow)
		}),
		r.Walk(ctx, "files", func(ctx context.Context, cursor string) (string, int, error) {
			page, err := s.store.ScanFiles(ctx, cursor, library.ScanLimit)
			if err == nil {
				err = s.inconsistent(ctx, r, idsOf(page.Items))
			}
			return checkPage(ctx, r, page, err, s.file)
		}),
		r.Walk(ctx, "nodes", func(ctx context.Context, cursor string) (string, int, error) {
			page, err := s.store.ScanNodes(ctx, cursor, library.ScanLimit)
			if err == nil {
				err = s.counting.Items(ctx, r, countable(page.Items))
			}
			if err == nil {
				err = s.orphanNodes(ctx, r, page.Items)
			}
			if err == nil {
				err = s.withoutFile(ctx, r, page.Items)
			}
			return checkPage(ctx, r, page, err, s.node)
		}),
		sweeper.WalkObjects(ctx, r, "objects", objects(s)),
		sweeper.WalkUploads(ctx, r, s.bucket, library.ObjectPrefix))
}

// checkPage checks each item of a page. It returns the cursor of the next page and the number of
// items read.
func checkPage[T any](ctx context.Context, r *sweeper.Run, page library.Scanned[T], err error, check func(context.Context, *sweeper.Run, T) error) (string, int, error) {
	if err != nil {
		return "", 0, err
	}
	for _, broken := range page.Broken {
		r.Found(ctx, sweeper.UnreadableItem, broken.ID, func(context.Context) error { return broken.Err })
	}
	for _, item := range page.Items {
		if err := check(ctx, r, item); err != nil {
			return "", 0, err
		}
	}
	return page.Next, len(page.Items) + len(page.Broken), nil
}

// workflow repairs a workflow without a message, and deletes an old one.
func (s sweep) workflow(ctx context.Context, r *sweeper.Run, w library.Workflow) error {
	if w.Final() {
		if r.Older(w.Updated(), keepWorkflow) {
			r.Found(ctx, outdatedWorkflow, w.CorrelationID, func(ctx context.Context) error { return gone(s.store.Drop(ctx, w)) })
		}
		return nil
	}
	if r.Young(w.Updated()) {
		return nil
	}
	if w.WorkflowType == library.EraseWorkflow {
		return s.lost(ctx, r, w, w.Erase())
	}
	w, err := s.store.Workflow(ctx, w.CorrelationID) // the scan may be outdated
	if err != nil || w.Final() || r.Young(w.Updated()) || w.WorkflowType == library.EraseWorkflow {
		return gone(err)
	}
	f, err := s.store.File(ctx, w.FileID)
	r.Compared(unneeded, 1)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		r.Orphan(unneeded, w.CorrelationID, func(ctx context.Context) (bool, error) {
			_, err := s.store.File(ctx, w.FileID)
			return errors.Is(err, lifecycle.ErrNotFound), gone(err)
		}, func(ctx context.Context) error { return gone(s.store.Drop(ctx, w)) })
		return nil
	case err == nil && f.Run > w.Run:
		r.Found(ctx, outdatedWorkflow, w.CorrelationID, func(ctx context.Context) error { return gone(s.store.Drop(ctx, w)) })
		return nil
	case err != nil:
		return err
	case w.Joined():
		return s.lost(ctx, r, w, w.Step(f, library.StepFinish))
	case w.CurrentState == library.Loaded || w.ETag == "":
		return s.lost(ctx, r, w, w.Step(f, library.StepStart))
	}
	for _, name := range w.StepsOpen {
		if err := s.lost(ctx, r, w, w.Step(f, name)); err != nil {
			return err
		}
	}
	return nil
}

// lost republishes the message of a workflow if the stream does not contain it. After several
// republications without effect, it fails the step.
func (s sweep) lost(ctx context.Context, r *sweeper.Run, w library.Workflow, e event.Event) error {
	outstanding, err := s.bus.Outstanding(ctx, e.Subject, e.Tenant)
	if err != nil || outstanding {
		return err
	}
	publish := func(ctx context.Context) error { return s.bus.Publish(ctx, e) }
	d, ok := e.Data.(*event.LibraryStep)
	if !ok || !r.Older(w.Due(), 0) {
		r.Found(ctx, sweeper.LostMessage, w.CorrelationID, publish)
		return nil
	}
	r.Found(ctx, overdueStep, w.CorrelationID, func(ctx context.Context) error {
		if w.Republished < maxRepublications || !slices.Contains(w.StepsOpen, d.Step) {
			if err := s.store.Postpone(ctx, w); err != nil && !errors.Is(err, lifecycle.ErrCondition) {
				return gone(err)
			}
			return publish(ctx)
		}
		w, err := s.FailStep(ctx, stepOf(d), "the step did not end in time", 0)
		if err == nil {
			err = s.joiner().Conclude(ctx, w, stepOf(d))
		}
		return gone(err)
	})
	return nil
}

// gone returns nil for errors about an item that was changed or deleted concurrently.
func gone(err error) error {
	if errors.Is(err, lifecycle.ErrNotFound) || errors.Is(err, lifecycle.ErrCondition) || errors.Is(err, lifecycle.ErrFenceLost) {
		return nil
	}
	return err
}

// file repairs a file that has no workflow, and publishes outcomes again.
func (s sweep) file(ctx context.Context, r *sweeper.Run, f library.File) error {
	if f.Final() {
		return s.ended(ctx, r, f)
	}
	if r.Young(f.Updated()) || f.Erasing() {
		return nil
	}
	if f.Status != library.Loading {
		_, err := s.store.WorkflowOf(ctx, f)
		if !errors.Is(err, lifecycle.ErrNotFound) {
			return err
		}
		r.Found(ctx, lostWorkflow, f.ID, func(ctx context.Context) error {
			_, err := s.joiner().GiveUpItem(ctx, work.Step{Item: f.ID, Run: f.Run}, "the state of the processing was lost; retry the file")
			return err
		})
		return nil
	}
	e := f.Start("")
	if outstanding, err := s.bus.Outstanding(ctx, e.Subject, e.Tenant); err != nil || outstanding {
		return err
	}
	_, err := upload.Find(ctx, f.Upload(s.bucket))
	switch {
	case err == nil, errors.Is(err, upload.ErrOtherBytes): // the start of the run records the reason
		r.Found(ctx, unnotifiedUpload, f.ID, func(ctx context.Context) error { return s.bus.Publish(ctx, e) })
	case !errors.Is(err, upload.ErrNoBytes):
		return err
	case f.Unfetched():
		r.Found(ctx, sweeper.LostMessage, f.ID, func(ctx context.Context) error { return s.bus.Publish(ctx, e) })
	case r.Old(f.Created()):
		r.Found(ctx, unusedReservation, f.ID, func(ctx context.Context) error {
			if err := s.store.Expire(ctx, f); err != nil {
				return gone(err)
			}
			return s.quotas.Erased(ctx, f.OwnedBy, library.Name, f.ID)
		})
	}
	return nil
}

// ended publishes the outcome of a file again if the run has OutcomesSince and the outcome is not older.
func (s sweep) ended(ctx context.Context, r *sweeper.Run, f library.File) error {
	if r.OutcomesSince.IsZero() || f.Updated().Before(r.OutcomesSince) {
		return nil
	}
	e, err := s.outcomeOf(ctx, f)
	if err != nil {
		return err
	}
	if !e.Time.Before(r.OutcomesSince) {
		r.Found(ctx, sweeper.UnnotifiedOutcome, f.ID, func(ctx context.Context) error { return s.bus.Republish(ctx, e) })
	}
	return nil
}

// countable returns the nodes that count toward quotas: all except the roots. The length of a file is -1 until it is
// known.
func countable(nodes []library.Node) []sweeper.Countable {
	var all []sweeper.Countable
	for _, n := range nodes {
		if n.Type == library.KindUser {
			continue
		}
		item := sweeper.Countable{ID: quota.ID{Owner: n.OwnedBy, ID: n.ID}, Created: n.Created()}
		if n.Blob != nil {
			item.Bytes = n.Blob.Length
		}
		all = append(all, item)
	}
	return all
}

func idsOf(files []library.File) []string {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	return ids
}

// withoutFile deletes nodes whose file does not exist.
func (s sweep) withoutFile(ctx context.Context, r *sweeper.Run, nodes []library.Node) error {
	for _, n := range nodes {
		if n.IsFile() {
			r.Compared(fileless, 1)
		}
	}
	ids, err := s.store.WithoutFile(ctx, nodes)
	if err != nil {
		return err
	}
	pairs, err := s.store.Inconsistent(ctx, ids)
	if err != nil {
		return err
	}
	for _, pair := range pairs {
		if pair.File == nil {
			r.Orphan(fileless, pair.Node.ID, nil, func(ctx context.Context) error { return gone(s.store.Repair(ctx, pair)) })
		}
	}
	return nil
}

// inconsistent repairs nodes that differ from their files, and creates missing ones.
func (s sweep) inconsistent(ctx context.Context, r *sweeper.Run, ids []string) error {
	pairs, err := s.store.Inconsistent(ctx, ids)
	if err != nil {
		return err
	}
	r.Compared(nodeless, len(ids))
	for _, pair := range pairs {
		repair := func(ctx context.Context) error { return gone(s.store.Repair(ctx, pair)) }
		switch {
		case pair.File == nil: // the pass over the nodes finds it
		case pair.Node == nil: // nodes created for all files of another table would have no folders
			r.Orphan(nodeless, pair.File.ID, nil, repair)
		default:
			r.Found(ctx, sweeper.InconsistentCopies, pair.File.ID, repair)
		}
	}
	return nil
}

// orphanNodes erases nodes whose folder does not exist.
func (s sweep) orphanNodes(ctx context.Context, r *sweeper.Run, nodes []library.Node) error {
	orphans, err := s.store.Orphans(ctx, nodes)
	if err != nil {
		return err
	}
	r.Compared(folderless, len(nodes))
	for _, n := range orphans {
		if r.Young(n.Updated()) {
			continue
		}
		r.Orphan(folderless, n.ID, func(ctx context.Context) (bool, error) {
			still, err := s.store.Orphans(ctx, []library.Node{n})
			return len(still) > 0, err
		}, func(ctx context.Context) error { return s.eraseNode(ctx, n) })
	}
	return nil
}

// node erases a node that has been in the trash for too long.
func (s sweep) node(ctx context.Context, r *sweeper.Run, n library.Node) error {
	keep := s.cfg.TrashKeep
	if keep > 0 && n.TrashedBefore(time.Now().Add(-keep)) && r.Older(n.Updated(), keep) {
		r.Found(ctx, outdatedTrash, n.ID, func(ctx context.Context) error { return s.eraseNode(ctx, n) })
	}
	return nil
}

func (s sweep) eraseNode(ctx context.Context, n library.Node) error {
	w, err := s.store.Erase(ctx, n.ID, library.Edit{By: n.OwnedBy, IfMatch: n.Version})
	if errors.Is(err, library.ErrVersion) || errors.Is(err, lifecycle.ErrNotFound) {
		return nil // changed concurrently; the next sweep checks it
	}
	if err != nil {
		return err
	}
	return s.bus.Ensure(ctx, w.Erase())
}
