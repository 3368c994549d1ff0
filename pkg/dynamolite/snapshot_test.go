package dynamolite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// store writes a snapshot to a file, closes it and returns the file.
func store(t *testing.T, snapshot *dynamolite.Snapshot) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := snapshot.WriteTo(file)
	if err := errors.Join(err, file.Close(), snapshot.Close(), snapshot.Close()); err != nil || n != snapshot.Size() {
		t.Fatalf("got %d bytes, error %v, want %d bytes", n, err, snapshot.Size())
	}
	return path
}

// opened opens the copy of a snapshot, and checks it.
func opened(t *testing.T, path string) *service {
	t.Helper()
	s := start(t, dynamolite.Options{Path: path, SweepInterval: -1, OnRecovery: func(r dynamolite.Recovery) { t.Errorf("the copy needed a recovery: %+v", r) }})
	if _, err := s.engine.Check(func(problem string) { t.Errorf("the copy: %s", problem) }); err != nil {
		t.Error(err)
	}
	return s
}

// TestSnapshotIsTheMark checks that a snapshot contains all transactions that were acknowledged before its mark, none that
// began after it, and no part of one, while many clients write, and that the source is not affected.
func TestSnapshotIsTheMark(t *testing.T) {
	const writers = 8
	dir := t.TempDir()
	s := start(t, dynamolite.Options{Path: filepath.Join(dir, "db")})
	s.table("left", "id:S", "")
	s.table("right", "id:S", "")
	var acknowledged, begun [writers]atomic.Int64
	stop := make(chan struct{})
	var group sync.WaitGroup
	first := make(chan struct{}, writers)
	for writer := range writers {
		group.Go(func() {
			for n := int64(1); ; n++ {
				begun[writer].Store(n)
				if got, err := s.countUp(strconv.Itoa(writer)); err != nil || int64(got) != n {
					t.Errorf("writer %d: got %d, error %v, want %d", writer, got, err, n)
					return
				}
				acknowledged[writer].Store(n)
				if n == 1 {
					first <- struct{}{}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range writers {
		<-first
	}
	for range 5 {
		var least, most [writers]int64
		snapshot, err := s.engine.Snapshot(t.Context(), func() error {
			for writer := range writers {
				least[writer] = acknowledged[writer].Load()
				most[writer] = begun[writer].Load()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		copied := opened(t, store(t, snapshot))
		for writer := range writers {
			id := item("id", strconv.Itoa(writer))
			left, right := text(copied.get("left", id), "n"), text(copied.get("right", id), "n")
			n, err := strconv.ParseInt(left, 10, 64)
			if err != nil || left != right || n < least[writer] || n > most[writer] {
				t.Errorf("writer %d: got %q and %q, want equal values from %d to %d", writer, left, right, least[writer], most[writer])
			}
		}
	}
	close(stop)
	group.Wait()
	for writer := range writers {
		if got, want := text(s.get("left", item("id", strconv.Itoa(writer))), "n"), acknowledged[writer].Load(); got != strconv.FormatInt(want, 10) {
			t.Errorf("the source has %s for writer %d, want %d", got, writer, want)
		}
	}
}

// TestSnapshotHasTokens checks that a snapshot contains the request tokens that only the journal of the source has, and that
// the source is complete after a crash that follows a snapshot.
func TestSnapshotHasTokens(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	at := newClock()
	s := start(t, dynamolite.Options{Path: path, Clock: at.Now, SweepInterval: -1})
	s.table("table", "id:S", "")
	add := func(s *service, token string) error {
		_, err := s.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String(token),
			TransactItems: []types.TransactWriteItem{{Update: &types.Update{
				TableName: aws.String("table"), Key: item("id", "a"), UpdateExpression: aws.String("ADD n :one"),
				ExpressionAttributeValues: item(":one", 1),
			}}},
		})
		return err
	}
	if err := add(s, "before"); err != nil {
		t.Fatal(err)
	}
	snapshot, err := s.engine.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := add(s, "after"); err != nil {
		t.Fatal(err)
	}
	// The files as a crash would leave them.
	crashed := filepath.Join(dir, "crashed")
	for _, suffix := range []string{"", ".journal"} {
		content, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(crashed+suffix, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		path   string
		tokens []string
		want   string
	}{
		"copy":    {store(t, snapshot), []string{"before"}, "1"},
		"crashed": {crashed, []string{"before", "after"}, "2"},
		"source":  {path, []string{"before", "after"}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			copied := s
			if c.path != path {
				copied = start(t, dynamolite.Options{Path: c.path, Clock: at.Now, SweepInterval: -1})
			}
			for _, token := range c.tokens {
				if err := add(copied, token); err != nil {
					t.Error(err)
				}
			}
			if got := text(copied.get("table", item("id", "a")), "n"); got != c.want {
				t.Errorf("after repeated requests: got %s, want %s", got, c.want)
			}
		})
	}
}

// TestSnapshotFails checks that a failed mark is reported, and leaves the engine usable.
func TestSnapshotFails(t *testing.T) {
	s := start(t, dynamolite.Options{Path: filepath.Join(t.TempDir(), "db")})
	s.table("table", "id:S", "")
	broken := errors.New("the mark failed")
	if _, err := s.engine.Snapshot(t.Context(), func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	s.put("table", item("id", "a"))
	snapshot, err := s.engine.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := opened(t, store(t, snapshot)).get("table", item("id", "a")); len(got) == 0 {
		t.Error("the snapshot lacks the item")
	}
}
