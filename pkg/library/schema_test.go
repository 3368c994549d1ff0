package library

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
)

// The tables, their keys and their six indexes match the seed.
func TestTablesMatchSeed(t *testing.T) {
	r := open(t)
	for name, want := range map[string]struct {
		key        string
		indexes    map[string][]string
		projection types.ProjectionType
	}{
		"leanda-ng-dev-nodes": {"id", map[string][]string{
			"parentId-createdDateTime-index":     {"parentId", "createdDateTime"},
			"type-ownedBy-createdDateTime-index": {"type#ownedBy", "createdDateTime"},
		}, types.ProjectionTypeAll},
		"leanda-ng-dev-files": {"id", map[string][]string{
			"parentId-createdDateTime-index": {"parentId", "createdDateTime"},
			"ownedBy-createdDateTime-index":  {"ownedBy", "createdDateTime"},
			"blobId-index":                   {"blobId"},
		}, types.ProjectionTypeKeysOnly},
		"leanda-ng-dev-workflow-state": {"correlationId", map[string][]string{
			"workflowType-createdAt-index": {"workflowType", "createdAt"},
		}, types.ProjectionTypeKeysOnly},
	} {
		found, err := r.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(found.Table.KeySchema); !slices.Equal(got, []string{want.key}) {
			t.Errorf("%s: got key %q, want %q", name, got, want.key)
		}
		indexes := map[string][]string{}
		for _, i := range found.Table.GlobalSecondaryIndexes {
			indexes[*i.IndexName] = names(i.KeySchema)
			if i.Projection.ProjectionType != want.projection {
				t.Errorf("%s: got projection %s, want %s", *i.IndexName, i.Projection.ProjectionType, want.projection)
			}
		}
		if !reflect.DeepEqual(indexes, want.indexes) {
			t.Errorf("%s: got indexes %q, want %q", name, indexes, want.indexes)
		}
		for _, a := range found.Table.AttributeDefinitions {
			if a.AttributeType != types.ScalarAttributeTypeS {
				t.Errorf("%s: got type %s of %s, want %s", name, a.AttributeType, *a.AttributeName, types.ScalarAttributeTypeS)
			}
		}
		if streams := found.Table.StreamSpecification != nil && *found.Table.StreamSpecification.StreamEnabled; streams != (want.key == "id" && len(want.indexes) == 2) {
			t.Errorf("%s: got change stream = %t, want one for the nodes only", name, streams)
		}
	}
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func names(schema []types.KeySchemaElement) (names []string) {
	for _, k := range schema {
		names = append(names, *k.AttributeName)
	}
	return names
}

// The attributes of items are named as in the seed.
func TestItemsMatchSeed(t *testing.T) {
	r := open(t)
	n, f := r.file("a.txt", "")
	for name, want := range map[string][]string{
		config.Nodes: {
			"accessPermissions", "blob", "createdBy", "createdDateTime", "id", "isDeleted", "name", "ownedBy", "parentId", "run",
			"status", "subType", "type", "type#ownedBy", "updatedBy", "updatedDateTime", "version",
		},
		config.Files: {
			"blobId", "bucket", "contentType", "createdBy", "createdDateTime", "fileName", "id", "isDeleted", "key", "length", "ownedBy",
			"parentId", "run", "status", "type", "updatedBy", "updatedDateTime", "version",
		},
	} {
		row := r.row(name, key(n.ID))
		if got := slices.Sorted(maps.Keys(row)); !slices.Equal(got, want) {
			t.Errorf("%s: got attributes %q, want %q", name, got, want)
		}
		if got := table.TextOf(row["createdDateTime"]); got != stamp(r.clock) {
			t.Errorf("%s: got creation time %q, want %q", name, got, stamp(r.clock))
		}
	}
	if got := r.node(n.ID); !reflect.DeepEqual(got, n) || got.TypeOwnedBy != "File#ann" || got.ParentID != RootID("ann") {
		t.Errorf("got %+v, want %+v", got, n)
	}
	if got := r.stored(n.ID); !reflect.DeepEqual(got, f) || got.Status != Loading {
		t.Errorf("got %+v, want %+v", got, f)
	}
}

// row returns an item as stored in the table.
func (r *rig) row(name string, key table.Key) map[string]table.Value {
	r.t.Helper()
	out, err := r.db.GetItem(r.t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: key})
	if err != nil {
		r.t.Fatal(err)
	}
	return out.Item
}
