package dynamolite_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.uber.org/goleak"
)

func TestConcurrentTransfersPreserveTheSum(t *testing.T) {
	const accounts, clients, transfers, initial = 8, 64, 20, 100
	s := start(t, dynamolite.Options{})
	s.table("bank", "id:N", "", withIndex("by_kind", "kind:S", "balance:N", types.ProjectionTypeAll), withStream(types.StreamViewTypeNewAndOldImages))
	for id := range accounts {
		s.put("bank", item("id", id, "balance", initial, "kind", "account"))
	}
	allAccounts := &dynamodb.TransactGetItemsInput{}
	for id := range accounts {
		allAccounts.TransactItems = append(allAccounts.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: aws.String("bank"), Key: item("id", id)}})
	}
	sum := func() error {
		out, err := s.TransactGetItems(t.Context(), allAccounts)
		if err != nil {
			return err
		}
		total := 0
		for _, r := range out.Responses {
			n, err := strconv.Atoi(text(r.Item, "balance"))
			if err != nil {
				return err
			}
			total += n
		}
		if total != accounts*initial {
			return fmt.Errorf("the sum is %d, want %d", total, accounts*initial)
		}
		return nil
	}
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 1))
			for range transfers {
				from := random.IntN(accounts)
				to := (from + 1 + random.IntN(accounts-1)) % accounts
				move := func(id, amount int) types.TransactWriteItem {
					return types.TransactWriteItem{Update: &types.Update{
						TableName: aws.String("bank"), Key: item("id", id), UpdateExpression: aws.String("SET balance = balance + :amount"),
						ConditionExpression: aws.String("balance >= :least"), ExpressionAttributeValues: item(":amount", amount, ":least", max(-amount, 0)),
					}}
				}
				amount := 1 + random.IntN(60)
				_, err := s.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{move(from, -amount), move(to, amount)}})
				if refused := new(types.TransactionCanceledException); err != nil && !errors.As(err, &refused) {
					t.Error(err)
				}
				if err := sum(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	indexed, _ := s.pages(dynamodb.QueryInput{
		TableName: aws.String("bank"), IndexName: aws.String("by_kind"), KeyConditionExpression: aws.String("kind = :k"), ExpressionAttributeValues: item(":k", "account"),
	})
	total := 0
	for _, balance := range texts(indexed, "balance") {
		n, err := strconv.Atoi(balance)
		if err != nil || n < 0 {
			t.Errorf("got balance %s, want a non-negative number", balance)
		}
		total += n
	}
	if len(indexed) != accounts || total != accounts*initial {
		t.Errorf("the index has %d accounts with the sum %d, want %d with %d", len(indexed), total, accounts, accounts*initial)
	}
}

func TestOneOfManyConcurrentConditionalPutsSucceeds(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("jobs", "id:S", "")
	for round := range 20 {
		var wg sync.WaitGroup
		won := make(chan int, 64)
		for client := range 64 {
			wg.Go(func() {
				_, err := s.PutItem(t.Context(), &dynamodb.PutItemInput{
					TableName: aws.String("jobs"), Item: item("id", strconv.Itoa(round), "by", client), ConditionExpression: aws.String("attribute_not_exists(id)"),
				})
				if refused := new(types.ConditionalCheckFailedException); err == nil {
					won <- client
				} else if !errors.As(err, &refused) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Fatalf("round %d: %d writers succeeded, want 1", round, len(won))
		}
		if by := text(s.get("jobs", item("id", strconv.Itoa(round))), "by"); by != strconv.Itoa(<-won) {
			t.Fatalf("round %d: the item was written by client %s, want the client whose write succeeded", round, by)
		}
	}
}

func TestCloseEndsAllGoroutines(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	engine, err := dynamolite.Open(dynamolite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
	}
	goleak.VerifyNone(t, ignore)
}
