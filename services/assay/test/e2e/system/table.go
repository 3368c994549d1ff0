package system

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/nats-io/nats.go/jetstream"
)

// HeadFile sends a HEAD request for an object, and returns its error.
func (s System) HeadFile(ctx context.Context, key string) error {
	_, err := s.Objects().HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.Bucket, Key: &key})
	return err
}

// ObjectOf returns the key of the object that contains a file's bytes.
func ObjectOf(t *testing.T, s System, fileID string) string {
	t.Helper()
	out, err := s.Tables().GetItem(Within(t), &dynamodb.GetItemInput{TableName: &s.Table, Key: Item{
		"PK": &types.AttributeValueMemberS{Value: "FILE#" + fileID}, "SK": &types.AttributeValueMemberS{Value: "META"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	key, ok := out.Item["s3Key"].(*types.AttributeValueMemberS)
	if !ok {
		t.Fatalf("got item %v, want one with an s3Key", out.Item)
	}
	return key.Value
}

// Item is an item as the DynamoDB client returns it.
type Item = map[string]types.AttributeValue

// read returns an item with a consistent read, or nil if it does not exist.
func (s System) read(ctx context.Context, pk, sk string) (Item, error) {
	out, err := s.Tables().GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		Key: Item{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk}},
	})
	if err != nil {
		return nil, err
	}
	return out.Item, nil
}

// Meta returns a file's metadata item.
func (s System) Meta(t *testing.T, fileID string) Item {
	t.Helper()
	found, err := s.read(Within(t), "FILE#"+fileID, "META")
	if err != nil || found == nil {
		t.Fatalf("got metadata item %v of %s, error %v, want an item", found, fileID, err)
	}
	return found
}

// History returns the item that lists a file under its owner, found by the query that the seed defines.
func (s System) History(t *testing.T, owner, fileID string) Item {
	t.Helper()
	out, err := s.Tables().Query(Within(t), &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :owner"),
		ExpressionAttributeValues: Item{":owner": &types.AttributeValueMemberS{Value: "OWNER#" + owner}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range out.Items {
		if Attribute(t, found, "SK") == "FILE#"+fileID {
			return found
		}
	}
	t.Fatalf("got no history item of %s under %s, want one", fileID, owner)
	return nil
}

// Attribute returns the value of a string or number attribute as text.
func Attribute(t *testing.T, i Item, name string) string {
	t.Helper()
	switch value := i[name].(type) {
	case *types.AttributeValueMemberS:
		return value.Value
	case *types.AttributeValueMemberN:
		return value.Value
	}
	t.Fatalf("attribute %s is a %T, want a string or number", name, i[name])
	return ""
}

// KindsOf returns the type descriptors of attributes, such as S, by attribute name.
func KindsOf(i Item) map[string]string {
	kinds := map[string]string{}
	for name, value := range i {
		kinds[name] = strings.TrimPrefix(fmt.Sprintf("%T", value), "*types.AttributeValueMember")
	}
	return kinds
}

// LeftOf returns an error if anything remains of a deleted file.
func (s System) LeftOf(ctx context.Context, owner, fileID, key string) error {
	meta, err := s.read(ctx, "FILE#"+fileID, "META")
	history, historyErr := s.read(ctx, "OWNER#"+owner, "FILE#"+fileID)
	if err := errors.Join(err, historyErr); err != nil {
		return err
	}
	if meta != nil || history != nil {
		return fmt.Errorf("items remain: %s, %s", JSON(meta), JSON(history))
	}
	if s.HeadFile(ctx, key) == nil {
		return fmt.Errorf("the object %s still exists", key)
	}
	return nil
}

// NothingWaits returns an error while a stream of notifications or work contains messages.
func NothingWaits(ctx context.Context, js jetstream.JetStream) error {
	for _, name := range []string{"ASSAY_NOTICES", "ASSAY_WORK_TEXTFILE", "ASSAY_WORK_FEED", "ASSAY_WORK_PHOTOJOB"} {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return err
		}
		if waiting := stream.CachedInfo().State.Msgs; waiting > 0 {
			return fmt.Errorf("stream %s contains %d messages, want 0", name, waiting)
		}
	}
	return nil
}
