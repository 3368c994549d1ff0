package recovery

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// feedDeadLettersAreRestored: after the loss of the streams, a sweep that publishes outcomes again restores the dead
// letter of a given-up item once, and the dead letter can be replayed. Other sweeps restore no dead letters, because an
// operator may have dropped them.
func feedDeadLettersAreRestored(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep)
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	c.Service(t, "analyzer")
	text := system.NewPosting("The book was good.", "a")
	lost := text.SourceID
	c.PutPending(t, lost, system.UTC(time.Now()), nil)
	system.AfterLease()
	c.Sweep(t)
	c.GivenUp(t, lost)
	system.Eventually(t, func() error {
		if said := system.Dead(t, ingest.Operator, "list"); strings.Count(said, lost) != 1 || !strings.Contains(said, "  1 attempt  ") {
			return errors.New("want one dead letter of the item after 1 attempt; the dead letters are " + said)
		}
		return nil
	})
	system.AfterLease()

	found := "feed  " + lost + "  lost_dead_letter  "
	since := []string{"--outcomes-since", "1h"}
	if said := c.Sweep(t, since...); strings.Contains(said, found) {
		t.Errorf("while the dead letter is stored, a sweep printed %s, want no finding", said)
	}
	deleteStreams(system.Within(t), t, c.JetStream(t))
	c.SetUp(t)
	if said := c.Sweep(t); strings.Contains(said, found) {
		t.Errorf("a sweep without --outcomes-since printed %s, want no finding", said)
	}
	for _, state := range []string{"found", "repaired"} {
		args := since
		if state == "found" {
			args = append([]string{"--dry-run"}, since...)
		}
		if said := c.Sweep(t, args...); !strings.Contains(said, found+state) {
			t.Errorf("the sweep printed %s, want %s", said, found+state)
		}
	}
	if said := c.Sweep(t, since...); strings.Contains(said, found) {
		t.Errorf("a second sweep printed %s, want no finding", said)
	}
	if said := system.Dead(t, ingest.Operator, "list"); strings.Count(said, lost) != 1 || !strings.Contains(said, "restored  the accepted text no longer exists") {
		t.Errorf("the dead letters are %s, want one that is restored", said)
	}

	c.PutSubmission(t, text)
	if said := system.Dead(t, ingest.Operator, "replay", "--all"); !strings.Contains(said, "replayed") {
		t.Errorf("the replay printed %s, want one replayed", said)
	}
	if got := c.Analyzed(t, lost); got.Compound != 0.4404 || got.ErrorMessage != "" {
		t.Errorf("after the replay: %+v, want compound 0.4404 and no error message", got)
	}
	if said := system.Dead(t, ingest.Operator, "replay", "--all"); said != "" {
		t.Errorf("a replay of a completed item printed %s, want nothing: its dead letter was deleted", said)
	}
	if outcomes := c.FeedOutcomes(t, lost); len(outcomes) != 2 {
		t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
	}
}
