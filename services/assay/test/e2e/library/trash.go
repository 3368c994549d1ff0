package library

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// foldersAreTrashed: a folder and its contents are hidden, and later restored, by one write of the folder.
func foldersAreTrashed(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	top := folder(t, c, "top", "")
	below := folder(t, c, "below", top.ID)
	kept := file(t, c, "a.txt", below.ID, "a text")
	if err := c.PublishNode(system.Within(t), top.ID, true); err != nil {
		t.Fatal(err)
	}
	stranger := s.Client(t, system.NewOwner())
	if _, err := stranger.Node(system.Within(t), kept.ID, client.Reading{}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second call has no effect
		if err := c.TrashNode(system.Within(t), top.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := stranger.Node(system.Within(t), kept.ID, client.Reading{}); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a stranger's read of a file in the trash returned %v, want 404", err)
	}
	if files := listed(t, c, client.NodeFile); files[kept.ID] {
		t.Errorf("NodesByType = %v, want no file of a folder in the trash", files)
	}
	inTrash := map[string]client.Node{}
	for n, err := range c.Trash(system.Within(t)) {
		if err != nil {
			t.Fatal(err)
		}
		inTrash[n.ID] = n
	}
	if len(inTrash) != 1 || inTrash[top.ID].Version != 3 || !inTrash[top.ID].Trashed {
		t.Errorf("the trash contains %+v, want only the folder, with version 3", inTrash)
	}
	if _, err := upload(system.Within(t), c, "b.txt", below.ID, "b"); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("an upload to a folder in the trash returned %v, want 409", err)
	}
	if _, err := c.ChangeNode(system.Within(t), kept.ID, client.NodeChange{ParentID: &top.ID}); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("a move within the trash returned %v, want 409", err)
	}
	back, err := c.RestoreNode(system.Within(t), top.ID)
	if err != nil || back.Version != 4 || back.ParentID != top.ParentID || back.Trashed {
		t.Fatalf("RestoreNode = %+v, %v; want the folder with version 4 in its parent", back, err)
	}
	if n, err := stranger.Node(system.Within(t), kept.ID, client.Reading{}); err != nil || n.Version != kept.Version {
		t.Errorf("a file in a restored folder: %+v, %v; want version %d", n, err, kept.Version)
	}
	if _, err := c.RestoreNode(system.Within(t), top.ID); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("restoring a node that is not in the trash returned %v, want 409", err)
	}
}

func listed(t *testing.T, c *client.Client, kind string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for n, err := range c.NodesByType(system.Within(t), kind) {
		if err != nil {
			t.Fatal(err)
		}
		ids[n.ID] = true
	}
	return ids
}

// bulkHasOutcomes: each operation has the status that it would have on its own.
func bulkHasOutcomes(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	a, b := folder(t, c, "a", ""), folder(t, c, "b", "")
	foreign := folder(t, s.Client(t, system.NewOwner()), "foreign", "")
	operation := func(op, id, parentID string) map[string]any {
		o := map[string]any{"op": op, "id": id}
		if parentID != "" {
			o["parentId"] = parentID
		}
		return o
	}
	operations := []map[string]any{
		operation("move", a.ID, b.ID), operation("move", b.ID, a.ID), operation("trash", foreign.ID, ""), operation("move", a.ID, foreign.ID),
		operation("trash", a.ID, ""), operation("restore", a.ID, ""), operation("erase", a.ID, ""), operation("trash", a.ID, ""),
	}
	resp, body := request(t, s, http.MethodPost, "/v1/library/nodes/bulk", owner, system.JSON(map[string]any{"operations": operations}))
	if resp.StatusCode != http.StatusMultiStatus {
		t.Fatalf("the bulk request returned %d %s, want 207", resp.StatusCode, body)
	}
	var got struct {
		Outcomes []struct {
			ID, Type, Operation string
			Status              int
		}
	}
	system.Decode(t, body, &got)
	statuses := []int{200, 409, 404, 404, 200, 200, 202, 404}
	if len(got.Outcomes) != len(statuses) {
		t.Fatalf("the bulk request has the outcomes %s, want %d", body, len(statuses))
	}
	for i, want := range statuses {
		if o := got.Outcomes[i]; o.Status != want || o.ID != operations[i]["id"] || (want >= 400) != (o.Type != "") {
			t.Errorf("operation %d: %+v, want status %d", i, o, want)
		}
	}
	system.Eventually(t, func() error {
		var op struct{ State string }
		resp, body, err := send(t, s, http.MethodGet, got.Outcomes[6].Operation, owner, "")
		if err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("GET of the operation returned %d %s, want 200", resp.StatusCode, body)
		}
		system.Decode(t, body, &op)
		if op.State != "Processed" {
			return fmt.Errorf("the operation is %s, want state Processed", body)
		}
		return nil
	})
	many := strings.TrimSuffix(strings.Repeat(system.JSON(operation("trash", a.ID, ""))+",", 101), ",")
	if resp, body := request(t, s, http.MethodPost, "/v1/library/nodes/bulk", owner, `{"operations":[`+many+`]}`); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("101 operations: %d %s, want 422", resp.StatusCode, body)
	}
}

