package recovery

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// feedSweepRepairs: orphaned texts are reported by a dry run and removed by a sweep; an item without a text is given up
// with a reason, a dead letter and an event, and does not change until a replay.
func feedSweepRepairs(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	c.Service(t, "analyzer")
	kept := system.NewPosting("The book was good.", "a")
	c.PostItem(t, kept)
	c.Analyzed(t, kept.SourceID)
	orphanText, lostText := system.NewPosting("text", "a"), system.NewPosting("The book was good.", "a")
	lostText.SourceURL = "https://example.com/lost"
	orphan, lost := orphanText.SourceID, lostText.SourceID
	c.PutSubmission(t, orphanText)
	c.PutPending(t, lost, system.UTC(time.Now()), nil)
	double := system.NewPosting("The book was good.", "a")
	double.IngestedAt = system.UTC(time.Now().Add(-time.Hour))
	c.PostItem(t, double)
	first := c.Analyzed(t, double.SourceID)
	for i := range time.Duration(2) {
		c.PutPending(t, double.SourceID, system.UTC(time.Now().Add(i*time.Second)), nil)
	}
	system.AfterLease()

	findings := map[string]string{
		system.TextKey(orphan): "orphan_object", lost: "lost_message", double.SourceID: "duplicate_rows",
	}
	for range 2 { // a dry run changes nothing
		check(t, "feed", c.Sweep(t, "--dry-run"), findings, "found", 3, 0)
	}
	check(t, "feed", c.Sweep(t), findings, "repaired", 3, 3)
	if got := c.Analyzed(t, double.SourceID); got.IngestedAt != first.IngestedAt || !slices.Equal(got.MatchedTags, []string{"a", "tag 9"}) {
		t.Errorf("got %+v, want the first of several rows with the tags of all", got)
	}

	if got := c.GivenUp(t, lost); got.ErrorMessage != "the accepted text no longer exists" {
		t.Errorf("given up as %+v, want the message that the text no longer exists", got)
	}
	if outcomes := c.FeedOutcomes(t, lost); len(outcomes) != 1 || !strings.HasPrefix(outcomes[0], "analysis.failed/feed/"+lost+"/") {
		t.Errorf("outcomes %v, want one that failed", outcomes)
	}
	if keys := c.Keys(t); slices.Contains(keys, system.TextKey(orphan)) || !slices.Contains(keys, system.TextKey(kept.SourceID)) {
		t.Errorf("the bucket contains %v, want the text of the kept item and no orphan", keys)
	}
	system.Eventually(t, func() error {
		if said := c.Sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			return errors.New("want no findings after the repair; the sweep printed " + said)
		}
		return nil
	})

	replay := []string{"replay", "--reason", "no longer exists"}
	if said := system.Dead(t, ingest.Operator, append(replay, "--dry-run")...); !strings.Contains(said, lost) {
		t.Errorf("the dry run printed %s, want %s", said, lost)
	}
	c.PutSubmission(t, lostText)
	system.Dead(t, ingest.Operator, replay...)
	if got := c.Analyzed(t, lost); got.Compound != 0.4404 || got.ErrorMessage != "" || got.SourceURL != lostText.SourceURL || got.TextSnippet != lostText.Text {
		t.Errorf("after the replay: %+v, want the analyzed submission", got)
	}
	if said := system.Dead(t, ingest.Operator, replay...); said != "" {
		t.Errorf("a replay of a completed item printed %s, want nothing: its dead letter was deleted", said)
	}
	if outcomes := c.FeedOutcomes(t, lost); len(outcomes) != 2 || !strings.HasPrefix(outcomes[1], "analysis.completed/feed/"+lost+"/") {
		t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
	}
}

// feedItemsAreReplayedAfterAnOutage: items that exhausted their attempts while S3 was down have an error message and
// stay pending. A repeated post changes nothing; after a replay, the items are analyzed.
func feedItemsAreReplayedAfterAnOutage(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_ATTEMPTS=1")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	var all []system.Posting
	for range 3 {
		p := system.NewPosting("The book was good.", "a")
		c.PostItem(t, p)
		all = append(all, p)
	}
	c.S3Engine.Kill(t)
	c.Service(t, "analyzer")
	for _, p := range all {
		if got := c.GivenUp(t, p.SourceID); got.ErrorMessage != "the analysis did not succeed in 1 attempt" {
			t.Errorf("without S3, the item is %+v, want a failure after 1 attempt", got)
		}
	}
	c.S3Engine.Start(t)
	if status, got := c.PostItem(t, all[0]); status != http.StatusOK || got.ErrorMessage == "" {
		t.Errorf("a repeated post of a given-up item: %d %+v, want 200 and the error message", status, got)
	}
	if n := strings.Count(ingest.Output.String(), `"message":"item accepted"`); n != len(all) {
		t.Errorf("%d items were accepted, want %d without the repeated post", n, len(all))
	}
	filter := []string{"replay", "--consumer", "analyzer-feed", "--from", "1h", "--rate", "1000"}
	system.Eventually(t, func() error {
		if said := system.Dead(t, ingest.Operator, append(filter, "--dry-run")...); strings.Count(said, "newsapi#") != len(all) {
			return errors.New("want all items in the dry run, which printed " + said)
		}
		return nil
	})
	system.Dead(t, ingest.Operator, filter...)
	for _, p := range all {
		if got := c.Analyzed(t, p.SourceID); got.Compound != 0.4404 || got.ErrorMessage != "" {
			t.Errorf("after the replay: %+v, want compound 0.4404 and no error message", got)
		}
		if outcomes := c.FeedOutcomes(t, p.SourceID); len(outcomes) != 2 {
			t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
		}
	}
	if said := system.Dead(t, ingest.Operator, filter...); said != "" {
		t.Errorf("a replay of completed items printed %s, want nothing: their dead letters were deleted", said)
	}
}
