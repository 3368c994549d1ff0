package dynamolite_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestItemOfEveryTypeRoundTrips(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("things", "pk:S", "sk:N")
	full := item("pk", "a", "sk", 1,
		"s", "é\x00\n", "n", &types.AttributeValueMemberN{Value: "-12345678901234567890.123456789012345678"},
		"b", []byte{0, 255}, "yes", true, "null", &types.AttributeValueMemberNULL{Value: true},
		"map", item("list", &types.AttributeValueMemberL{Value: []types.AttributeValue{value("x"), value(2)}}, "empty", object{}),
		"ss", []string{"a", "b"}, "ns", &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}},
		"bs", &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}, "blank", "")
	s.put("things", full)
	if got := s.get("things", item("pk", "a", "sk", 1)); !reflect.DeepEqual(got, full) {
		t.Errorf("got %v, want %v", got, full)
	}
	if got := s.get("things", item("pk", "a", "sk", 2)); got != nil {
		t.Errorf("GetItem of a missing item: got %v, want none", got)
	}
	out, err := s.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("things"), Key: item("pk", "a", "sk", 1),
		ProjectionExpression: aws.String("#m.#l[1], n"), ExpressionAttributeNames: map[string]string{"#m": "map", "#l": "list"},
	})
	want := item("n", full["n"], "map", item("list", &types.AttributeValueMemberL{Value: []types.AttributeValue{value(2)}}))
	if err != nil || !reflect.DeepEqual(out.Item, want) {
		t.Errorf("projection: got %v, error %v, want %v", out, err, want)
	}
}

func TestConditionalPut(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("jobs", "id:S", "")
	create := func() error {
		_, err := s.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String("jobs"), Item: item("id", "1", "status", "QUEUED"),
			ConditionExpression: aws.String("attribute_not_exists(id)"), ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		return err
	}
	if err := create(); err != nil {
		t.Fatal(err)
	}
	failed := new(types.ConditionalCheckFailedException)
	if err := create(); !errors.As(err, &failed) || text(failed.Item, "status") != "QUEUED" || failed.ErrorMessage() != "The conditional request failed" {
		t.Fatalf("second put: got error %v with item %v, want the item of the first put", err, failed.Item)
	}
	move := func(from, to string) error {
		_, err := s.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("jobs"), Key: item("id", "1"),
			UpdateExpression: aws.String("SET #s = :to"), ConditionExpression: aws.String("#s = :from"),
			ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: item(":from", from, ":to", to),
		})
		return err
	}
	if err := move("QUEUED", "DONE"); err != nil {
		t.Fatal(err)
	}
	wantError(t, move("QUEUED", "FAILED"), "ConditionalCheckFailedException")
	_, err := s.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("jobs"), Key: item("id", "1"), ConditionExpression: aws.String("attribute_exists(absent)"),
	})
	wantError(t, err, "ConditionalCheckFailedException")
	if got := text(s.get("jobs", item("id", "1")), "status"); got != "DONE" {
		t.Errorf("got status %s, want DONE", got)
	}
}

func TestReturnValues(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("counters", "id:S", "")
	s.put("counters", item("id", "1", "n", 1, "other", "x"))
	for _, tc := range []struct {
		returned types.ReturnValue
		want     object
	}{
		{types.ReturnValueNone, nil},
		{types.ReturnValueAllOld, item("id", "1", "n", 2, "other", "x")},
		{types.ReturnValueAllNew, item("id", "1", "n", 4, "other", "x")},
		{types.ReturnValueUpdatedOld, item("n", 4)},
		{types.ReturnValueUpdatedNew, item("n", 6)},
	} {
		out := must(s.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("counters"), Key: item("id", "1"), UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: item(":one", 1), ReturnValues: tc.returned,
		}))(t)
		if !reflect.DeepEqual(out.Attributes, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.returned, out.Attributes, tc.want)
		}
	}
	deleted := must(s.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("counters"), Key: item("id", "1"), ReturnValues: types.ReturnValueAllOld}))(t)
	if text(deleted.Attributes, "n") != "6" {
		t.Errorf("DeleteItem returned %v, want n = 6", deleted.Attributes)
	}
	replaced := must(s.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("counters"), Item: item("id", "1"), ReturnValues: types.ReturnValueAllOld}))(t)
	if replaced.Attributes != nil {
		t.Errorf("put of a new item returned the old item %v, want none", replaced.Attributes)
	}
}

func TestUpdateOfAMissingItemCreatesIt(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("things", "pk:S", "")
	must(s.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("things"), Key: item("pk", "a"), UpdateExpression: aws.String("SET n = if_not_exists(n, :zero) + :one"),
		ExpressionAttributeValues: item(":zero", 0, ":one", 1),
	}))(t)
	if got, want := s.get("things", item("pk", "a")), item("pk", "a", "n", 1); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWriteBeyondALimitIsRejected(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("things", "pk:S", "sk:S", withIndex("by_n", "n:N", "", types.ProjectionTypeAll))
	for name, it := range map[string]object{
		"no sort key":          item("pk", "a"),
		"wrong key type":       item("pk", "a", "sk", 1),
		"empty key":            item("pk", "a", "sk", ""),
		"long partition key":   item("pk", strings.Repeat("k", 2049), "sk", "a"),
		"long sort key":        item("pk", "a", "sk", strings.Repeat("k", 1025)),
		"large item":           item("pk", "a", "sk", "a", "x", strings.Repeat("x", 400<<10)),
		"wrong index key type": item("pk", "a", "sk", "a", "n", "text"),
		"empty set":            item("pk", "a", "sk", "a", "x", []string{}),
	} {
		_, err := s.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("things"), Item: it})
		t.Run(name, func(t *testing.T) { wantError(t, err, "ValidationException") })
	}
	s.put("things", item("pk", "a", "sk", "a", "x", strings.Repeat("x", 300<<10)))
	_, err := s.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String("things"), Key: item("pk", "a", "sk", "a"), UpdateExpression: aws.String("SET y = x"),
	})
	wantError(t, err, "ValidationException")
	_, err = s.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("nowhere"), Item: item("pk", "a")})
	wantError(t, err, "ResourceNotFoundException")
}
