//go:build clockstep

package clock

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// clockVariable is the environment variable that names a file with the offset of a program's wall clock in seconds.
// The program follows changes to the file.
const clockVariable = "E2E_CLOCK"

// followClock keeps the wall clock of this process at the offset in the file that clockVariable names, if it is set.
func followClock() {
	name := os.Getenv(clockVariable)
	if name == "" {
		return
	}
	stepped := 0
	follow := func() {
		content, err := os.ReadFile(name)
		if err != nil {
			return // not stepped yet
		}
		if seconds, err := strconv.Atoi(strings.TrimSpace(string(content))); err == nil && seconds != stepped {
			time.Step(time.Duration(seconds-stepped) * time.Second)
			stepped = seconds
		}
	}
	follow()
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			follow()
		}
	}()
}

// clock is the wall clock of a program.
type clock struct{ file string }

func newClock(t *testing.T) clock { return clock{filepath.Join(t.TempDir(), "clock")} }

func (c clock) env() string { return clockVariable + "=" + c.file }

// set moves the clock and waits for the program to follow.
func (c clock) set(t *testing.T, d time.Duration) {
	t.Helper()
	next := c.file + ".new"
	if err := os.WriteFile(next, []byte(strconv.Itoa(int(d.Seconds()))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, c.file); err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Second)
}

var steps = []time.Duration{-25 * time.Hour, -10 * time.Minute, 10 * time.Minute, 25 * time.Hour}

// everythingWorks uploads enough files to use several priorities, posts an item to the feed, and checks the results.
func everythingWorks(t *testing.T, s system.System) {
	t.Helper()
	user := s.Client(t, system.NewOwner())
	var ids []string
	for range 80 {
		ids = append(ids, system.UploadMultipart(t, user, "a.txt", "text/plain", []byte("one two")).FileID)
	}
	ids = append(ids, system.UploadPresigned(t, user, "b.txt", "text/plain", []byte("one two")).FileID)
	for _, id := range ids {
		if file := system.Await(t, user, id); file.Status != client.Completed {
			t.Fatalf("file = %s, want status %s", system.JSON(file), client.Completed)
		}
	}
	tag := system.NewTag()
	p := system.NewPosting("The book was good.", tag)
	s.PostItem(t, p)
	s.Analyzed(t, p.SourceID)
	system.Eventually(t, func() error { return s.Lists(t.Context(), map[string][]string{"tag": {tag}}, []string{p.SourceID}) })
}

// TestSteppedClockOfServe: a step of the wall clock while the system runs does not stop work or delete anything, even
// after a restart.
func TestSteppedClockOfServe(t *testing.T) {
	for _, d := range steps {
		t.Run(d.String(), func(t *testing.T) {
			at := newClock(t)
			s := system.StartServer(t, t.TempDir(), at.env(), "ASSAY_SWEEP_EVERY=1s", "ASSAY_LEASE=2s")
			everythingWorks(t, s.System)
			user := s.Client(t, system.NewOwner())
			text := "one two three"
			reserved := system.Reserve(t, user, "later.txt", "text/plain", text)
			at.set(t, d)
			everythingWorks(t, s.System)
			<-time.After(3 * time.Second) // longer than the sweep interval
			file, err := user.Get(system.Within(t), reserved.FileID, 0)
			if err != nil || file.Status != client.Pending {
				t.Fatalf("the reservation is %s, %v; want status %s", system.JSON(file), err, client.Pending)
			}
			s.Program.Kill(t)
			s.Restart(t)
			everythingWorks(t, s.System)
		})
	}
}

// TestClocksOfServicesDiffer: services work on machines whose clocks differ, even if one service replays an item whose
// processing failed in another service.
func TestClocksOfServicesDiffer(t *testing.T) {
	for _, d := range steps {
		t.Run(d.String(), func(t *testing.T) {
			c := system.StartCluster(t, "ASSAY_SWEEP_EVERY=1s", "ASSAY_LEASE=2s")
			at := newClock(t)
			at.set(t, d)
			ingest := c.Service(t, "ingest")
			c.Front(t, ingest, c.Service(t, "query"))
			c.Service(t, "query", at.env())
			hiding := system.StartHidingBucket(t, c.System)
			hiding.Hidden.Store(false)
			c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+hiding.URL, at.env())
			everythingWorks(t, c.System)

			hiding.Hidden.Store(true)
			user, operator := c.Client(t, system.NewOwner()), system.OperatorClient(t, ingest.Operator)
			lost := system.UploadMultipart(t, user, "a.txt", "text/plain", []byte("one two"))
			for range 2 {
				if file := system.Await(t, user, lost.FileID); file.Status != client.Failed {
					t.Fatalf("file = %s, want status %s", system.JSON(file), client.Failed)
				}
				letter := system.DeadLetters(t, operator, lost.FileID, 1)[0]
				if output := system.Dead(t, ingest.Operator, "replay", fmt.Sprint(letter.Sequence)); !strings.Contains(output, "replayed") {
					t.Fatalf("replay printed %q, want replayed", output)
				}
			}
			system.DeadLetters(t, operator, lost.FileID, 1)
		})
	}
}
