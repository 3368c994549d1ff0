package feed

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// rebuildRepairs: an item deleted from the primary table is removed from the dashboard table automatically; a rebuild
// restores the rows of an emptied dashboard table and removes rows of items that do not exist.
func rebuildRepairs(t *testing.T, start system.Starter) {
	c := start(t)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	c.Front(t, ingest, query)
	c.Service(t, "analyzer")
	kept := system.NewPosting("The book was good.", "a")
	c.PostItem(t, kept)
	c.Analyzed(t, kept.SourceID)
	shown := c.AwaitItems(t, "a", 1)
	deleted := system.NewPosting("The book was good.", "b")
	c.PostItem(t, deleted)
	c.Analyzed(t, deleted.SourceID)
	c.AwaitItems(t, "b", 1)
	if _, err := c.Tables().DeleteItem(system.Within(t), &dynamodb.DeleteItemInput{TableName: aws.String("sentiment-items-primary"), Key: system.Item{
		"source_id":   &types.AttributeValueMemberS{Value: deleted.SourceID},
		"ingested_at": &types.AttributeValueMemberS{Value: c.Analyzed(t, deleted.SourceID).IngestedAt},
	}}); err != nil {
		t.Fatal(err)
	}
	c.AwaitItems(t, "b", 0)
	query.Kill(t)

	dashboard := aws.String("sentiment-items-dashboard")
	rows, err := c.Tables().Scan(system.Within(t), &dynamodb.ScanInput{TableName: dashboard})
	if err != nil {
		t.Fatal(err)
	}
	described, err := c.Tables().DescribeTable(system.Within(t), &dynamodb.DescribeTableInput{TableName: dashboard})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows.Items {
		key := system.Item{}
		for _, element := range described.Table.KeySchema {
			key[*element.AttributeName] = row[*element.AttributeName]
		}
		if _, err := c.Tables().DeleteItem(system.Within(t), &dynamodb.DeleteItemInput{TableName: dashboard, Key: key}); err != nil {
			t.Fatal(err)
		}
		// Put the same row for an item that does not exist.
		for name, value := range row {
			if text, ok := value.(*types.AttributeValueMemberS); ok {
				row[name] = &types.AttributeValueMemberS{Value: strings.ReplaceAll(text.Value, kept.SourceID, kept.SourceID+"-gone")}
			}
		}
		if _, err := c.Tables().PutItem(system.Within(t), &dynamodb.PutItemInput{TableName: dashboard, Item: row}); err != nil {
			t.Fatal(err)
		}
	}

	rebuilt := system.Launch(t, "assay", c.Environment("rebuild"), "feed", "rebuild")
	if status := rebuilt.End(t); status != 0 || !strings.HasPrefix(rebuilt.Output.String(), "1 items projected, ") {
		t.Errorf("rebuild: exit status %d: %s, want 0 and 1 item projected", status, rebuilt.Output)
	}
	c.Front(t, ingest, c.Service(t, "query"))
	if again := c.AwaitItems(t, "a", 1); system.JSON(again) != system.JSON(shown) {
		t.Errorf("after the rebuild, the items are %s, want %s", system.JSON(again), system.JSON(shown))
	}
}
