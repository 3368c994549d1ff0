package dynamolite_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (s *service) tryPut(table string, it object) error {
	_, err := s.PutItem(s.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: it})
	return err
}

func TestFaultMatchesOperationTableAndCount(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	s.table("right", "pk:S", "")
	s.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.Throttle, Operation: "PutItem", Table: "left", Skip: 1, Count: 2})
	for i, fails := range []bool{false, true, true, false} {
		s.put("right", item("pk", "a"))
		s.get("left", item("pk", "a"))
		err := s.tryPut("left", item("pk", "a"))
		if fails {
			wantError(t, err, "ProvisionedThroughputExceededException")
		} else if err != nil {
			t.Errorf("put %d: got error %v, want nil", i, err)
		}
	}
}

func TestErrorBeforeAndAfterTheWrite(t *testing.T) {
	s := start(t, dynamolite.Options{OnError: func(error) {}})
	s.table("left", "pk:S", "")
	for kind, written := range map[dynamolite.FaultKind]bool{dynamolite.ErrorBefore: false, dynamolite.ErrorAfter: true} {
		remove := s.engine.Faults().Add(dynamolite.Fault{Kind: kind, Operation: "PutItem"})
		key := item("pk", string(rune('a'+kind)))
		wantError(t, s.tryPut("left", key), "InternalServerError")
		remove()
		if got := s.get("left", key); (got != nil) != written {
			t.Errorf("kind %d: got item %v, want written = %t", kind, got, written)
		}
	}
}

func TestConflictNamesTheActionsOnItsTable(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	s.table("right", "pk:S", "")
	s.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.Conflict, Table: "right"})
	err := s.transact("", putIn("left", item("pk", "a"), ""), putIn("right", item("pk", "a"), ""))
	canceled := new(types.TransactionCanceledException)
	if !errors.As(err, &canceled) || *canceled.CancellationReasons[0].Code != "None" || *canceled.CancellationReasons[1].Code != "TransactionConflict" {
		t.Fatalf("got error %v, want TransactionConflict as the reason of the second action only", err)
	}
	wantError(t, s.tryPut("right", item("pk", "a")), "TransactionConflictException")
	s.engine.Faults().Clear()
	if got := s.get("left", item("pk", "a")); got != nil {
		t.Errorf("after the failed transaction: got item %v, want none", got)
	}
}

func TestSeedRepeatsTheSameFaults(t *testing.T) {
	run := func(seed uint64) (failed []int) {
		s := start(t, dynamolite.Options{})
		s.table("left", "pk:S", "")
		s.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.Throttle, Operation: "PutItem", Probability: 0.5, Seed: seed})
		for i := range 40 {
			if s.tryPut("left", item("pk", "a")) != nil {
				failed = append(failed, i)
			}
		}
		return failed
	}
	first := run(1)
	if n := len(first); n < 10 || n > 30 {
		t.Errorf("%d of 40 requests failed, want 10 to 30", n)
	}
	if again := run(1); !slices.Equal(first, again) {
		t.Errorf("the same seed produced faults %v, want %v as before", again, first)
	}
	if other := run(2); slices.Equal(first, other) {
		t.Error("another seed produced the same faults, want different ones")
	}
}

func TestDelayDelaysARequest(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	s.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.Delay, Delay: 30 * time.Millisecond, Count: 1})
	begin := time.Now()
	s.put("left", item("pk", "a"))
	if took := time.Since(begin); took < 30*time.Millisecond {
		t.Errorf("the request took %s, want at least 30ms", took)
	}
}

func TestBatchLeavesItemsUnprocessed(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("left", "pk:S", "")
	s.table("right", "pk:S", "")
	s.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.Unprocessed, Table: "left", Count: 1})
	requests := map[string][]types.WriteRequest{"left": puts(item("pk", "a"), item("pk", "b")), "right": puts(item("pk", "a"), item("pk", "b"))}
	out := must(s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: requests}))(t)
	rest := out.UnprocessedItems
	if len(rest) != 1 || len(rest["left"]) != 1 || text(rest["left"][0].PutRequest.Item, "pk") != "b" {
		t.Fatalf("got unprocessed requests %v, want the one for item b of left", rest)
	}
	if s.get("left", item("pk", "b")) != nil || s.get("left", item("pk", "a")) == nil || s.get("right", item("pk", "b")) == nil {
		t.Error("the unprocessed request was processed, or a different one was not; want only b of left unprocessed")
	}
	must(s.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: rest}))(t)
	if s.get("left", item("pk", "b")) == nil {
		t.Error("the retry of the unprocessed request wrote no item, want item b")
	}
}
