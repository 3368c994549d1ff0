package e2e

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// rebuildRepairs: an item deleted from the primary table is removed from the dashboard table
// automatically; a rebuild fills an emptied dashboard table, and removes
// rows that belong to no item.
func rebuildRepairs(t *testing.T, start starter) {
	c := start(t)
	ingest, query := c.service(t, "ingest"), c.service(t, "query")
	c.front(t, ingest, query)
	c.service(t, "analyzer")
	kept := newPosting("The book was good.", "a")
	c.postItem(t, kept)
	c.analyzed(t, kept.SourceID)
	shown := c.awaitItems(t, "a", 1)
	deleted := newPosting("The book was good.", "b")
	c.postItem(t, deleted)
	c.analyzed(t, deleted.SourceID)
	c.awaitItems(t, "b", 1)
	if _, err := c.tables().DeleteItem(within(t), &dynamodb.DeleteItemInput{TableName: aws.String("sentiment-items-primary"), Key: item{
		"source_id":   &types.AttributeValueMemberS{Value: deleted.SourceID},
		"ingested_at": &types.AttributeValueMemberS{Value: c.analyzed(t, deleted.SourceID).IngestedAt},
	}}); err != nil {
		t.Fatal(err)
	}
	c.awaitItems(t, "b", 0)
	query.kill(t)

	dashboard := aws.String("sentiment-items-dashboard")
	rows, err := c.tables().Scan(within(t), &dynamodb.ScanInput{TableName: dashboard})
	if err != nil {
		t.Fatal(err)
	}
	described, err := c.tables().DescribeTable(within(t), &dynamodb.DescribeTableInput{TableName: dashboard})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows.Items {
		key := item{}
		for _, element := range described.Table.KeySchema {
			key[*element.AttributeName] = row[*element.AttributeName]
		}
		if _, err := c.tables().DeleteItem(within(t), &dynamodb.DeleteItemInput{TableName: dashboard, Key: key}); err != nil {
			t.Fatal(err)
		}
		// The same row, of an item that does not exist.
		for name, value := range row {
			if text, ok := value.(*types.AttributeValueMemberS); ok {
				row[name] = &types.AttributeValueMemberS{Value: strings.ReplaceAll(text.Value, kept.SourceID, kept.SourceID+"-gone")}
			}
		}
		if _, err := c.tables().PutItem(within(t), &dynamodb.PutItemInput{TableName: dashboard, Item: row}); err != nil {
			t.Fatal(err)
		}
	}

	rebuilt := launch(t, "assay", c.environment("rebuild"), "feed", "rebuild")
	if status := rebuilt.end(t); status != 0 || !strings.HasPrefix(rebuilt.output.String(), "1 items projected, ") {
		t.Errorf("exit status %d: %s", status, rebuilt.output)
	}
	c.front(t, ingest, c.service(t, "query"))
	if again := c.awaitItems(t, "a", 1); show(again) != show(shown) {
		t.Errorf("after the rebuild %s, before %s", show(again), show(shown))
	}
}