// erasedFoldersLeaveNothing: an erased folder with files leaves no node, no file and no object.
func erasedFoldersLeaveNothing(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	top := folder(t, c, "top", "")
	below := folder(t, c, "below", top.ID)
	ids := []string{top.ID, below.ID}
	for i := range 5 {
		ids = append(ids, file(t, c, fmt.Sprintf("%d.txt", i), below.ID, system.RandomText(uint64(i), 20)).ID)
	}
	if err := c.EraseNode(system.Within(t), top.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Node(system.Within(t), ids[3], client.Reading{}); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("reading a file in an erased folder returned %v, want 404", err)
	}
	system.Eventually(t, func() error {
		for _, table := range []string{"leanda-ng-dev-nodes", "leanda-ng-dev-files"} {
			for _, id := range ids {
				out, err := s.Tables().GetItem(system.Within(t), &dynamodb.GetItemInput{
					TableName: &table, Key: system.Item{"id": &types.AttributeValueMemberS{Value: id}}, ConsistentRead: aws.Bool(true),
				})
				if err != nil {
					return err
				}
				if out.Item != nil {
					return fmt.Errorf("%s is still in %s, want it removed", id, table)
				}
			}
		}
		for _, id := range ids {
			prefix := library.FilePrefix(id)
			left, err := s.Objects().ListObjectsV2(system.Within(t), &s3.ListObjectsV2Input{Bucket: &s.Bucket, Prefix: &prefix})
			if err != nil {
				return err
			}
			if len(left.Contents) > 0 {
				return fmt.Errorf("the bucket contains %d objects of %s, want 0", len(left.Contents), id)
			}
		}
		return nil
	})
	if err := c.EraseNode(system.Within(t), top.ID); err != nil {
		t.Errorf("erasing the folder again returned %v, want no error", err)
	}
}

// erasedNodesCanBeCreatedAgain: a file that is uploaded again after it was erased has the same id, because of its
// idempotency key, and is processed like a new one, even with the same content at once. So has a folder, which can be erased
// again.
func erasedNodesCanBeCreatedAgain(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	const text = "again and again"
	first := ""
	for round := range 3 {
		var n client.Node
		system.Eventually(t, func() (err error) { // until the erased file is gone
			n, err = c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{
				Name: "a.txt", Size: int64(len(text)), ContentType: "text/plain", Key: "again",
			}, client.Source{Content: strings.NewReader(text)})
			return err
		})
		if first = cmp.Or(first, n.ID); n.ID != first {
			t.Errorf("round %d: the file is %s, want %s", round, n.ID, first)
		}
		if round != 1 { // in round 1, the erased file may not be processed yet
			if n, err := c.WaitNode(system.Within(t), n.ID); err != nil || n.Status != client.LibraryProcessed {
				t.Fatalf("round %d: got %s, error %v, want a processed file", round, system.JSON(n), err)
			}
		}
		var f client.Node
		system.Eventually(t, func() (err error) {
			f, err = c.CreateFolder(system.Within(t), client.NewFolder{Name: "folder", Key: "folder"})
			return err
		})
		for _, id := range []string{n.ID, f.ID} {
			if err := c.EraseNode(system.Within(t), id); err != nil {
				t.Fatal(err)
			}
		}
	}
}
