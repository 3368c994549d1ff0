package library

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/table"
)

// set changes an attribute of an item, bypassing the store.
func (r *rig) set(name string, key table.Key, attribute string, value table.Value) {
	r.t.Helper()
	_, err := r.db.UpdateItem(r.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &name, Key: key, UpdateExpression: aws.String("SET #a = :v"),
		ExpressionAttributeNames: map[string]string{"#a": attribute}, ExpressionAttributeValues: map[string]table.Value{":v": value},
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) remove(name, id string) {
	r.t.Helper()
	if _, err := r.db.DeleteItem(r.t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: key(id)}); err != nil {
		r.t.Fatal(err)
	}
}

func TestInconsistentItemsAreRepairedFromTheFile(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	var ids []string
	for range 5 {
		_, f := r.file("a.txt", folder.ID)
		ids = append(ids, f.ID)
	}
	r.set(config.Nodes, key(ids[1]), statusName, table.Text(string(Processed)))
	r.set(config.Nodes, key(ids[2]), parentIDName, table.Text(RootID("ann")))
	r.remove(config.Nodes, ids[3])
	r.remove(config.Files, ids[4])
	pairs, err := r.Inconsistent(t.Context(), ids)
	if err != nil || len(pairs) != 4 {
		t.Fatalf("got %d inconsistent items, error %v, want 4", len(pairs), err)
	}
	for _, pair := range pairs {
		if err := r.Repair(t.Context(), pair); err != nil {
			t.Error(err)
		}
		if err := r.Repair(t.Context(), pair); !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("a repair of an outdated pair: got error %v, want ErrFenceLost", err)
		}
	}
	if pairs, err = r.Inconsistent(t.Context(), ids); err != nil || len(pairs) != 0 {
		t.Errorf("after the repair: got %d inconsistent items, error %v, want 0", len(pairs), err)
	}
	if n := r.node(ids[3]); n.Name != "a.txt" || n.ParentID != folder.ID || n.TypeOwnedBy != "File#ann" || n.Permissions.IsPublic {
		t.Errorf("got recreated node %+v, want a private a.txt of ann in its folder", n)
	}
	if got := r.names(folder.ID); len(got) != 4 {
		t.Errorf("got nodes %q in the folder, want 4", got)
	}
}

func TestOrphansAreFound(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	lost, _ := r.file("lost.txt", folder.ID)
	r.file("kept.txt", "")
	r.remove(config.Nodes, folder.ID)
	page, err := r.ScanNodes(t.Context(), "", ScanLimit)
	if err != nil || len(page.Items) != 3 { // with the root
		t.Fatalf("got %+v, error %v, want 3 nodes", page, err)
	}
	orphans, err := r.Orphans(t.Context(), page.Items)
	if err != nil || len(orphans) != 1 || orphans[0].ID != lost.ID {
		t.Errorf("got %+v, error %v, want lost.txt only", orphans, err)
	}
}

func TestScansReadAll(t *testing.T) {
	r := open(t)
	var ids []string
	for range 5 {
		f, _ := r.in(Loaded)
		ids = append(ids, f.ID)
	}
	r.set(config.Files, key(ids[0]), versionName, table.Text("many"))
	var files, workflows []string
	broken := 0
	for cursor := ""; ; {
		page, err := r.ScanFiles(t.Context(), cursor, 2)
		if err != nil {
			t.Fatal(err)
		}
		broken += len(page.Broken)
		for _, f := range page.Items {
			files = append(files, f.ID)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	for cursor := ""; ; {
		page, err := r.ScanWorkflows(t.Context(), cursor, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range page.Items {
			workflows = append(workflows, w.CorrelationID)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	slices.Sort(files)
	slices.Sort(workflows)
	slices.Sort(ids[1:])
	if broken != 1 || !slices.Equal(files, ids[1:]) || len(workflows) != 5 {
		t.Errorf("got %d broken files, files %q, workflows %q, want 1, %q, 5 workflows", broken, files, workflows, ids[1:])
	}
	listed, next, err := r.WorkflowsByType(t.Context(), FileWorkflow, Listing{Limit: 3})
	if err != nil || len(listed) != 3 || next == "" || listed[0].FileID == "" {
		t.Errorf("got workflows %+v, cursor %q, error %v, want 3 complete workflows and a cursor", listed, next, err)
	}
}

func TestOverdueWorkflow(t *testing.T) {
	r := open(t)
	_, w := r.in(Loaded)
	if !w.Due().Equal(r.clock.Add(Patience)) {
		t.Errorf("got due time %s, want %s", w.Due(), r.clock.Add(Patience))
	}
	r.clock = r.clock.Add(2 * Patience)
	if err := r.Postpone(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := r.Postpone(t.Context(), w); !errors.Is(err, lifecycle.ErrCondition) {
		t.Errorf("a second Postpone of the same version: got error %v, want ErrCondition", err)
	}
	again, err := r.Workflow(t.Context(), w.FileID)
	if err != nil || again.Republished != 1 || !again.Due().Equal(r.clock.Add(Patience)) {
		t.Errorf("got %+v, error %v, want Republished 1 and a new deadline", again, err)
	}
	if err := r.Drop(t.Context(), w); !errors.Is(err, lifecycle.ErrCondition) {
		t.Errorf("Drop of an outdated workflow: got error %v, want ErrCondition", err)
	}
	after, err := r.FinishStep(t.Context(), w.FileID, w.Run, extract.StepMetadata, plan.Done, plan.Result{}, nil)
	if err != nil || after.Republished != 0 {
		t.Errorf("after a finished step: got %+v, error %v, want Republished 0", after, err)
	}
}

func TestUnusedReservationExpires(t *testing.T) {
	r := open(t)
	n, f := r.file("a.txt", "")
	if _, err := r.Rename(t.Context(), f.ID, "b.txt", ann); err != nil {
		t.Fatal(err)
	}
	if err := r.Expire(t.Context(), f); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("Expire of an outdated file: got error %v, want ErrFenceLost", err)
	}
	if err := r.Expire(t.Context(), r.stored(f.ID)); err != nil {
		t.Error(err)
	}
	if node, file := r.row(config.Nodes, key(n.ID)), r.row(config.Files, key(n.ID)); node != nil || file != nil {
		t.Errorf("got node %v and file %v, want neither", node, file)
	}
	loaded, _ := r.in(Loaded)
	var moved *lifecycle.MovedError
	if err := r.Expire(t.Context(), loaded); !errors.As(err, &moved) || moved.Found != Loaded {
		t.Errorf("Expire of a Loaded file: got error %v, want a MovedError that found Loaded", err)
	}
}
