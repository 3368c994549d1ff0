package recovery

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// feedDeadLettersAreRestored: after a loss of all JetStream data, a sweep that publishes
// outcomes again restores the dead letter of a given-up item, once, and it can be
// replayed. Other sweeps do not restore dead letters that an operator dropped.
func feedDeadLettersAreRestored(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep)
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	c.Service(t, "analyzer")
	text := system.NewPosting("The book was good.", "a")
	lost := text.SourceID
	c.PutPending(t, lost, system.UTC(time.Now()), nil)
	afterLease()
	c.Sweep(t)
	c.GivenUp(t, lost)
	system.Eventually(t, func() error {
		if said := system.Dead(t, ingest.Operator, "list"); strings.Count(said, lost) != 1 || !strings.Contains(said, "  1 attempt  ") {
			return errors.New("the dead letters are " + said)
		}
		return nil
	})
	afterLease()

	found := "feed  " + lost + "  lost_dead_letter  "
	since := []string{"--outcomes-since", "1h"}
	if said := c.Sweep(t, since...); strings.Contains(said, found) {
		t.Errorf("with its dead letter stored, a sweep printed %s", said)
	}
	js := c.JetStream(t)
	for _, stream := range streams {
		if err := js.DeleteStream(system.Within(t), stream); err != nil {
			t.Fatal(err)
		}
	}
	c.SetUp(t)
	if said := c.Sweep(t); strings.Contains(said, found) {
		t.Errorf("a sweep without outcomes printed %s", said)
	}
	for _, state := range []string{"found", "repaired"} {
		args := since
		if state == "found" {
			args = append([]string{"--dry-run"}, since...)
		}
		if said := c.Sweep(t, args...); !strings.Contains(said, found+state) {
			t.Errorf("the sweep printed %s", said)
		}
	}
	if said := c.Sweep(t, since...); strings.Contains(said, found) {
		t.Errorf("a second sweep printed %s", said)
	}
	if said := system.Dead(t, ingest.Operator, "list"); strings.Count(said, lost) != 1 || !strings.Contains(said, "restored  the accepted text no longer exists") {
		t.Errorf("the dead letters are %s", said)
	}

	c.PutSubmission(t, text)
	if said := system.Dead(t, ingest.Operator, "replay", "--all"); !strings.Contains(said, "replayed") {
		t.Errorf("the replay printed %s", said)
	}
	if got := c.Analyzed(t, lost); got.Compound != 0.4404 || got.ErrorMessage != "" {
		t.Errorf("after the replay: %+v", got)
	}
	if said := system.Dead(t, ingest.Operator, "replay", "--all"); !strings.Contains(said, "skipped: the item is already analyzed") {
		t.Errorf("a replay of completed items printed %s", said)
	}
	if outcomes := c.FeedOutcomes(t, lost); len(outcomes) != 2 {
		t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
	}
}
