package dynamolite_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	crashPath      = "DYNAMOLITE_CRASH_PATH"   // set in the process that is killed
	crashBackup    = "DYNAMOLITE_CRASH_BACKUP" // name of a backup that this process begins
	crashWriters   = 16
	crashRounds    = 5
	crashResponses = 400 // responses per round before the process is killed
)

// TestMain runs the writer of the crash test if the environment requests it.
func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		fmt.Println(writeUntilKilled(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled runs writers that repeatedly increment two items in one
// transaction, and prints "writer n" for each response. It returns only on an error.
func writeUntilKilled(path string) error {
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		return err
	}
	s := connect(httptest.NewServer(engine).URL)
	if name := os.Getenv(crashBackup); name != "" {
		if _, err := s.CreateBackup(context.Background(), &dynamodb.CreateBackupInput{TableName: aws.String("left"), BackupName: &name}); err != nil {
			return err
		}
	}
	var out sync.Mutex
	failed := make(chan error)
	for writer := range crashWriters {
		go func() {
			for {
				n, err := s.countUp(strconv.Itoa(writer))
				if err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(writer, n)
				out.Unlock()
			}
		}()
	}
	return <-failed
}

// countUp adds one to n of two items, whose values are always equal, and returns the
// new value.
func (s *service) countUp(id string) (int, error) {
	ctx := context.Background()
	read, err := s.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("left"), Key: item("id", id)})
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi("0" + text(read.Item, "n"))
	if err != nil {
		return 0, err
	}
	update := func(table string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String(table), Key: item("id", id), UpdateExpression: aws.String("SET n = :next, kind = :kind"),
			ConditionExpression:       aws.String("attribute_not_exists(n) OR n = :n"),
			ExpressionAttributeValues: item(":n", n, ":next", n+1, ":kind", "counter"),
		}}
	}
	_, err = s.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{update("left"), update("right")}})
	return n + 1, err
}

func TestKilledProcessLosesNoAcknowledgedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	prepare, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, prepare)
	s.table("left", "id:S", "", withStream(types.StreamViewTypeKeysOnly))
	s.table("right", "id:S", "", withIndex("by_n", "kind:S", "n:N", types.ProjectionTypeAll))
	if err := prepare.Close(); err != nil {
		t.Fatal(err)
	}
	for round := range crashRounds {
		acknowledged := killWhileWriting(t, path, crashResponses)
		if len(acknowledged) != crashWriters {
			t.Fatalf("round %d: %d counters were acknowledged, want %d", round, len(acknowledged), crashWriters)
		}
		engine, err := dynamolite.Open(dynamolite.Options{Path: path})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		s := serve(t, engine)
		total := 0
		for id, n := range acknowledged {
			left, right := text(s.get("left", item("id", id)), "n"), text(s.get("right", item("id", id)), "n")
			got, err := strconv.Atoi(left)
			if err != nil || left != right || got < n || got > n+1 {
				t.Errorf("round %d: counter %s is %s and %s, want equal counts of %d or %d", round, id, left, right, n, n+1)
			}
			total += got
		}
		indexed, _ := s.pages(dynamodb.QueryInput{
			TableName: aws.String("right"), IndexName: aws.String("by_n"), KeyConditionExpression: aws.String("kind = :k"), ExpressionAttributeValues: item(":k", "counter"),
		})
		if len(indexed) != len(acknowledged) {
			t.Errorf("round %d: %d items in the index, want %d", round, len(indexed), len(acknowledged))
		}
		if records := s.fromStart("left"); len(records) != total {
			t.Errorf("round %d: %d stream records, want %d", round, len(records), total)
		}
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killWhileWriting runs this binary as a writer, kills it after some responses, and
// returns the highest n that it acknowledged for each counter.
func killWhileWriting(t *testing.T, path string, responses int, env ...string) map[string]int {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	victim := exec.Command(binary)
	victim.Env = append(append(os.Environ(), crashPath+"="+path), env...)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]int{}
	lines := bufio.NewScanner(out)
	for count := 0; lines.Scan(); count++ {
		var id string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &id, &n); err != nil {
			t.Fatalf("the writer printed %q, want a writer and a count", lines.Text())
		}
		acknowledged[id] = max(acknowledged[id], n)
		if count == responses {
			if err := victim.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := victim.Wait(); err == nil || victim.ProcessState.Exited() {
		t.Fatalf("the writer ended with %v, want it killed by a signal", err)
	}
	return acknowledged
}
