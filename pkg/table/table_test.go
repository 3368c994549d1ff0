package table_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

func schema(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	}
}

func TestEnsureIsIdempotentAndConcurrent(t *testing.T) {
	db, _ := tabletest.Start(t)
	if err := table.Check(t.Context(), db, "doors"); err == nil || !strings.Contains(err.Error(), "doors") {
		t.Errorf("before there is a table: got error %v, want one that names it", err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("doors")}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("doors")}}); err != nil {
		t.Error(err)
	}
	if err := table.Check(t.Context(), db, "doors"); err != nil {
		t.Error(err)
	}
}

func TestEnsureNamesTheTableItCannotCreate(t *testing.T) {
	db, _ := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("a table")}}); err == nil || !strings.Contains(err.Error(), "a table") {
		t.Errorf("got error %v, want one that names the table", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := table.EnsureAll(ctx, db, []table.Schema{{Create: schema("doors")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}

// put returns a transaction with one write that requires its item to be new.
func put(id string) *dynamodb.TransactWriteItemsInput {
	return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &types.Put{
		TableName: aws.String("doors"), Item: table.Key{"id": &types.AttributeValueMemberS{Value: id}},
		ConditionExpression: aws.String("attribute_not_exists(id)"),
	}}}}
}

func TestTransientFaultsAreRetried(t *testing.T) {
	for name, kind := range map[string]dynamolite.FaultKind{
		"conflict": dynamolite.Conflict, "throttle": dynamolite.Throttle,
		"error before": dynamolite.ErrorBefore, "error after": dynamolite.ErrorAfter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, faults := tabletest.Start(t)
			if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("doors")}}); err != nil {
				t.Fatal(err)
			}
			faults.Add(dynamolite.Fault{Kind: kind, Operation: "TransactWriteItems", Count: 1})
			if _, err := db.TransactWriteItems(t.Context(), put("a")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFailedConditionIsNotRetried(t *testing.T) {
	db, faults := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("doors")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.TransactWriteItems(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}
	// A second request would be delayed by a minute.
	faults.Add(dynamolite.Fault{Kind: dynamolite.Delay, Skip: 1, Delay: time.Minute})
	var canceled *types.TransactionCanceledException
	if _, err := db.TransactWriteItems(t.Context(), put("a")); !errors.As(err, &canceled) {
		t.Errorf("got error %v, want TransactionCanceledException", err)
	}
}

// TestGetAllReadsEveryItem checks that more items than fit in one request are read, although
// the engine leaves some unprocessed each time, and that only the requested attributes are
// returned.
func TestGetAllReadsEveryItem(t *testing.T) {
	db, faults := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, []table.Schema{{Create: schema("doors")}}); err != nil {
		t.Fatal(err)
	}
	var keys []table.Key
	for n := range 2*table.GetLimit + 50 {
		key := table.Key{"id": &types.AttributeValueMemberS{Value: fmt.Sprint(n)}}
		keys = append(keys, key)
		if n%5 == 0 {
			continue // this item is missing
		}
		item := table.Key{"name": &types.AttributeValueMemberS{Value: fmt.Sprint("door ", n)}, "color": &types.AttributeValueMemberS{Value: "red"}}
		maps.Copy(item, key)
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("doors"), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	faults.Add(dynamolite.Fault{Kind: dynamolite.Unprocessed, Operation: "BatchGetItem", Probability: 0.5, Seed: 1})
	for _, attributes := range [][]string{nil, {"name"}} { // a word that DynamoDB reserves
		seen := map[string]int{}
		err := table.GetAll(t.Context(), db, table.Get{Table: "doors", Keys: keys, Consistent: true, Attributes: attributes}, func(item table.Key) error {
			if name, ok := item["name"].(*types.AttributeValueMemberS); ok && (item["color"] == nil) == (attributes != nil) {
				seen[name.Value]++
			}
			return nil
		})
		if err != nil || len(seen) != len(keys)*4/5 {
			t.Errorf("attributes %v: got %d items, error %v, want %d", attributes, len(seen), err, len(keys)*4/5)
		}
		for name, times := range seen {
			if times != 1 {
				t.Errorf("%s was read %d times, want once", name, times)
			}
		}
	}
	stop := errors.New("enough")
	calls := 0
	if err := table.GetAll(t.Context(), db, table.Get{Table: "doors", Keys: keys}, func(table.Key) error { calls++; return stop }); !errors.Is(err, stop) || calls != 1 {
		t.Errorf("got error %v after %d calls, want %v after 1", err, calls, stop)
	}
}
