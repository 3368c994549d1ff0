package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// set changes an attribute of an item directly in the table.
func (w *world) set(name string, key table.Key, attribute, value string) {
	w.t.Helper()
	_, err := w.backends.DB.UpdateItem(w.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &name, Key: key, UpdateExpression: aws.String("SET #a = :v"),
		ExpressionAttributeNames: map[string]string{"#a": attribute}, ExpressionAttributeValues: map[string]table.Value{":v": table.Text(value)},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// lose removes an item directly from the table.
func (w *world) lose(name string, key table.Key) {
	w.t.Helper()
	if _, err := w.backends.DB.DeleteItem(w.t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: key}); err != nil {
		w.t.Fatal(err)
	}
}

func node(id string) table.Key     { return table.Key{"id": table.Text(id)} }
func workflow(id string) table.Key { return table.Key{"correlationId": table.Text(id)} }

// ago returns a time in the past in the format of the tables.
func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format(library.TimeLayout) }

// check compares the findings of a sweep with the expected ones: ids by code.
func (w *world) check(found map[string][]string, want map[string][]string) {
	w.t.Helper()
	for code, ids := range want {
		slices.Sort(ids)
		if slices.Sort(found[code]); !slices.Equal(found[code], ids) {
			w.t.Errorf("findings %s = %q, want %q", code, found[code], ids)
		}
	}
	for code, ids := range found {
		if want[code] == nil {
			w.t.Errorf("findings %s = %q, want none", code, ids)
		}
	}
}

// gone waits until a node no longer exists.
func (w *world) gone(id string) {
	w.t.Helper()
	w.until("the erasure of "+id, func() error {
		if _, err := w.Get(w.t.Context(), id); !errors.Is(err, lifecycle.ErrNotFound) {
			return fmt.Errorf("Get() = %v, want ErrNotFound", err)
		}
		return nil
	})
}

