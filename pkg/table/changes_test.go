package table_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// TestChangesAreReported checks that the differences between tables and schemas are reported, and whether EnsureAll makes
// them.
func TestChangesAreReported(t *testing.T) {
	db, _ := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("doors")}}); err != nil {
		t.Fatal(err)
	}
	doors, windows := schema("doors"), schema("windows")
	attribute := []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}}
	doors.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName: aws.String("by_id"), KeySchema: attribute, Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	doors.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewImage}
	doors.Tags = table.Tags(map[string]string{"team": "search"})
	doors.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms}
	want := []table.Change{
		{Table: "doors", Action: "add the index by_id", Manual: true},
		{Table: "doors", Action: "enable its stream with the view NEW_IMAGE", Manual: true},
		{Table: "doors", Action: "set the tag team to search"},
		{Table: "doors", Action: "encrypt it with a key of KMS"},
		{Table: "doors", Action: "enable time to live by expires"},
		{Table: "doors", Action: "enable point-in-time recovery"},
		{Table: "windows", Action: "create"},
	}
	all := []table.Schema{{Create: doors, TTL: "expires", Recovery: true}, {Create: windows, TTL: "expires"}}
	for range 2 { // it changes nothing
		got, err := table.Changes(t.Context(), db, all)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %+v, error %v, want %+v", got, err, want)
		}
	}
	if err := table.EnsureAll(t.Context(), db, all); err != nil {
		t.Fatal(err)
	}
	if got, err := table.Changes(t.Context(), db, all); err != nil || !slices.Equal(got, want[:2]) {
		t.Errorf("after EnsureAll: got %+v, error %v, want %+v", got, err, want[:2])
	}
}
