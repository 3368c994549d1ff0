package globaltable_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/test/globaltable"
)

// TestChangesReachTheOtherRegionOnce checks that the writes of each region are made in the other, with a record in its stream,
// and do not return.
func TestChangesReachTheOtherRegionOnce(t *testing.T) {
	w := open(t, 0)
	w.a.put(t, 100, "1", "of a")
	w.a.put(t, 101, "2", "of a")
	w.b.put(t, 101, "3", "of b")
	w.settle(map[string]string{"1": "of a", "2": "of a", "3": "of b"})
	w.a.put(t, 102, "3", "changed")
	w.b.remove(t, 102, "1")
	w.settle(map[string]string{"2": "of a", "3": "changed"})
	if s := w.Stats(); s.Applied != 5 || s.Waiting != 0 || len(s.Conflicts) != 0 {
		t.Errorf("got %+v, want 5 changes applied, none waiting, and no conflicts", s)
	}
	for _, r := range []*region{w.a, w.b} {
		if n := len(r.records(t)); n != 5 {
			t.Errorf("the stream of %s has %d records, want one for each of 5 changes", r.Name, n)
		}
	}
}

// TestLastWriterWins writes an item in both regions while they are isolated, and compares the result with the winner by the
// times of the writes.
func TestLastWriterWins(t *testing.T) {
	const first = 100
	put := func(r *region, at int64, value string) func(*testing.T) {
		return func(t *testing.T) { r.put(t, at, "x", value) }
	}
	remove := func(r *region, at int64) func(*testing.T) { return func(t *testing.T) { r.remove(t, at, "x") } }
	type writes []func(*testing.T)
	for situation, c := range map[string]struct {
		writes func(a, b *region) writes
		want   map[string]string
	}{
		"a is later":                {func(a, b *region) writes { return writes{put(a, 105, "a"), put(b, 104, "b")} }, map[string]string{"x": "a"}},
		"b is later":                {func(a, b *region) writes { return writes{put(a, 104, "a"), put(b, 105, "b")} }, map[string]string{"x": "b"}},
		"the same second":           {func(a, b *region) writes { return writes{put(a, 104, "a"), put(b, 104, "b")} }, map[string]string{"x": "b"}},
		"a later deletion wins":     {func(a, b *region) writes { return writes{put(a, 104, "a"), remove(b, 105)} }, map[string]string{}},
		"an earlier deletion loses": {func(a, b *region) writes { return writes{put(a, 105, "a"), remove(b, 104)} }, map[string]string{"x": "a"}},
		"many lose to a later one": {
			func(a, b *region) writes {
				return writes{put(a, 101, "1"), put(a, 102, "2"), put(a, 103, "3"), put(b, 104, "b")}
			}, map[string]string{"x": "b"},
		},
		"one in between loses": {func(a, b *region) writes { return writes{put(a, 101, "1"), put(b, 102, "b"), put(a, 103, "3")} }, map[string]string{"x": "3"}},
	} {
		t.Run(situation, func(t *testing.T) {
			w := open(t, 0)
			w.a.put(t, first, "x", "old")
			w.settle(map[string]string{"x": "old"})
			w.Isolate("a")
			for _, write := range c.writes(w.a, w.b) {
				write(t)
			}
			w.Rejoin("a")
			w.settle(c.want)
			if s := w.Stats(); len(s.Conflicts) != 1 || s.Conflicts["x"] == 0 {
				t.Errorf("the conflicts are %v, want those of x", s.Conflicts)
			}
		})
	}
}

// TestWriteAfterReplicatedWriteWins checks that a write that replaces a replicated one wins, also in the same second and in a
// region whose clock is behind.
func TestWriteAfterReplicatedWriteWins(t *testing.T) {
	w := open(t, 0)
	w.b.put(t, 100, "x", "b")
	w.settle(map[string]string{"x": "b"})
	w.a.put(t, 100, "x", "a")
	w.settle(map[string]string{"x": "a"})
	w.b.put(t, 90, "x", "behind")
	w.settle(map[string]string{"x": "behind"})
	if s := w.Stats(); len(s.Conflicts) != 0 {
		t.Errorf("the conflicts are %v, want none", s.Conflicts)
	}
}

// TestConditionsAreLocal checks that a condition does not see what the other region has not replicated yet.
func TestConditionsAreLocal(t *testing.T) {
	w := open(t, 0)
	w.Isolate("a")
	for i, r := range []*region{w.b, w.a} {
		r.now.Store(100 + int64(i))
		_, err := r.DB.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String(name), Item: table.Key{"id": table.Text("x"), "value": table.Text(r.Name)}, ConditionExpression: aws.String("attribute_not_exists(id)"),
		})
		if err != nil {
			t.Fatalf("%s: %v, want both regions to create the item", r.Name, err)
		}
	}
	w.Rejoin("a")
	w.settle(map[string]string{"x": "a"})
}

// TestTransactionsArriveInParts checks that another region can have a part of a transaction.
func TestTransactionsArriveInParts(t *testing.T) {
	w := open(t, 0)
	heal := w.b.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.ErrorBefore, Operation: "PutItem", Skip: 1})
	var writes []types.TransactWriteItem
	for _, id := range []string{"1", "2"} {
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: aws.String(name), Item: table.Key{"id": table.Text(id), "value": table.Text("a")}}})
	}
	if _, err := w.a.DB.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error { return errors.Join(w.a.has(t, 2), w.b.has(t, 1)) })
	heal()
	w.settle(map[string]string{"1": "a", "2": "a"})
}

