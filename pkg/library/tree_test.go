package library

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/lifecycle"
)

func TestRootIsVirtualUntilTheFirstWrite(t *testing.T) {
	r := open(t)
	root, err := r.Root(t.Context(), "ann")
	if err != nil || root.Version != 0 || root.ID != RootID("ann") || len(r.writes.taken()) != 0 {
		t.Errorf("before the first write: got %+v, error %v, want version 0 and no writes", root, err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			id, err := NewID("ann", fmt.Sprint(i))
			if err == nil {
				_, err = r.CreateFolder(t.Context(), NewNode{ID: id, Owner: "ann", Name: fmt.Sprint(i)})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if root, err = r.Root(t.Context(), "ann"); err != nil || root.Version != 1 || len(r.names(root.ID)) != 20 {
		t.Errorf("after concurrent writes: got %+v, error %v, want version 1 with 20 folders", root, err)
	}
	for _, edit := range []func() (Node, error){
		func() (Node, error) { return r.Rename(t.Context(), root.ID, "x", ann) },
		func() (Node, error) { return r.Trash(t.Context(), root.ID, ann) },
		func() (Node, error) { return r.Move(t.Context(), root.ID, "", ann) },
	} {
		if _, err := edit(); !errors.Is(err, ErrRoot) {
			t.Errorf("an edit of the root: got error %v, want ErrRoot", err)
		}
	}
}

func TestInvalidParents(t *testing.T) {
	r := open(t)
	file, _ := r.file("a.txt", "")
	trashed := r.folder("old", "")
	inside := r.folder("inside", trashed.ID)
	if _, err := r.Trash(t.Context(), trashed.ID, ann); err != nil {
		t.Fatal(err)
	}
	bobs, err := r.CreateFolder(t.Context(), NewNode{ID: r.id(), Owner: "bob", Name: "bobs"})
	if err != nil {
		t.Fatal(err)
	}
	mine := r.folder("mine", "")
	for parent, want := range map[string]error{
		r.id(): lifecycle.ErrNotFound, file.ID: ErrNotFolder, trashed.ID: ErrTrashed, inside.ID: ErrTrashed, bobs.ID: ErrOwner,
	} {
		n := NewNode{ID: r.id(), Owner: "ann", ParentID: parent, Name: "x"}
		if _, err := r.CreateFolder(t.Context(), n); !errors.Is(err, want) {
			t.Errorf("CreateFolder: got error %v, want %v", err, want)
		}
		upload := r.newFile("x", parent)
		if _, _, err := r.Reserve(t.Context(), upload); !errors.Is(err, want) {
			t.Errorf("Reserve: got error %v, want %v", err, want)
		}
		if _, err := r.Move(t.Context(), mine.ID, parent, ann); !errors.Is(err, want) {
			t.Errorf("Move: got error %v, want %v", err, want)
		}
	}
	if _, err := r.CreateFolder(t.Context(), NewNode{ID: mine.ID, Owner: "ann", Name: "x"}); !errors.Is(err, lifecycle.ErrExists) {
		t.Errorf("a second node with the same id: got error %v, want lifecycle.ErrExists", err)
	}
}

func TestFileEditsUpdateBothItems(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	n, _ := r.file("a.txt", "")
	renamed, err := r.Rename(t.Context(), n.ID, "b.txt", Edit{By: "ann", IfMatch: 1})
	if err != nil || renamed.Version != 2 || renamed.ETag() != `"v2"` {
		t.Fatalf("got %+v, error %v, want version 2", renamed, err)
	}
	if _, err := r.Rename(t.Context(), n.ID, "c.txt", Edit{By: "ann", IfMatch: 1}); !errors.Is(err, ErrVersion) {
		t.Errorf("an old version: got error %v, want ErrVersion", err)
	}
	moved, err := r.Move(t.Context(), n.ID, folder.ID, ann)
	if err != nil || moved.Version != 3 || !reflect.DeepEqual(moved, r.node(n.ID)) {
		t.Errorf("got %+v, error %v, want the stored node in version 3", moved, err)
	}
	if f := r.stored(n.ID); f.Name != "b.txt" || f.ParentID != folder.ID || f.Version != 3 {
		t.Errorf("got file %+v, want b.txt in %s, version 3", f, folder.ID)
	}
	again, err := r.Move(t.Context(), n.ID, folder.ID, ann)
	if err != nil || again.Version != 3 {
		t.Errorf("a move to the same folder: got %+v, error %v, want version 3", again, err)
	}
	if _, err := r.Rename(t.Context(), r.id(), "x", ann); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a rename of a missing node: got error %v, want ErrNotFound", err)
	}
}

// The SDK retries a request whose response was lost. The retried conditional write finds its own result.
func TestLostResponseOfEdit(t *testing.T) {
	r := open(t)
	folder := r.folder("a", "")
	r.faults.Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "UpdateItem", Count: 1})
	n, err := r.Rename(t.Context(), folder.ID, "b", Edit{By: "ann", IfMatch: 1})
	if err != nil || n.Version != 2 || !reflect.DeepEqual(n, r.node(folder.ID)) {
		t.Errorf("got %+v, error %v, want the stored node in version 2", n, err)
	}
}

