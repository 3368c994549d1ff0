package e2e

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// feedDeadLettersAreRestored: after a loss of all JetStream data, a sweep that publishes
// outcomes again restores the dead letter of an item that was given up, once, and it can
// be replayed. Other sweeps do not restore what an operator dropped.
func feedDeadLettersAreRestored(t *testing.T, start starter) {
	c := start(t, noSweep)
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	c.service(t, "analyzer")
	text := newPosting("The book was good.", "a")
	lost := text.SourceID
	c.putPending(t, lost, utc(time.Now()), nil)
	afterLease()
	c.sweep(t)
	c.givenUp(t, lost)
	eventually(t, func() error {
		if said := dead(t, ingest.operator, "list"); strings.Count(said, lost) != 1 || !strings.Contains(said, "1 attempt: ") {
			return errors.New("the deadLetters are " + said)
		}
		return nil
	})
	afterLease()

	found := "feed  " + lost + "  lost_dead_letter  "
	since := []string{"--outcomes-since", "1h"}
	if said := c.sweep(t, since...); strings.Contains(said, found) {
		t.Errorf("with its dead letter stored, a sweep prints %s", said)
	}
	js := c.jetStream(t)
	for _, stream := range streams {
		if err := js.DeleteStream(within(t), stream); err != nil {
			t.Fatal(err)
		}
	}
	c.setUp(t)
	if said := c.sweep(t); strings.Contains(said, found) {
		t.Errorf("a sweep that tells no outcomes says %s", said)
	}
	for _, state := range []string{"found", "repaired"} {
		args := since
		if state == "found" {
			args = append([]string{"--dry-run"}, since...)
		}
		if said := c.sweep(t, args...); !strings.Contains(said, found+state) {
			t.Errorf("the sweep says %s", said)
		}
	}
	if said := c.sweep(t, since...); strings.Contains(said, found) {
		t.Errorf("a second sweep says %s", said)
	}
	if said := dead(t, ingest.operator, "list"); strings.Count(said, lost) != 1 || !strings.Contains(said, "restored: the accepted text no longer exists") {
		t.Errorf("the deadLetters are %s", said)
	}

	c.putSubmission(t, text)
	if said := dead(t, ingest.operator, "replay", "--all"); !strings.Contains(said, "replayed") {
		t.Errorf("the replay says %s", said)
	}
	if got := c.analyzed(t, lost); got.Compound != 0.4404 || got.ErrorMessage != "" {
		t.Errorf("after the replay: %+v", got)
	}
	if said := dead(t, ingest.operator, "replay", "--all"); !strings.Contains(said, "skipped: the item is already analyzed") {
		t.Errorf("a replay of what is done says %s", said)
	}
	if outcomes := c.feedOutcomes(t, lost); len(outcomes) != 2 {
		t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
	}
}
