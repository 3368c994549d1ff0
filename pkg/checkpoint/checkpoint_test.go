package checkpoint_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

var tables = platform.Config{Table: "assay-platform"}

func open(t *testing.T) (*dynamodb.Client, *dynamolite.Faults) {
	t.Helper()
	db, faults := tabletest.Start(t)
	if err := table.EnsureAll(t.Context(), db, platform.Storage(tables).Tables); err != nil {
		t.Fatal(err)
	}
	return db, faults
}

// process returns the Store of a new process.
func process(db *dynamodb.Client, lease time.Duration) *checkpoint.Store {
	return checkpoint.New(db, checkpoint.Options{Table: tables, Projection: "test", Lease: lease, Keep: time.Hour})
}

// acquire waits until no other process holds the log, and acquires it.
func acquire(ctx context.Context, s *checkpoint.Store, log string) (*checkpoint.Lease, error) {
	for {
		l, err := s.Acquire(ctx, log)
		held, others := errors.AsType[*checkpoint.HeldError](err)
		if !others {
			return l, err
		}
		select {
		case <-time.After(held.Wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func mustAcquire(t *testing.T, s *checkpoint.Store, log string) *checkpoint.Lease {
	t.Helper()
	l, err := acquire(t.Context(), s, log)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func positions(t *testing.T, s *checkpoint.Store, want map[string]checkpoint.Position) {
	t.Helper()
	if got, err := s.Positions(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("got positions %v, error %v, want %v", got, err, want)
	}
}

func at(after string) checkpoint.Position { return checkpoint.Position{After: after} }

// TestReleasedLogIsAcquiredImmediately checks that a released log can be acquired immediately,
// although its lease is too long to wait for in a test.
func TestReleasedLogIsAcquiredImmediately(t *testing.T) {
	db, _ := open(t)
	first, second := process(db, time.Hour), process(db, time.Hour)
	l := mustAcquire(t, first, "a")
	if got := l.Position(); got != (checkpoint.Position{}) {
		t.Errorf("a new log: got position %+v, want none", got)
	}
	if err := errors.Join(l.Save(t.Context(), at("7")), l.Renew(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, err := second.Acquire(t.Context(), "a")
	if held, others := errors.AsType[*checkpoint.HeldError](err); !others || held.Wait < time.Hour-time.Minute || held.Wait > time.Hour {
		t.Errorf("a log that another process holds: got error %v, want a HeldError of almost an hour", err)
	}
	if err := errors.Join(l.Release(t.Context()), l.Release(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := l.Save(t.Context(), at("8")); !errors.Is(err, checkpoint.ErrLost) {
		t.Errorf("a save after the release: got error %v, want ErrLost", err)
	}
	l = mustAcquire(t, second, "a")
	if l.Position() != at("7") {
		t.Errorf("the next holder: got position %+v, want 7", l.Position())
	}
	done := checkpoint.Position{After: "9", Done: true}
	if err := l.Save(t.Context(), done); err != nil {
		t.Fatal(err)
	}
	mustAcquire(t, second, "b")
	positions(t, first, map[string]checkpoint.Position{"a": done, "b": {}})
	positions(t, checkpoint.New(db, checkpoint.Options{Table: tables, Projection: "other", Lease: time.Hour}), map[string]checkpoint.Position{})
}

// TestStalledHolderLosesItsLease checks that another process takes over a log whose holder has not
// written for the duration of a lease, and that writes of the old holder have no effect when it resumes.
func TestStalledHolderLosesItsLease(t *testing.T) {
	const lease = 200 * time.Millisecond
	db, _ := open(t)
	stalled := mustAcquire(t, process(db, lease), "a")
	if err := stalled.Save(t.Context(), at("1")); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	next := mustAcquire(t, process(db, lease), "a")
	if waited := time.Since(began); waited < lease {
		t.Errorf("the log was taken over after %s, want at least %s", waited, lease)
	}
	if err := next.Save(t.Context(), at("2")); err != nil {
		t.Fatal(err)
	}
	if err := stalled.Save(t.Context(), at("3")); !errors.Is(err, checkpoint.ErrLost) {
		t.Errorf("a save without the lease: got error %v, want ErrLost", err)
	}
	if err := stalled.Renew(t.Context()); !errors.Is(err, checkpoint.ErrLost) {
		t.Errorf("a renewal without the lease: got error %v, want ErrLost", err)
	}
	if err := stalled.Release(t.Context()); err != nil {
		t.Errorf("a release without the lease: got error %v, want nil", err)
	}
	if err := next.Renew(t.Context()); err != nil {
		t.Errorf("the holder: got error %v, want nil", err)
	}
	positions(t, process(db, lease), map[string]checkpoint.Position{"a": at("2")})
}

// TestNewerRowIsLeft checks that a log whose row has a newer format is not processed, even if no process holds it, and that
// writes keep attributes that this version does not know.
func TestNewerRowIsLeft(t *testing.T) {
	db, _ := open(t)
	const lease = 50 * time.Millisecond
	s := process(db, lease)
	if err := mustAcquire(t, s, "a").Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	set := func(update string, values table.Key) {
		t.Helper()
		_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: &tables.Table, Key: platform.Key(platform.Checkpoints+"test", "a"), UpdateExpression: &update, ExpressionAttributeValues: values,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set("SET formatVersion = :two, rewound = :rewound", table.Key{":two": table.Integer(2), ":rewound": table.Text("yes")})
	for range 3 { // longer than the lease of another holder
		_, err := s.Acquire(t.Context(), "a")
		if _, held := errors.AsType[*checkpoint.HeldError](err); !held {
			t.Fatalf("a row of a newer format: got error %v, want a HeldError", err)
		}
		<-time.After(lease)
	}
	set("REMOVE formatVersion", nil)
	if err := mustAcquire(t, s, "a").Save(t.Context(), at("1")); err != nil {
		t.Fatal(err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &tables.Table, Key: platform.Key(platform.Checkpoints+"test", "a")})
	if err != nil {
		t.Fatal(err)
	}
	if out.Item["rewound"] == nil {
		t.Errorf("the row is %v, want it to keep the attribute rewound", out.Item)
	}
}

// TestPositionOfAnotherStream checks that a position is used in its own stream only, and that a position without a stream,
// as earlier versions stored it, is used in any.
func TestPositionOfAnotherStream(t *testing.T) {
	db, _ := open(t)
	s := process(db, time.Hour)
	for _, saved := range []checkpoint.Position{{After: "7", Done: true}, {After: "7", Done: true, Stream: "one"}} {
		if err := mustAcquire(t, s, "a").Save(t.Context(), saved); err != nil {
			t.Fatal(err)
		}
		found := mustAcquire(t, s, "a").Position()
		if found != saved {
			t.Errorf("got %+v, want %+v", found, saved)
		}
		positions(t, s, map[string]checkpoint.Position{"a": saved})
		other := checkpoint.Position{Stream: "other"}
		if saved.Stream == "" {
			other = checkpoint.Position{After: "7", Done: true, Stream: "other"}
		}
		if got := found.In("other"); got != other {
			t.Errorf("%+v in another stream: got %+v, want %+v", saved, got, other)
		}
		if got, want := found.In("one"), (checkpoint.Position{After: "7", Done: true, Stream: "one"}); got != want {
			t.Errorf("%+v in its stream: got %+v, want %+v", saved, got, want)
		}
	}
}

// TestKeepRenewsTheLeaseDuringWork checks that Keep renews the lease during work that takes as long as
// three leases, and cancels work whose lease is lost.
func TestKeepRenewsTheLeaseDuringWork(t *testing.T) {
	const lease = 300 * time.Millisecond
	db, _ := open(t)
	first, second := process(db, lease), process(db, lease)
	l := mustAcquire(t, first, "a")
	failed := errors.New("failed")
	err := l.Keep(t.Context(), func(ctx context.Context) error {
		began := time.Now()
		for time.Since(began) < 3*lease {
			_, err := second.Acquire(ctx, "a")
			held, others := errors.AsType[*checkpoint.HeldError](err)
			if !others {
				t.Errorf("another process: got error %v, want a HeldError", err)
				break
			}
			<-time.After(held.Wait)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("Keep with the lease: got error %v, want %v", err, failed)
	}
	err = l.Keep(t.Context(), func(ctx context.Context) error {
		mustAcquire(t, first, "a") // replaces l
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, checkpoint.ErrLost) {
		t.Errorf("Keep after the lease is lost: got error %v, want ErrLost", err)
	}
}

// TestLostResponsesKeepTheLease checks that a process keeps its lease if its writes take effect but
// return errors.
func TestLostResponsesKeepTheLease(t *testing.T) {
	db, faults := open(t)
	s := process(db, time.Hour)
	heal := faults.Add(dynamolite.Fault{Operation: "UpdateItem", Kind: dynamolite.ErrorAfter})
	short, cancel := context.WithTimeout(t.Context(), time.Second) // the SDK retries for a minute
	defer cancel()
	if _, err := s.Acquire(short, "a"); err == nil {
		t.Error("Acquire without a response: got no error, want one")
	}
	heal()
	l := mustAcquire(t, s, "a")
	heal = faults.Add(dynamolite.Fault{Operation: "UpdateItem", Kind: dynamolite.ErrorBefore})
	short, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := l.Save(short, at("1")); err == nil || errors.Is(err, checkpoint.ErrLost) {
		t.Errorf("Save while DynamoDB fails: got error %v, want one other than ErrLost", err)
	}
	heal()
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	positions(t, s, map[string]checkpoint.Position{"a": at("1")}) // Release has saved the position
}

// TestOneHolderWritesAtATime checks that processes that share a counter write each number exactly
// once, even if they stall for up to two leases.
func TestOneHolderWritesAtATime(t *testing.T) {
	const lease, processes, target = 30 * time.Millisecond, 4, 60
	db, _ := open(t)
	var mu sync.Mutex
	written, lost := map[int]int{}, 0
	var group sync.WaitGroup
	for p := range processes {
		random := rand.New(rand.NewPCG(1, uint64(p)))
		s := process(db, lease)
		group.Go(func() {
			for {
				l, err := acquire(t.Context(), s, "a")
				if err != nil {
					t.Error(err)
					return
				}
				n, _ := strconv.Atoi(l.Position().After) // 0 for the empty position
				for err == nil && n < target && random.IntN(8) > 0 {
					if random.IntN(4) == 0 {
						<-time.After(time.Duration(random.IntN(3)) * lease) // a stall
					}
					if err = l.Save(t.Context(), at(strconv.Itoa(n+1))); err == nil {
						n++
						mu.Lock()
						written[n]++
						mu.Unlock()
					}
				}
				if errors.Is(err, checkpoint.ErrLost) {
					mu.Lock()
					lost++
					mu.Unlock()
				} else if err != nil {
					t.Error(err)
				}
				if err := l.Release(t.Context()); err != nil {
					t.Error(err)
				}
				if n >= target {
					return
				}
			}
		})
	}
	group.Wait()
	for n := 1; n <= target; n++ {
		if written[n] != 1 {
			t.Errorf("%d was written %d times, want once", n, written[n])
		}
	}
	if lost == 0 {
		t.Error("no process lost its lease, want at least one")
	}
}
