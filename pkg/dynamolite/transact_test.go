package dynamolite_test

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func putIn(table string, it object, condition string) types.TransactWriteItem {
	action := &types.Put{TableName: aws.String(table), Item: it, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld}
	if condition != "" {
		action.ConditionExpression = aws.String(condition)
	}
	return types.TransactWriteItem{Put: action}
}

func (s *service) transact(token string, actions ...types.TransactWriteItem) error {
	in := &dynamodb.TransactWriteItemsInput{TransactItems: append([]types.TransactWriteItem{}, actions...)}
	if token != "" {
		in.ClientRequestToken = aws.String(token)
	}
	_, err := s.TransactWriteItems(s.t.Context(), in)
	return err
}

func TestTransactionIsAtomic(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	s.table("right", "pk:S", "sk:S")
	s.put("right", item("pk", "2", "sk", "x", "n", 5))
	one := putIn("left", item("pk", "1"), "attribute_not_exists(pk)")
	failing := types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("right"), Key: item("pk", "2", "sk", "x"), UpdateExpression: aws.String("SET n = n + :one"),
		ConditionExpression: aws.String("n < :five"), ExpressionAttributeValues: item(":one", 1, ":five", 5),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
	canceled := new(types.TransactionCanceledException)
	if err := s.transact("", one, failing); !errors.As(err, &canceled) {
		t.Fatal(err)
	}
	if r := canceled.CancellationReasons; len(r) != 2 || *r[0].Code != "None" || *r[1].Code != "ConditionalCheckFailed" || text(r[1].Item, "n") != "5" {
		t.Fatalf("got reasons %v, want none for the first and a failed condition for the second", r)
	}
	if got := s.get("left", item("pk", "1")); got != nil {
		t.Fatalf("after the failed transaction: got item %v, want none", got)
	}
	failing.Update.ConditionExpression = aws.String("n <= :five")
	if err := s.transact("", one, failing); err != nil {
		t.Fatal(err)
	}
	read := must(s.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: aws.String("right"), Key: item("pk", "2", "sk", "x"), ProjectionExpression: aws.String("n")}},
		{Get: &types.Get{TableName: aws.String("left"), Key: item("pk", "9")}},
		{Get: &types.Get{TableName: aws.String("left"), Key: item("pk", "1")}},
	}}))(t)
	if r := read.Responses; len(r) != 3 || text(r[0].Item, "n") != "6" || len(r[0].Item) != 1 || r[1].Item != nil || text(r[2].Item, "pk") != "1" {
		t.Errorf("got items %v, want n = 6 only, none, and pk = 1", r)
	}
}

func TestUpdateThatCannotApplyCancelsTheTransaction(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	s.put("left", item("pk", "1", "n", "text"))
	err := s.transact("", putIn("left", item("pk", "2"), ""), types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("left"), Key: item("pk", "1"), UpdateExpression: aws.String("SET n = n + :one"), ExpressionAttributeValues: item(":one", 1),
	}})
	canceled := new(types.TransactionCanceledException)
	if !errors.As(err, &canceled) || *canceled.CancellationReasons[1].Code != "ValidationError" {
		t.Fatalf("got error %v, want ValidationError as the reason of the second action", err)
	}
	if got := s.get("left", item("pk", "2")); got != nil {
		t.Errorf("after the failed transaction: got item %v, want none", got)
	}
}

func TestTokenMakesARepeatedRequestIdempotentForTenMinutes(t *testing.T) {
	now := newClock()
	s := start(t, dynamolite.Options{Clock: now.Now, SweepInterval: -1})
	s.table("left", "pk:S", "")
	add := func(token string, n int) error {
		return s.transact(token, types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String("left"), Key: item("pk", "1"), UpdateExpression: aws.String("ADD n :n"), ExpressionAttributeValues: item(":n", n),
		}})
	}
	want := func(n string) {
		t.Helper()
		if got := text(s.get("left", item("pk", "1")), "n"); got != n {
			t.Fatalf("got n = %s, want %s", got, n)
		}
	}
	for range 3 {
		if err := add("token", 1); err != nil {
			t.Fatal(err)
		}
		now.Advance(4 * time.Minute) // the third request is eight minutes after the first
		if err := s.engine.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want("1")
	if err := add("other", 1); err != nil {
		t.Fatal(err)
	}
	want("2")
	wantError(t, add("other", 7), "IdempotentParameterMismatchException")
	if err := add("token", 1); err != nil { // twelve minutes after the first
		t.Fatal(err)
	}
	want("3")
}

func TestInvalidTransactionIsRejected(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	wantError(t, s.transact("", putIn("left", item("pk", "1"), ""), putIn("left", item("pk", "1"), "")), "ValidationException")
	wantError(t, s.transact("", putIn("missing", item("pk", "1"), "")), "ResourceNotFoundException")
	wantError(t, s.transact(""), "ValidationException")
	wantError(t, s.transact("", types.TransactWriteItem{}), "ValidationException")
}
