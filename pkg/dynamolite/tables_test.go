package dynamolite_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestTableIsDescribedAsItWasCreated(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("jobs", "id:S", "at:N", withIndex("by_owner", "owner:S", "at:N", types.ProjectionTypeInclude, "note"), withStream(types.StreamViewTypeNewImage))
	s.put("jobs", item("id", "1", "at", 1))
	described := must(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("jobs")}))(t).Table
	index := described.GlobalSecondaryIndexes[0]
	if described.TableStatus != types.TableStatusActive || len(described.KeySchema) != 2 || *described.ItemCount != 1 ||
		described.BillingModeSummary.BillingMode != types.BillingModePayPerRequest || *index.IndexName != "by_owner" ||
		index.IndexStatus != types.IndexStatusActive || !slices.Equal(index.Projection.NonKeyAttributes, []string{"note"}) ||
		described.StreamSpecification.StreamViewType != types.StreamViewTypeNewImage || described.LatestStreamArn == nil {
		t.Errorf("got table %+v, want an active table with one item, as it was created", described)
	}
	_, err := s.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("jobs"), KeySchema: keys("id:S", ""), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
	})
	wantError(t, err, "ResourceInUseException")
}

func TestDeletedTableIsGoneWithItsItems(t *testing.T) {
	s := start(t, dynamolite.Options{})
	for range 2 {
		s.table("jobs", "id:S", "", withIndex("by_owner", "owner:S", "", types.ProjectionTypeAll))
		if got := s.get("jobs", item("id", "1")); got != nil {
			t.Fatalf("the new table has item %v, want none", got)
		}
		s.put("jobs", item("id", "1", "owner", "ann"))
		must(s.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("jobs")}))(t)
		_, err := s.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("jobs"), Key: item("id", "1")})
		wantError(t, err, "ResourceNotFoundException")
	}
}

func TestListTablesPagesByName(t *testing.T) {
	s := start(t, dynamolite.Options{})
	for _, name := range []string{"ccc", "aaa", "bbb"} {
		s.table(name, "pk:S", "")
	}
	pages := dynamodb.NewListTablesPaginator(s, &dynamodb.ListTablesInput{Limit: aws.Int32(2)})
	var got []string
	for pages.HasMorePages() {
		got = append(got, must(pages.NextPage(t.Context()))(t).TableNames...)
	}
	if !slices.Equal(got, []string{"aaa", "bbb", "ccc"}) {
		t.Errorf("got tables %v, want aaa, bbb and ccc", got)
	}
}

func TestNewIndexContainsExistingItems(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("jobs", "id:S", "")
	s.put("jobs", item("id", "1", "owner", "ann"))
	s.put("jobs", item("id", "2", "owner", 5)) // not of the type of the index key
	create := &types.CreateGlobalSecondaryIndexAction{
		IndexName: aws.String("by_owner"), KeySchema: keys("owner:S", ""), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}
	must(s.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String("jobs"), AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("owner"), AttributeType: types.ScalarAttributeTypeS}},
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: create}},
	}))(t)
	s.put("jobs", item("id", "3", "owner", "ann"))
	items, _ := s.pages(dynamodb.QueryInput{
		TableName: aws.String("jobs"), IndexName: aws.String("by_owner"), KeyConditionExpression: aws.String("#o = :o"),
		ExpressionAttributeNames: map[string]string{"#o": "owner"}, ExpressionAttributeValues: item(":o", "ann"),
	})
	ids := texts(items, "id")
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"1", "3"}) {
		t.Errorf("the index has items %v, want 1 and 3", ids)
	}
	must(s.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{
		TableName: aws.String("jobs"), GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("by_owner")}}},
	}))(t)
	described := must(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("jobs")}))(t).Table
	if len(described.GlobalSecondaryIndexes) != 0 || len(described.AttributeDefinitions) != 1 {
		t.Errorf("after the index was deleted: got %+v, want no index and 1 attribute definition", described)
	}
}

func TestReopenedFileIsComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	first, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, first)
	s.table("jobs", "id:S", "", withIndex("by_owner", "owner:S", "", types.ProjectionTypeKeysOnly), withStream(types.StreamViewTypeKeysOnly))
	s.put("jobs", item("id", "1", "owner", "ann"))
	if _, err := dynamolite.Open(dynamolite.Options{Path: path}); err == nil {
		t.Error("Open of a file that another engine has open: got no error, want one")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := start(t, dynamolite.Options{Path: path})
	if got := again.get("jobs", item("id", "1")); text(got, "owner") != "ann" {
		t.Errorf("got item %v, want owner ann", got)
	}
	if records := again.fromStart("jobs"); len(records) != 1 {
		t.Errorf("got %d stream records, want 1", len(records))
	}
	again.table("other", "id:S", "")
	if got := again.get("other", item("id", "1")); got != nil {
		t.Errorf("the new table has item %v, want none", got)
	}
}