func TestDepth(t *testing.T) {
	r := open(t)
	chain := []Node{r.folder("1", "")}
	for len(chain) < MaxDepth {
		chain = append(chain, r.folder(fmt.Sprint(len(chain)+1), chain[len(chain)-1].ID))
	}
	last := chain[MaxDepth-1]
	if _, err := r.CreateFolder(t.Context(), NewNode{ID: r.id(), Owner: "ann", ParentID: last.ID, Name: "deeper"}); !errors.Is(err, ErrTooDeep) {
		t.Errorf("a folder below %d others: got error %v, want ErrTooDeep", MaxDepth, err)
	}
	top := r.folder("top", "")
	if _, err := r.Move(t.Context(), chain[0].ID, top.ID, ann); !errors.Is(err, ErrTooDeep) {
		t.Errorf("a move of the entire chain: got error %v, want ErrTooDeep", err)
	}
	if _, err := r.Move(t.Context(), chain[1].ID, top.ID, ann); err != nil {
		t.Errorf("a move that does not increase the depth: got error %v, want nil", err)
	}
}

// 200 concurrent uploads into one folder do not conflict: none fails without retries, and no transaction contains the
// folder, since DynamoDB would then report conflicts.
func TestUploadsIntoOneFolderDoNotConflict(t *testing.T) {
	r := open(t)
	folder := r.folder("inbox", "")
	once := r.unretried()
	if _, err := r.Move(t.Context(), r.folder("inner", "").ID, folder.ID, ann); err != nil || r.writes.keys[folder.ID] != 1 {
		t.Fatalf("a move into the folder: got %d writes that contain it, error %v, want 1", r.writes.keys[folder.ID], err)
	}
	const uploads = 200
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range uploads {
		upload := r.newFile(fmt.Sprintf("%d.txt", i), folder.ID)
		all.Go(func() {
			<-start
			if _, _, err := once.Reserve(t.Context(), upload); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	all.Wait()
	if named := r.writes.keys[folder.ID]; named != 1 {
		t.Errorf("got %d upload transactions that contain the folder, want 0", named-1)
	}
	var found int
	l := Listing{Limit: 30, Type: KindFile}
	for {
		page, err := r.Children(t.Context(), folder.ID, l)
		if err != nil {
			t.Fatal(err)
		}
		found += len(page.Nodes)
		if l.Cursor = page.NextCursor; l.Cursor == "" {
			break
		}
	}
	if found != uploads {
		t.Errorf("got %d files in the folder, want %d", found, uploads)
	}
}

// Trashing and restoring a folder take one write each, regardless of its content.
func TestLargeFolderIsTrashedInOneWrite(t *testing.T) {
	files := 10_000
	if testing.Short() {
		files = 200
	}
	r := open(t)
	parent := r.folder("parent", "")
	folder := r.folder("photos", parent.ID)
	last := r.populate(folder.ID, files)

	r.writes.taken()
	trashed, err := r.Trash(t.Context(), folder.ID, ann)
	if got := r.writes.taken(); err != nil || !slices.Equal(got, []string{"UpdateItem"}) {
		t.Errorf("got requests %q, error %v, want UpdateItem", got, err)
	}
	path, err := r.Path(t.Context(), last.ID)
	if err != nil || !path.Trashed() {
		t.Errorf("a file of the folder: got path %+v, error %v, want it in the trash", path, err)
	}
	if visible, err := r.Visible(t.Context(), []Node{r.node(last.ID), parent}); err != nil || len(visible) != 1 || visible[0].ID != parent.ID {
		t.Errorf("got visible nodes %+v, error %v, want the parent only", visible, err)
	}
	if got := r.names(parent.ID); len(got) != 0 {
		t.Errorf("got nodes %q in the parent, want none", got)
	}
	page, err := r.TrashList(t.Context(), "ann", Listing{})
	if err != nil || len(page.Nodes) != 1 || !reflect.DeepEqual(page.Nodes[0], trashed) {
		t.Errorf("got trash %+v, error %v, want %+v", page.Nodes, err, trashed)
	}

	r.writes.taken()
	restored, err := r.Restore(t.Context(), folder.ID, ann)
	// The write of the folder and the conditions on those above it form one transaction.
	if got := r.writes.taken(); err != nil || !slices.Equal(got, []string{"TransactWriteItems"}) {
		t.Errorf("got requests %q, error %v, want TransactWriteItems", got, err)
	}
	if restored.ParentID != parent.ID || restored.TypeOwnedBy != "Folder#ann" || restored.TrashedFrom != "" || restored.DeletedAt != "" {
		t.Errorf("got %+v, want a folder of ann in %s that is not in the trash", restored, parent.ID)
	}
	if path, err := r.Path(t.Context(), last.ID); err != nil || path.Trashed() || len(path) != 4 {
		t.Errorf("a file of the folder: got a path of length %d, error %v, want length 4 and not in the trash", len(path), err)
	}
}

// populate adds copies of a file's node to a folder, in batches of 25, and returns the first node.
func (r *rig) populate(folderID string, files int) Node {
	r.t.Helper()
	first, _ := r.file("0.jpg", folderID)
	var puts []types.WriteRequest
	for i := 1; i < files; i++ {
		n := first
		n.ID, n.Name = r.id(), fmt.Sprintf("%d.jpg", i)
		item, err := attributevalue.MarshalMap(n)
		if err != nil {
			r.t.Fatal(err)
		}
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	for chunk := range slices.Chunk(puts, 25) {
		out, err := r.db.BatchWriteItem(r.t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{config.Nodes: chunk}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			r.t.Fatalf("got %d unprocessed items, error %v, want 0", len(out.UnprocessedItems), err)
		}
	}
	return first
}

func TestTrashAndRestore(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	n, _ := r.file("a.txt", folder.ID)
	if _, err := r.Restore(t.Context(), n.ID, ann); !errors.Is(err, ErrNotTrashed) {
		t.Errorf("a restore of a node outside the trash: got error %v, want ErrNotTrashed", err)
	}
	trashed, err := r.Trash(t.Context(), n.ID, ann)
	if err != nil || !trashed.IsDeleted || trashed.TypeOwnedBy != "" || r.row(config.Nodes, key(n.ID))[typeOwnedByName] != nil {
		t.Errorf("got %+v, error %v, want a trashed node without %s", trashed, err, typeOwnedByName)
	}
	if trashed.TrashedBefore(r.clock) || !trashed.TrashedBefore(r.clock.Add(time.Second)) || folder.TrashedBefore(r.clock.Add(time.Second)) {
		t.Errorf("got deletion time %s, want %s, and none for the folder", trashed.DeletedAt, r.clock)
	}
	if f := r.stored(n.ID); !f.IsDeleted || f.ParentID != trashOf("ann") {
		t.Errorf("got file %+v, want it in the trash", f)
	}
	again, err := r.Trash(t.Context(), n.ID, ann)
	if err != nil || again.Version != trashed.Version {
		t.Errorf("second Trash: got %+v, error %v, want version %d", again, err, trashed.Version)
	}
	for _, edit := range []func() (Node, error){
		func() (Node, error) { return r.Rename(t.Context(), n.ID, "x", ann) },
		func() (Node, error) { return r.Move(t.Context(), n.ID, "", ann) },
	} {
		if _, err := edit(); !errors.Is(err, ErrTrashed) {
			t.Errorf("an edit in the trash: got error %v, want ErrTrashed", err)
		}
	}
	if _, err := r.Trash(t.Context(), folder.ID, ann); err != nil {
		t.Fatal(err)
	}
	restored, err := r.Restore(t.Context(), n.ID, ann)
	if err != nil || restored.ParentID != RootID("ann") { // its folder is in the trash
		t.Errorf("got %+v, error %v, want it in the root", restored, err)
	}
	if f := r.stored(n.ID); f.IsDeleted || f.ParentID != RootID("ann") {
		t.Errorf("got file %+v, want it in the root", f)
	}
}
