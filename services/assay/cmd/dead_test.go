package cmd

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/endpoints"
)

var sequences = regexp.MustCompile(`(?m)^\d+`)

// TestDead reports a message that is not a notification, replays its dead letter, which fails again, and drops the new one. A
// file that is not text has no dead letter.
func TestDead(t *testing.T) {
	p := newPerson(t)
	id := p.upload("a.pdf", aPDF)
	found, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(found.NATS)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Publish("s3.notice", []byte("no notification")); err != nil {
		t.Fatal(err)
	}
	list := func(want string) (sequence string) {
		t.Helper()
		var lines string
		for deadline := time.Now().Add(time.Minute); sequence == "" && time.Now().Before(deadline); {
			lines = p.run("dead", "list", "--class", "event", "--data", testDir).out
			if strings.Contains(lines, want) {
				sequence = sequences.FindString(lines)
			}
		}
		if sequence == "" {
			t.Fatalf("dead list: got %q, want a line with %q", lines, want)
		}
		return sequence
	}
	sequence := list("none  event  ingest-notice  -      -     -     1 attempt  the message is not a readable event")
	if shown := p.run("dead", "show", sequence, "--data", testDir); shown.status != 0 || !strings.Contains(shown.out, `"class":"event"`) || !strings.Contains(shown.out, `"payload":`) {
		t.Errorf("dead show: got %+v, want the class and the payload", shown)
	}
	if replayed := p.run("dead", "replay", sequence, "--data", testDir); replayed.status != 0 || !strings.Contains(replayed.out, "replayed") {
		t.Errorf("dead replay: got %+v, want replayed", replayed)
	}
	p.run("dead", "show", sequence, "--data", testDir).want(t, 1, "", "assay: There is no dead letter with this sequence.\n")
	again := list("(after a replay of " + sequence + ")")
	if dropped := p.run("dead", "drop", again, "--data", testDir); dropped.status != 0 || !strings.Contains(dropped.out, "dropped") {
		t.Errorf("dead drop: got %+v, want dropped", dropped)
	}
	if lines := p.run("dead", "list", "--consumer", "analyzer-textfile", "--data", testDir).out; strings.Contains(lines, id) {
		t.Errorf("dead list: got %q, want no dead letter of a file that is not text", lines)
	}
	for _, args := range [][]string{
		{"dead", "replay"}, {"dead", "drop", "1", "--all"}, {"dead", "show", "x"}, {"dead", "list", "--from", "noon"},
		{"dead", "list", "--limit", "0"}, {"dead", "list", "--limit", "1001"}, {"dead", "list", "--class", "broken"},
		{"dead", "replay", "--all", "--dry-run", "--max", "0"}, {"dead", "drop", "--all", "--dry-run", "--rate", "-1"},
	} {
		p.run(append(args, "--data", testDir)...).want(t, 2, "", "See: assay "+strings.Join(args[:2], " ")+" --help")
	}
}
