package cmd

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
)

// TestTrace checks the path of a completed file and of a failed one, and the errors.
func TestTrace(t *testing.T) {
	p := newPerson(t)
	id := p.upload("a.txt", "one two")
	got := p.run("trace", id, "--data", testDir)
	for _, want := range []string{"item     " + id, "area     textfile", "name     a.txt", "state    COMPLETED", "request  ", "trace    ", "reserved", "content stored", "became COMPLETED", "outcome completed: analysis.completed/textfile/" + id} {
		if got.status != 0 || !strings.Contains(got.out, want) {
			t.Errorf("trace: got %+v, want %q", got, want)
		}
	}
	if strings.Contains(got.out, p.owner) {
		t.Errorf("the trace contains the owner's id: %s", got.out)
	}
	var traced client.Trace
	if err := json.Unmarshal([]byte(p.run("trace", strings.ToUpper(id), "--area", "textfile", "--json", "--data", testDir).out), &traced); err != nil {
		t.Fatal(err)
	}
	if traced.ID != id || len(traced.Outcomes) != 1 || len(traced.RequestIDs) == 0 || len(traced.TraceIDs) != 1 || len(traced.Problems) != 0 {
		t.Errorf("trace --json: got %+v, want one outcome, the ids and no problems", traced)
	}
	failed := p.upload("a.pdf", aPDF)
	p.run("get", failed, "--wait")
	if got := p.run("trace", failed, "--data", testDir); !strings.Contains(got.out, "state    FAILED") || !strings.Contains(got.out, "error    ") || !strings.Contains(got.out, "outcome failed: ") {
		t.Errorf("trace of a failed file: got %+v, want the error and the outcome", got)
	}
	const none = "00000000-0000-7000-8000-000000000000"
	p.run("trace", none, "--data", testDir).want(t, 1, "", "assay: There is no item with this id, and no event or dead letter of one.\n")
	p.run("trace", id, "--area", "feed", "--data", testDir).want(t, 1, "", "There is no item with this id")
	p.run("trace", id, "--area", "nowhere", "--data", testDir).want(t, 1, "", "must be one of textfile, feed, photojob, library")
	p.run("trace", "--data", testDir).want(t, 2, "", "See: assay trace --help")
	p.run("trace", id, id, "--data", testDir).want(t, 2, "", "See: assay trace --help")
}

// TestPathIsInTheOrderOfTime checks the lines of attempts, and their order.
func TestPathIsInTheOrderOfTime(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 11, 29, 3, 0, second, 0, time.Local) }
	v := client.Trace{
		Moments: []client.Moment{{At: at(9), What: "became COMPLETED"}, {At: at(0), What: "reserved"}},
		Attempts: []client.MessageAttempts{{Consumer: "c", Sequence: 7, StoredAt: at(1), Begun: 4, Attempts: []client.Attempt{
			{Number: 1, Outcome: "lost", EndedBefore: at(3)},
			{Number: 2, Recorded: true, Began: at(3), Worker: "w/1", Outcome: "lost", EndedBefore: at(5)},
			{Number: 3, Recorded: true, Began: at(5), Worker: "w/2", Ended: at(6), Outcome: "retry", Reason: "refused"},
			{Number: 4, Recorded: true, Began: at(7), Worker: "w/2", Ended: at(10), Outcome: "done"},
		}}},
	}
	var got []string
	for _, e := range pathOf(v) {
		got = append(got, e.at.Format("05 ")+e.what)
	}
	want := []string{
		"00 reserved", "01 work queued for c: message 7",
		"01 attempt 1 of c: not recorded; ended without a result before 2026-11-29 03:00:03.000: the worker crashed or lost its connection",
		"03 attempt 2 of c began (w/1); ended without a result before 2026-11-29 03:00:05.000: the worker crashed or lost its connection",
		"05 attempt 3 of c began (w/2)", "06 attempt 3 of c ended: retry; refused", "07 attempt 4 of c began (w/2)",
		"09 became COMPLETED", "10 attempt 4 of c ended: done",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got the path\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