// TestExpiryIsReplicated checks that the deletion of an expired item is replicated as a deletion that no service has made.
func TestExpiryIsReplicated(t *testing.T) {
	w := open(t, 0)
	_, err := w.a.DB.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: aws.String(name), Item: table.Key{"id": table.Text("x"), "value": table.Text("a"), "expires": table.Integer(150)},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.settle(map[string]string{"x": "a"})
	w.a.now.Store(200)
	if err := w.a.engine.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.settle(map[string]string{})
	for r, service := range map[*region]bool{w.a: true, w.b: false} {
		records := r.records(t)
		if last := records[len(records)-1]; last.EventName != streams.OperationTypeRemove || (last.UserIdentity != nil) != service {
			t.Errorf("the last record of %s is %s by %v, want REMOVE, by a service: %t", r.Name, last.EventName, last.UserIdentity, service)
		}
	}
}

// TestLag checks that a change arrives after the lag, and that the changes of an item stay in order if the lag changes.
func TestLag(t *testing.T) {
	const lag = 300 * time.Millisecond
	w := open(t, lag)
	began := time.Now()
	w.a.put(t, 100, "x", "1")
	eventually(t, func() error { return w.b.has(t, 1) })
	if took := time.Since(began); took < lag {
		t.Errorf("the change arrived after %s, want at least %s", took, lag)
	}
	w.a.put(t, 101, "x", "2")
	eventually(t, func() error {
		if w.Stats().Waiting != 1 {
			return errors.New("want a change that waits")
		}
		return nil
	})
	w.SetLag(0)
	w.a.put(t, 102, "x", "3")
	w.settle(map[string]string{"x": "3"})
	if s := w.Stats(); len(s.Conflicts) != 0 || s.Applied != 3 {
		t.Errorf("got %+v, want 3 changes applied and no conflicts", s)
	}
}

// TestIsolation checks that nothing of a region arrives while it is isolated, also what was read before, and all of it after.
func TestIsolation(t *testing.T) {
	w := open(t, 50*time.Millisecond)
	w.a.put(t, 100, "read", "a")
	eventually(t, func() error {
		if w.Stats().Waiting != 1 {
			return errors.New("want a change that waits")
		}
		return nil
	})
	w.Isolate("a")
	w.a.put(t, 101, "unread", "a")
	w.b.put(t, 101, "other", "b")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := w.Settled(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v while a region is isolated, want the end of the time", err)
	}
	if a, b := w.a.values(t), w.b.values(t); len(a) != 2 || len(b) != 1 {
		t.Errorf("a contains %v, and b %v; want only their own items", a, b)
	}
	w.Rejoin("a")
	w.settle(map[string]string{"read": "a", "unread": "a", "other": "b"})
}

// TestLostResponses checks that a replicated write whose response is lost is neither made twice nor returned.
func TestLostResponses(t *testing.T) {
	w := open(t, 0)
	w.b.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "PutItem", Count: 2})
	w.b.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "DeleteItem", Count: 1})
	w.a.put(t, 100, "x", "1")
	w.a.put(t, 101, "x", "2")
	w.a.put(t, 102, "y", "1")
	w.a.remove(t, 103, "y")
	w.settle(map[string]string{"x": "2"})
	for _, r := range []*region{w.a, w.b} {
		if n := len(r.records(t)); n != 4 {
			t.Errorf("the stream of %s has %d records, want one for each of 4 changes", r.Name, n)
		}
	}
	if s := w.Stats(); len(s.Conflicts) != 0 {
		t.Errorf("the conflicts are %v, want none", s.Conflicts)
	}
}

// TestRandomWritesConverge writes few items in both regions at the same time, with failures and isolation, and checks that
// both regions agree on a value that one of the writers of the latest second has written.
func TestRandomWritesConverge(t *testing.T) {
	const writes, items = 300, 5
	w := open(t, 20*time.Millisecond)
	w.b.engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "PutItem", Probability: 0.05, Seed: 1})
	var last [2]map[string]string // by region: the last value of each item, or "" after a deletion
	var writers errgroup.Group
	for i, r := range []*region{w.a, w.b} {
		random := rand.New(rand.NewPCG(7, uint64(i)))
		last[i] = map[string]string{}
		writers.Go(func() error {
			for n := range writes {
				id := strconv.Itoa(random.IntN(items))
				r.now.Store(int64(100 + n/10))
				if n == writes/2 && r == w.a {
					w.Isolate("a")
				}
				if random.IntN(5) == 0 {
					if _, err := r.DB.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(name), Key: key(id)}); err != nil {
						return err
					}
					last[i][id] = ""
					continue
				}
				value := fmt.Sprint(r.Name, n)
				_, err := r.DB.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name), Item: table.Key{"id": table.Text(id), "value": table.Text(value)}})
				if err != nil && r == w.a {
					return err
				}
				last[i][id] = value // in b also if the response was lost
			}
			return nil
		})
	}
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	w.Rejoin("a")
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	if err := w.Settled(ctx); err != nil {
		t.Fatal(err)
	}
	a, b := w.a.values(t), w.b.values(t)
	if !maps.Equal(a, b) {
		t.Errorf("a contains %v, and b %v; want the same", a, b)
	}
	for id := range last[0] {
		if got := a[id]; got != last[0][id] && got != last[1][id] {
			t.Errorf("item %s is %q, want the last write of a region, %q or %q", id, got, last[0][id], last[1][id])
		}
	}
	if len(w.Stats().Conflicts) == 0 {
		t.Error("there are no conflicts, want some")
	}
}

// TestStreamIsRequired checks that a table without both images in its stream is rejected.
func TestStreamIsRequired(t *testing.T) {
	r := start(t, "a")
	_, err := r.DB.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("silent"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := globaltable.Start(t.Context(), globaltable.Options{Table: "silent", Regions: []globaltable.Region{r.Region}}); err == nil {
		t.Error("a table without a stream is replicated, want an error")
	}
}
