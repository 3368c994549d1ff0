package dynamolite_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// content is the content of a table, its index and its stream.
type content struct {
	items   map[string]object
	indexed int
	records int
}

func (s *service) content() content {
	s.t.Helper()
	c := content{items: map[string]object{}}
	pages := dynamodb.NewScanPaginator(s, &dynamodb.ScanInput{TableName: aws.String("left")})
	for pages.HasMorePages() {
		for _, it := range must(pages.NextPage(s.t.Context()))(s.t).Items {
			c.items[text(it, "id")] = it
		}
	}
	found, _ := s.pages(dynamodb.QueryInput{
		TableName: aws.String("left"), IndexName: aws.String("by_n"), KeyConditionExpression: aws.String("kind = :k"), ExpressionAttributeValues: item(":k", "k"),
	})
	c.indexed, c.records = len(found), len(s.fromStart("left"))
	return c
}

// writeAbout makes n random changes of up to about size bytes.
func (s *service) writeAbout(n, size int) {
	s.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		id := strconv.Itoa(random.IntN(60))
		switch i % 4 {
		case 0:
			must(s.DeleteItem(s.t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("left"), Key: item("id", id)}))(s.t)
		case 1:
			if err := s.transact("", putIn("left", item("id", id, "kind", "k", "n", i), ""), putIn("left", item("id", "x"+id, "n", i), "")); err != nil {
				s.t.Fatal(err)
			}
		default:
			s.put("left", item("id", id, "kind", "k", "n", i, "text", strings.Repeat("x", random.IntN(size))))
		}
	}
}

// prepared returns the path of a file with the table and some items in it.
func prepared(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	s.table("left", "id:S", "", withIndex("by_n", "kind:S", "n:N", types.ProjectionTypeAll), withStream(types.StreamViewTypeNewAndOldImages))
	s.writeAbout(100, 1000)
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".journal"); !os.IsNotExist(err) {
		t.Errorf("Stat of the journal after Close: got error %v, want ErrNotExist", err)
	}
	return path
}

func readFiles(t *testing.T, path string) (db, journal []byte) {
	t.Helper()
	return must(os.ReadFile(path))(t), must(os.ReadFile(path + ".journal"))(t)
}

// reopened opens copies of the two files.
func reopened(t *testing.T, db, journal []byte, sync dynamolite.Sync) *service {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	for name, bytes := range map[string][]byte{path: db, path + ".journal": journal} {
		if err := os.WriteFile(name, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return start(t, dynamolite.Options{Path: path, Sync: sync})
}

// TestPowerFailureLosesNoAcknowledgedWrite opens files as they can be after a power
// failure, when any subset of the pages written since the last sync of the file may be
// on disk. Open syncs the file.
func TestPowerFailureLosesNoAcknowledgedWrite(t *testing.T) {
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	before, _ := readFiles(t, path)
	s.writeAbout(200, 3000)
	want := s.content()
	after, journal := readFiles(t, path)
	page := os.Getpagesize()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 0))
		mixed := make([]byte, len(after))
		copy(mixed, before)
		kept := 0
		for at := 0; at < len(after); at += page {
			if random.Uint64()%4 != seed%4 && seed > 0 { // with seed 0, none of these pages are on disk
				copy(mixed[at:at+page], after[at:at+page])
				kept++
			}
		}
		if kept > 0 && bytes.Equal(mixed, after) {
			t.Fatal("all pages are on disk, want some missing")
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			sync := dynamolite.Sync(seed % 2)
			again := reopened(t, mixed, journal, sync)
			if got := again.content(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %d items, %d in the index, %d records; want %d, %d, %d", len(got.items), got.indexed, got.records, len(want.items), want.indexed, want.records)
			}
			again.writeAbout(20, 100)
		})
	}
}

func TestTornRecordIsDropped(t *testing.T) {
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	s.put("left", item("id", "acknowledged"))
	before, journal := readFiles(t, path)
	s.put("left", item("id", "torn", "text", strings.Repeat("x", 5000)))
	_, longer := readFiles(t, path)
	first := 0
	for first < len(journal) && journal[first] == longer[first] {
		first++
	}
	for _, length := range []int{0, 1, 10, 600, 4000} {
		copy(journal[first:first+length], longer[first:])
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			again := reopened(t, before, journal, dynamolite.SyncEveryCommit)
			if again.get("left", item("id", "acknowledged")) == nil || again.get("left", item("id", "torn")) != nil {
				t.Error("the acknowledged write is missing or the torn write is present, want only the acknowledged one")
			}
		})
	}
}

func TestRecoveryAfterSeveralCheckpoints(t *testing.T) {
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	s.writeAbout(400, 100_000) // about 10 MB; the journal has space for 4 MB
	want := s.content()
	db, journal := readFiles(t, path)
	for range 2 { // the second pass recovers the recovered files again
		again := reopened(t, db, journal, dynamolite.SyncEveryCommit)
		if got := again.content(); !reflect.DeepEqual(got, want) {
			t.Errorf("got %d items, %d in the index, %d records; want %d, %d, %d", len(got.items), got.indexed, got.records, len(want.items), want.indexed, want.records)
		}
	}
}

// TestRecordsFromBeforeACheckpointAreNotReplayed ends with three puts whose records have
// equal lengths. The third record overwrites the first one, and is thus followed by the
// second one, which is older than the checkpoint.
func TestRecordsFromBeforeACheckpointAreNotReplayed(t *testing.T) {
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	s.put("left", item("id", "a", "n", 1))
	s.table("first", "id:S", "") // causes a checkpoint
	s.put("left", item("id", "a", "n", 2))
	s.put("left", item("id", "a", "n", 3))
	s.table("second", "id:S", "")
	s.put("left", item("id", "a", "n", 4))
	db, journal := readFiles(t, path)
	again := reopened(t, db, journal, dynamolite.SyncEveryCommit)
	if got := text(again.get("left", item("id", "a")), "n"); got != "4" {
		t.Errorf("got n = %s, want 4", got)
	}
}
