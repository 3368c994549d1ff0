package e2e

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/blob"
)

// textKey returns the key of an item's text.
func textKey(sourceID string) string { return blob.Key("feed/", hex.EncodeToString([]byte(sourceID))) }

// putSubmission stores a submission like a writer that then dies.
func (s system) putSubmission(t *testing.T, p posting) {
	t.Helper()
	if p.IngestedAt == "" {
		p.IngestedAt = utc(time.Now())
	}
	_, err := s.objects().PutObject(within(t), &s3.PutObjectInput{
		Bucket: &s.Bucket, Key: aws.String(textKey(p.SourceID)), Body: strings.NewReader(show(p)), ContentType: aws.String("application/json"),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// givenUp waits until the analysis of an item was given up, and returns it.
func (s system) givenUp(t *testing.T, sourceID string) feedItem {
	t.Helper()
	resp, body := s.ask(t, http.MethodGet, "/v1/feed/items/"+url.PathEscape(sourceID)+"?wait=60s", nil, "")
	var item feedItem
	decode(t, body, &item)
	if resp.StatusCode != http.StatusOK || item.Status != "pending" || item.ErrorMessage == "" {
		t.Fatalf("%s: %d %s", sourceID, resp.StatusCode, body)
	}
	return item
}

// TestFeedSurvivesLossOfAllStreams: all JetStream data is deleted under running
// services during posts. One sweep brings every accepted item
// to its end, with its outcome under one id. A text that is not yet old enough to
// count as an orphan remains.
func TestFeedSurvivesLossOfAllStreams(t *testing.T) {
	t.Parallel()
	const posts, loss = 40, 20
	c := startCluster(t, noSweep, "ASSAY_ANALYZER_PARALLEL=1")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	js := c.jetStream(t)
	var all []posting
	post := func() {
		p := newPosting("The book was good.", "a")
		p.IngestedAt = utc(time.Now().Add(-time.Duration(len(all)) * time.Hour)) // also of long ago
		eventually(t, func() error {                                             // 503 until the streams are recreated
			resp, body := c.ask(t, http.MethodPost, "/v1/feed/items", jsonHeader, show(p))
			if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
				return fmt.Errorf("post %s: %d %s", p.SourceID, resp.StatusCode, body)
			}
			return nil
		})
		all = append(all, p)
	}
	for range loss {
		post()
	}
	c.service(t, "analyzer").await(t, `"outcome":"done"`)
	for _, stream := range streams {
		if err := js.DeleteStream(within(t), stream); err != nil {
			t.Fatal(err)
		}
	}
	for range posts - loss {
		post()
	}
	unfinished := newPosting("text", "a")
	c.putSubmission(t, unfinished)
	afterLease()
	if said := c.sweep(t, "--outcomes-since", "1h"); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep says %s", said)
	}
	ids := map[string]string{}
	for _, p := range all {
		if got := c.analyzed(t, p.SourceID); got.Compound != 0.4404 {
			t.Errorf("analyzed as %+v", got)
		}
		outcomes := c.feedOutcomes(t, p.SourceID)
		if len(outcomes) != 1 {
			t.Errorf("outcomes of %s: %v, want one", p.SourceID, outcomes)
			continue
		}
		ids[p.SourceID] = outcomes[0]
	}
	if !slices.Contains(c.keys(t), textKey(unfinished.SourceID)) {
		t.Error("a fresh text is gone")
	}
	// The outcomes are published again, to a new stream, under the same ids.
	if err := js.DeleteStream(within(t), "ASSAY_OUTCOMES"); err != nil {
		t.Fatal(err)
	}
	c.setUp(t)
	c.sweep(t, "--outcomes-since", "1h")
	for _, p := range all {
		if outcomes := c.feedOutcomes(t, p.SourceID); len(outcomes) != 1 || outcomes[0] != ids[p.SourceID] {
			t.Errorf("outcomes of %s sent again: %v, want %s", p.SourceID, outcomes, ids[p.SourceID])
		}
	}
}

// feedSweepRepairs: orphaned texts are reported by a dry run and removed by a
// sweep; an item without text is given up, with the reason, a dead letter
// and an event, and does not change until a replay.
func feedSweepRepairs(t *testing.T, start starter) {
	c := start(t, noSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	c.service(t, "analyzer")
	kept := newPosting("The book was good.", "a")
	c.postItem(t, kept)
	c.analyzed(t, kept.SourceID)
	orphanText, lostText := newPosting("text", "a"), newPosting("The book was good.", "a")
	lostText.SourceURL = "https://example.com/lost"
	orphan, lost := orphanText.SourceID, lostText.SourceID
	c.putSubmission(t, orphanText)
	c.putPending(t, lost, utc(time.Now()), nil)
	double := newPosting("The book was good.", "a")
	double.IngestedAt = utc(time.Now().Add(-time.Hour))
	c.postItem(t, double)
	first := c.analyzed(t, double.SourceID)
	for i := range time.Duration(2) {
		c.putPending(t, double.SourceID, utc(time.Now().Add(i*time.Second)), nil)
	}
	afterLease()

	findings := map[string]string{
		textKey(orphan): "orphan_object", lost: "lost_message", double.SourceID: "duplicate_rows",
	}
	for range 2 { // a dry run changes nothing
		check(t, "feed", c.sweep(t, "--dry-run"), findings, "found", 3, 0)
	}
	check(t, "feed", c.sweep(t), findings, "repaired", 3, 3)
	if got := c.analyzed(t, double.SourceID); got.IngestedAt != first.IngestedAt || !slices.Equal(got.MatchedTags, []string{"a", "tag 9"}) {
		t.Errorf("of several rows one is left: %+v", got)
	}

	if got := c.givenUp(t, lost); got.ErrorMessage != "the accepted text no longer exists" {
		t.Errorf("given up as %+v", got)
	}
	if outcomes := c.feedOutcomes(t, lost); len(outcomes) != 1 || !strings.HasPrefix(outcomes[0], "analysis.failed/feed/"+lost+"/") {
		t.Errorf("outcomes %v, want one that failed", outcomes)
	}
	if keys := c.keys(t); slices.Contains(keys, textKey(orphan)) || !slices.Contains(keys, textKey(kept.SourceID)) {
		t.Errorf("the bucket has %v", keys)
	}
	eventually(t, func() error {
		if said := c.sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			return errors.New("a sweep after the repair says " + said)
		}
		return nil
	})

	replay := []string{"replay", "--reason", "no longer exists"}
	if said := dead(t, ingest.operator, append(replay, "--dry-run")...); !strings.Contains(said, lost) {
		t.Errorf("the dry run says %s", said)
	}
	c.putSubmission(t, lostText)
	dead(t, ingest.operator, replay...)
	if got := c.analyzed(t, lost); got.Compound != 0.4404 || got.ErrorMessage != "" || got.SourceURL != lostText.SourceURL || got.TextSnippet != lostText.Text {
		t.Errorf("after the replay: %+v", got)
	}
	if said := dead(t, ingest.operator, replay...); !strings.Contains(said, "skipped: the item is already analyzed") {
		t.Errorf("a replay of what is done says %s", said)
	}
	if outcomes := c.feedOutcomes(t, lost); len(outcomes) != 2 || !strings.HasPrefix(outcomes[1], "analysis.completed/feed/"+lost+"/") {
		t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
	}
}

// feedItemsAreReplayedAfterAnOutage: items that ran out of attempts while S3
// was down have an error message and stay pending. A repeat of the item changes nothing; a
// replay analyzes them.
func feedItemsAreReplayedAfterAnOutage(t *testing.T, start starter) {
	c := start(t, noSweep, "ASSAY_ATTEMPTS=1")
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	var all []posting
	for range 3 {
		p := newPosting("The book was good.", "a")
		c.postItem(t, p)
		all = append(all, p)
	}
	c.s3.kill(t)
	c.service(t, "analyzer")
	for _, p := range all {
		if got := c.givenUp(t, p.SourceID); got.ErrorMessage != "the analysis did not succeed in 1 attempts" {
			t.Errorf("without S3 the item is %+v", got)
		}
	}
	c.s3.start(t)
	if status, got := c.postItem(t, all[0]); status != http.StatusOK || got.ErrorMessage == "" {
		t.Errorf("a repeat of what was given up: %d %+v", status, got)
	}
	if n := strings.Count(ingest.output.String(), `"message":"item accepted"`); n != len(all) {
		t.Errorf("%d messages were published for %d items and the repeat of one", n, len(all))
	}
	filter := []string{"replay", "--consumer", "analyzer-feed", "--from", "1h", "--rate", "1000"}
	eventually(t, func() error {
		if said := dead(t, ingest.operator, append(filter, "--dry-run")...); strings.Count(said, "newsapi#") != len(all) {
			return errors.New("the dry run says " + said)
		}
		return nil
	})
	dead(t, ingest.operator, filter...)
	for _, p := range all {
		if got := c.analyzed(t, p.SourceID); got.Compound != 0.4404 || got.ErrorMessage != "" {
			t.Errorf("after the replay: %+v", got)
		}
		if outcomes := c.feedOutcomes(t, p.SourceID); len(outcomes) != 2 {
			t.Errorf("outcomes %v, want one that failed and one that completed", outcomes)
		}
	}
	if said := dead(t, ingest.operator, filter...); strings.Count(said, "skipped: the item is already analyzed") != len(all) {
		t.Errorf("a replay of what is done says %s", said)
	}
}
