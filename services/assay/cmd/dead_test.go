package cmd

import (
	"regexp"
	"strings"
	"testing"
)

var sequences = regexp.MustCompile(`(?m)^\d+`)

func TestDead(t *testing.T) {
	p := newPerson(t)
	id := p.upload("a.pdf", notText)
	// The dead letter is stored before the file's event is acknowledged, which may be after the
	// file is FAILED, so a retry waits for it.
	p.run("retry", id)
	p.run("get", id, "--wait")
	lines := ""
	for _, line := range strings.Split(p.run("dead", "list", "--consumer", "analyzer-textfile", "--data", testDir).out, "\n") {
		if strings.Contains(line, id) {
			lines += line + "\n"
		}
	}
	sequence := sequences.FindString(lines)
	if sequence == "" || !strings.Contains(lines, "1 attempt  ") {
		t.Fatalf("dead list: got %q for the file, want dead letters with 1 attempt", lines)
	}
	if shown := p.run("dead", "show", sequence, "--data", testDir); shown.status != 0 || !strings.Contains(shown.out, `"payload":{`) {
		t.Errorf("dead show: got %+v, want the payload", shown)
	}
	if again := p.run("dead", "replay", sequence, "--data", testDir); again.status != 0 || !strings.Contains(again.out, "skipped: ") {
		t.Errorf("dead replay after a retry: got %+v, want skipped", again)
	}
	if dropped := p.run("dead", "drop", sequence, "--data", testDir); dropped.status != 0 || !strings.Contains(dropped.out, "dropped") {
		t.Errorf("dead drop: got %+v, want dropped", dropped)
	}
	p.run("dead", "show", sequence, "--data", testDir).want(t, 1, "", "assay: There is no dead letter with this sequence.\n")
	for _, args := range [][]string{
		{"dead", "replay"}, {"dead", "drop", "1", "--all"}, {"dead", "show", "x"}, {"dead", "list", "--from", "noon"},
		{"dead", "list", "--limit", "0"}, {"dead", "list", "--limit", "1001"},
		{"dead", "replay", "--all", "--dry-run", "--max", "0"}, {"dead", "drop", "--all", "--dry-run", "--rate", "-1"},
	} {
		p.run(append(args, "--data", testDir)...).want(t, 2, "", "See: assay "+strings.Join(args[:2], " ")+" --help")
	}
}
