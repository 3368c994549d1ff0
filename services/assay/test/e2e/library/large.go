package library

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var (
	largeFolder = flag.Int("library.files", 150, "number of files in the folder that is trashed with one write")
	moveRounds  = flag.Int("library.moves", 10, "number of rounds of opposite moves")
)

// versioned lists the tables whose rows have a version.
var versioned = []string{"leanda-ng-dev-nodes", "leanda-ng-dev-files"}

// largeFoldersAreTrashedByOneWrite: a folder with many files is trashed, and later restored, by one write of only the
// folder's row.
func largeFoldersAreTrashedByOneWrite(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	top := folder(t, c, "top", "")
	first := file(t, c, "0.txt", top.ID, "a text")
	copyFile(t, s, first.ID, *largeFolder-1)
	before := versions(t, s, owner)
	if len(before) != 2*(*largeFolder)+2 { // including the folder and the root
		t.Fatalf("the owner has %d rows, want %d", len(before), 2*(*largeFolder)+2)
	}
	change := func(what string, change func() error) {
		t.Helper()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		after := versions(t, s, owner)
		before[versioned[0]+" "+top.ID]++
		if !maps.Equal(before, after) {
			rows := len(after)
			maps.DeleteFunc(after, func(row string, version int) bool { return version == before[row] })
			t.Errorf("%s: %d rows, unexpected versions %v; want %d rows and one write of only the folder's row", what, rows, after, len(before))
		}
	}
	change("trash", func() error { return c.TrashNode(system.Within(t), top.ID) })
	if files := listed(t, c, client.NodeFile); len(files) != 0 {
		t.Errorf("%d files of a folder in the trash are listed, want 0", len(files))
	}
	change("restore", func() error {
		_, err := c.RestoreNode(system.Within(t), top.ID)
		return err
	})
	if files := listed(t, c, client.NodeFile); len(files) != *largeFolder {
		t.Errorf("%d files of the restored folder are listed, want %d", len(files), *largeFolder)
	}
}

// copyFile copies the rows of a file, because uploads would take minutes.
func copyFile(t *testing.T, s system.System, id string, copies int) {
	t.Helper()
	for _, table := range versioned {
		row, err := s.Tables().GetItem(system.Within(t), &dynamodb.GetItemInput{TableName: &table, Key: system.Item{"id": text(id)}})
		if err != nil || row.Item == nil {
			t.Fatalf("cannot read the row: %v, %v", row, err)
		}
		var puts []types.WriteRequest
		for i := range copies {
			item := maps.Clone(row.Item)
			name := fmt.Sprintf("%d.txt", i+1)
			made, err := library.NewID("copy", id+name)
			if err != nil {
				t.Fatal(err)
			}
			item["id"], item["name"] = text(made), text(name)
			if table == versioned[1] {
				delete(item, "name")
				item["fileName"] = text(name)
			}
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
		}
		for some := range slices.Chunk(puts, 25) {
			out, err := s.Tables().BatchWriteItem(system.Within(t), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: some}})
			if err != nil || len(out.UnprocessedItems) > 0 {
				t.Fatalf("cannot write all rows: %v, %v", out, err)
			}
		}
	}
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }

// versions returns the versions of an owner's rows, by table and id.
func versions(t *testing.T, s system.System, owner string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, table := range versioned {
		pages := dynamodb.NewScanPaginator(s.Tables(), &dynamodb.ScanInput{
			TableName: &table, ConsistentRead: aws.Bool(true), FilterExpression: aws.String("ownedBy = :owner"),
			ExpressionAttributeValues: system.Item{":owner": text(owner)},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(system.Within(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				id, version := item["id"].(*types.AttributeValueMemberS), item["version"].(*types.AttributeValueMemberN)
				if all[table+" "+id.Value], err = strconv.Atoi(version.Value); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return all
}
