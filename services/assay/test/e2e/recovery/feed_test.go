package recovery

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFeedSurvivesLossOfAllStreams: all streams are deleted while services run and items are posted. One sweep brings every
// accepted item to its final state, with one outcome id. A text that is not old enough to count as an orphan remains.
func TestFeedSurvivesLossOfAllStreams(t *testing.T) {
	t.Parallel()
	const posts, loss = 16, 8
	c := system.StartCluster(t, system.NoSweep, "ASSAY_ANALYZER_PARALLEL=1")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	js := c.JetStream(t)
	var all []system.Posting
	post := func() {
		p := system.NewPosting("The book was good.", "a")
		p.IngestedAt = system.UTC(time.Now().Add(-time.Duration(len(all)) * time.Hour)) // also old items
		system.Eventually(t, func() error {                                             // 503 until the streams are recreated
			resp, body := c.Ask(t, http.MethodPost, "/v1/feed/items", system.JSONHeader, system.JSON(p))
			if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
				return fmt.Errorf("post %s: %d %s, want 200 or 201", p.SourceID, resp.StatusCode, body)
			}
			return nil
		})
		all = append(all, p)
	}
	for range loss {
		post()
	}
	c.Service(t, "analyzer").Await(t, `"outcome":"done"`)
	deleteStreams(system.Within(t), t, js)
	for range posts - loss {
		post()
	}
	unfinished := system.NewPosting("text", "a")
	c.PutSubmission(t, unfinished)
	system.AfterLease()
	if said := c.Sweep(t, "--outcomes-since", "1h"); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep printed %s, want 0 failed", said)
	}
	ids := map[string]string{}
	for _, p := range all {
		if got := c.Analyzed(t, p.SourceID); got.Compound != 0.4404 {
			t.Errorf("analyzed as %+v, want compound 0.4404", got)
		}
		outcomes := c.FeedOutcomes(t, p.SourceID)
		if len(outcomes) != 1 {
			t.Errorf("outcomes of %s: %v, want one", p.SourceID, outcomes)
			continue
		}
		ids[p.SourceID] = outcomes[0]
	}
	if !slices.Contains(c.Keys(t), system.TextKey(unfinished.SourceID)) {
		t.Errorf("the bucket does not contain %s, want a new text to remain", system.TextKey(unfinished.SourceID))
	}
	// The outcomes are published again, to a new stream, under the same ids.
	if err := js.DeleteStream(system.Within(t), "ASSAY_OUTCOMES"); err != nil {
		t.Fatal(err)
	}
	c.SetUp(t)
	c.Sweep(t, "--outcomes-since", "1h")
	for _, p := range all {
		if outcomes := c.FeedOutcomes(t, p.SourceID); len(outcomes) != 1 || outcomes[0] != ids[p.SourceID] {
			t.Errorf("outcomes of %s after they were published again: %v, want %s", p.SourceID, outcomes, ids[p.SourceID])
		}
	}
}
