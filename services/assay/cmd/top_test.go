package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// TestTopOnce checks the output without a terminal: one frame without control codes.
func TestTopOnce(t *testing.T) {
	p := newPerson(t)
	p.upload("a.txt", "one")
	for _, args := range [][]string{{"top", "--data", testDir}, {"top", "--once", "--data", testDir}} {
		got := p.run(args...)
		if got.status != 0 || strings.Contains(got.out, "\x1b") {
			t.Fatalf("%v: got %+v, want status 0 and no control codes", args, got)
		}
		for _, want := range []string{"assay top", "dynamodb", "ACCEPT/M", "textfile", "feed", "photojob", "library", "OLDEST ITEMS", "LAST ERRORS", "SWEEPS"} {
			if !strings.Contains(got.out, want) {
				t.Errorf("%v: the output does not contain %q:\n%s", args, want, got.out)
			}
		}
	}
	var state struct {
		Areas []client.AreaStatus
		Items client.StatusItems
	}
	got := p.run("top", "--json", "--data", testDir)
	if err := json.Unmarshal([]byte(got.out), &state); err != nil || len(state.Areas) < 4 || len(state.Items.Areas) < 4 {
		t.Errorf("top --json: got %+v, %v, want 4 areas and their items", got, err)
	}
	p.run("top", "--interval", "1ms", "--data", testDir).want(t, 2, "", "must be 500ms or more")
	p.run("top", "x").want(t, 2, "", "See: assay top --help")
	p.run("top", "--operator", "127.0.0.1:1").want(t, 1, "", "no Assay server responds")
}
