package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/nats-io/nats.go/jetstream"
)

// item is an item as a plain DynamoDB client reads it.
type item = map[string]types.AttributeValue

// read is GetItem, strongly consistent; nil if there is no item.
func (s system) read(ctx context.Context, pk, sk string) (item, error) {
	out, err := s.tables().GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		Key: item{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk}},
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// meta returns a file's metadata item.
func (s system) meta(t *testing.T, fileID string) item {
	t.Helper()
	found, err := s.read(within(t), "FILE#"+fileID, "META")
	if err != nil || found == nil {
		t.Fatalf("metadata item of %s: %v, %v", fileID, found, err)
	}
	return found
}

// history returns the item that lists a file under its owner, found by the seed's
// query for it.
func (s system) history(t *testing.T, owner, fileID string) item {
	t.Helper()
	out, err := s.tables().Query(within(t), &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :owner"),
		ExpressionAttributeValues: item{":owner": &types.AttributeValueMemberS{Value: "OWNER#" + owner}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range out.Items {
		if attribute(t, found, "SK") == "FILE#"+fileID {
			return found
		}
	}
	t.Fatalf("no history item of %s under %s", fileID, owner)
	return nil
}

// attribute returns the text of a string or number.
func attribute(t *testing.T, i item, name string) string {
	t.Helper()
	switch value := i[name].(type) {
	case *types.AttributeValueMemberS:
		return value.Value
	case *types.AttributeValueMemberN:
		return value.Value
	}
	t.Fatalf("%s is a %T", name, i[name])
	return ""
}

// kindsOf returns each attribute's type descriptor, such as S.
func kindsOf(i item) map[string]string {
	kinds := map[string]string{}
	for name, value := range i {
		kinds[name] = strings.TrimPrefix(fmt.Sprintf("%T", value), "*types.AttributeValueMember")
	}
	return kinds
}

// leftOf returns an error if anything is left of a deleted file.
func (s system) leftOf(ctx context.Context, owner, fileID, key string) error {
	meta, err := s.read(ctx, "FILE#"+fileID, "META")
	history, historyErr := s.read(ctx, "OWNER#"+owner, "FILE#"+fileID)
	if err := errors.Join(err, historyErr); err != nil {
		return err
	}
	if meta != nil || history != nil {
		return fmt.Errorf("items are left: %s, %s", show(meta), show(history))
	}
	if s.head(ctx, key) == nil {
		return fmt.Errorf("the object %s is left", key)
	}
	return nil
}

// nothingWaits returns an error while a queue has messages.
func nothingWaits(ctx context.Context, js jetstream.JetStream) error {
	for _, name := range []string{"ASSAY_NOTICES", "ASSAY_WORK_TEXTFILE", "ASSAY_WORK_FEED", "ASSAY_WORK_PHOTOJOB"} {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return err
		}
		if waiting := stream.CachedInfo().State.Msgs; waiting > 0 {
			return fmt.Errorf("%s holds %d messages", name, waiting)
		}
	}
	return nil
}

// tableFollowsTheSeed: two string keys and no index.
func tableFollowsTheSeed(t *testing.T, s system) {
	tables, err := s.tables().ListTables(within(t), &dynamodb.ListTablesInput{})
	want := slices.Sorted(slices.Values([]string{"assay-platform", "photoeditor-dev-jobs", "sentiment-items-dashboard", "sentiment-items-primary", s.Table}))
	if err != nil || !slices.Equal(tables.TableNames, want) {
		t.Errorf("tables %v, %v", tables, err)
	}
	out, err := s.tables().DescribeTable(within(t), &dynamodb.DescribeTableInput{TableName: &s.Table})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(out.Table.GlobalSecondaryIndexes) + len(out.Table.LocalSecondaryIndexes); n != 0 {
		t.Errorf("the table has %d indexes", n)
	}
	var keys []string
	for _, key := range out.Table.KeySchema {
		keys = append(keys, *key.AttributeName+" "+string(key.KeyType))
	}
	for _, attr := range out.Table.AttributeDefinitions {
		keys = append(keys, *attr.AttributeName+" "+string(attr.AttributeType))
	}
	if want := []string{"PK HASH", "SK RANGE", "PK S", "SK S"}; !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
}