// TestSweepRepairsRows: if a row is lost or differs, a sweep makes the rows consistent, and a second
// sweep finds nothing.
func TestSweepRepairsRows(t *testing.T) {
	w := start(t)
	o := w.worker(nil)
	folder, err := w.CreateFolder(t.Context(), library.NewNode{ID: w.id(), Owner: "ann", Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	noFile, noNode, other := w.add("a", "", "\x00"), w.add("b", "", "\x00"), w.add("c", "", "\x00")
	left := w.add("d", folder.ID, "\x00")
	for _, f := range []library.File{noFile, noNode, other, left} {
		w.ended(f.ID)
	}
	w.lose(tables.Files, node(noFile.ID))
	w.lose(tables.Nodes, node(noNode.ID))
	w.lose(tables.Nodes, node(folder.ID))
	w.set(tables.Nodes, node(other.ID), "status", "Loading")
	lost := w.reserve("e", "", 1)
	if _, _, err := w.StoreUpload(t.Context(), lost, library.Content{Type: "Generic", Length: 1, ETag: "e"}, library.PlanOf("Generic")); err != nil {
		t.Fatal(err)
	}
	w.lose(tables.Workflows, workflow(lost.ID))
	w.check(w.sweep(o), map[string][]string{
		"inconsistent_copies": {noFile.ID, noNode.ID, other.ID}, "orphan_node": {left.ID}, "lost_workflow": {lost.ID},
		"orphan_object": {noFile.Key},
	})
	w.gone(noFile.ID)
	w.until("the erasure", func() error { return w.nothing(left.ID) })
	for _, f := range []library.File{noNode, other} {
		if n, err := w.Get(t.Context(), f.ID); err != nil || n.Status != library.Processed || n.Name != f.Name {
			t.Errorf("node = %+v, %v, want Processed with the name %s", n, err, f.Name)
		}
	}
	failed := w.ended(lost.ID)
	if failed.Status != library.Failed || failed.ErrorMessage != "the state of the processing was lost; retry the file" {
		t.Errorf("file without a workflow = %+v, want Failed because its state was lost", failed)
	}
	w.idle()
	w.check(w.sweep(o), nil)
}

// TestOverdueStep: a step whose message is lost repeatedly is republished three times and then fails, and
// so does its file.
func TestOverdueStep(t *testing.T) {
	w := start(t)
	o := w.sweeper()
	f := w.reserve("a", "", 1)
	f, flow, err := w.StoreUpload(t.Context(), f, library.Content{Type: "Generic", Length: 1, ETag: "e"}, library.PlanOf("Generic"))
	if err == nil {
		err = w.StartProcessing(t.Context(), flow)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.check(w.sweep(o), map[string][]string{"lost_message": {f.ID}}) // before its deadline, the step is not overdue
	for n := range 4 {
		w.wipe()
		if err := o.bus.Redeclare(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.set(tables.Workflows, workflow(f.ID), "deadline", ago(time.Hour))
		w.check(w.sweep(o), map[string][]string{"overdue_step": {f.ID}})
		flow, err := w.Workflow(t.Context(), f.ID)
		if n < 3 && (err != nil || flow.Republished != n+1 || !flow.Due().After(time.Now()) || flow.Final()) {
			t.Fatalf("sweep %d: workflow = %+v, %v, want %d republished messages, a deadline in the future, and no final state", n, flow, err, n+1)
		}
		if outstanding, err := o.bus.Outstanding(t.Context(), flow.Step(f, extract.StepMetadata).Subject, "ann"); err != nil || outstanding != (n < 3) {
			t.Errorf("sweep %d: Outstanding() = %t, %v, want %t", n, outstanding, err, n < 3)
		}
	}
	failed := w.ended(f.ID)
	if failed.Status != library.Failed || failed.ErrorMessage != "metadata: the step did not end in time" || w.outcomes(f.ID) != 1 {
		t.Errorf("file = %+v, want Failed because of its overdue step, with one outcome", failed)
	}
}

// TestSweepRemovesOutdatedData: a sweep erases the trash after its retention time, workflows seven days
// after their end, and objects of earlier runs.
func TestSweepRemovesOutdatedData(t *testing.T) {
	w := start(t)
	o := w.worker(nil)
	old, recent := w.add("old", "", "\x00"), w.add("recent", "", "\x00")
	for _, f := range []library.File{old, recent} {
		w.ended(f.ID)
		if _, err := w.Trash(t.Context(), f.ID, library.Edit{By: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	for id, trashed := range map[string]time.Duration{old.ID: 61 * time.Minute, recent.ID: 59 * time.Minute} { // the retention time is an hour
		w.set(tables.Nodes, node(id), "deletedDateTime", ago(trashed))
		w.set(tables.Nodes, node(id), "updatedDateTime", ago(trashed))
	}
	dropped, kept := w.add("dropped", "", "\x00"), w.add("kept", "", "\x00")
	const day = 24 * time.Hour
	for f, ended := range map[string]time.Duration{dropped.ID: 7*day + time.Minute, kept.ID: 7*day - time.Minute} {
		w.ended(f)
		w.set(tables.Workflows, workflow(f), "updatedAt", ago(ended))
	}
	again := w.add("again", "", "\x00")
	file, _, err := w.Reprocess(t.Context(), w.ended(again.ID), nil)
	if err == nil {
		err = w.backends.Bus.Ensure(t.Context(), file.Start(file.ETag))
	}
	if err != nil {
		t.Fatal(err)
	}
	w.until("the second run", func() error {
		if f, err := w.File(t.Context(), again.ID); err != nil || f.Run != 2 || !f.Final() {
			return fmt.Errorf("file = %+v, %v, want run 2 in a final state", f, err)
		}
		return nil
	})
	left := library.ResultKey(again.ID, 1, "left.json")
	if _, err := w.backends.Bucket.Put(t.Context(), left, "", nil, strings.NewReader("{}")); err != nil {
		t.Fatal(err)
	}
	w.idle()
	w.check(w.sweep(o), map[string][]string{"outdated_trash": {old.ID}, "outdated_workflow": {dropped.ID}, "outdated_object": {left}})
	w.until("the erasure", func() error { return w.nothing(old.ID) })
	if n, err := w.Get(t.Context(), recent.ID); err != nil || !n.IsDeleted {
		t.Errorf("node within its retention time = %+v, %v, want it in the trash", n, err)
	}
	if _, err := w.Workflow(t.Context(), dropped.ID); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("Workflow() after 7 days = %v, want ErrNotFound", err)
	}
	if _, err := w.Workflow(t.Context(), kept.ID); err != nil {
		t.Errorf("Workflow() before 7 days = %v, want nil", err)
	}
	w.idle()
	w.check(w.sweep(o), nil)
}

// TestLostOutcomes: a sweep republishes outcomes that were lost with their stream, each exactly once, even
// if the workflow has been removed.
func TestLostOutcomes(t *testing.T) {
	w := start(t)
	o := w.worker(nil)
	began := time.Now()
	done, failed, old := w.add("a", "", "\x00"), w.add("b", "", ""), w.add("c", "", "\x00")
	for _, f := range []library.File{done, failed, old} {
		w.ended(f.ID)
	}
	w.idle()
	w.lose(tables.Workflows, workflow(old.ID))
	if err := w.js.DeleteStream(t.Context(), bus.StreamOutcomes); err != nil {
		t.Fatal(err)
	}
	if err := o.bus.Redeclare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.check(w.sweepSince(o, began.Add(-time.Minute)), map[string][]string{"unnotified_outcome": {done.ID, failed.ID, old.ID}})
		for _, f := range []library.File{done, failed, old} {
			if n := w.outcomes(f.ID); n != 1 {
				t.Errorf("%s has %d outcomes, want 1", f.Name, n)
			}
		}
	}
	w.check(w.sweepSince(o, time.Now().Add(time.Minute)), nil)
}

// TestRetryOfAFileWithoutBytes: if a file failed before it was Loaded, a retry checks its upload again.
func TestRetryOfAFileWithoutBytes(t *testing.T) {
	w := start(t)
	w.worker(nil)
	f := w.reserve("a.txt", "", 4)
	if err := w.backends.Bus.Publish(t.Context(), f.Start("none")); err != nil {
		t.Fatal(err)
	}
	failed := w.ended(f.ID)
	if failed.Status != library.Failed || failed.ErrorMessage == "" || failed.ETag != "" {
		t.Fatalf("file without bytes = %+v, want Failed with an error message and no ETag", failed)
	}
	if _, err := w.backends.Bucket.Put(t.Context(), f.Key, "", nil, strings.NewReader("text")); err != nil {
		t.Fatal(err)
	}
	again, _, err := w.Retry(t.Context(), failed, nil)
	if err == nil {
		err = w.backends.Bus.Ensure(t.Context(), again.Start(again.ETag))
	}
	if err != nil {
		t.Fatal(err)
	}
	w.until("the second run", func() error {
		f, err := w.File(t.Context(), f.ID)
		if err != nil || f.Status != library.Processed || f.Run != 2 || f.Type != "Text" || f.MD5 == "" || f.ErrorMessage != "" {
			return fmt.Errorf("file = %+v, %v, want a Processed text in run 2", f, err)
		}
		return nil
	})
	w.idle()
}
