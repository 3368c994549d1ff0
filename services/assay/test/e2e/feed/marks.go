package feed

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// similarItemsAreMarked: an item with nearly the same text as an earlier one names it, in the item, in lists and in its
// event, which also has what a reader shows: the text, the URL and the time of publication.
func similarItemsAreMarked(t *testing.T, s system.System) {
	tag := system.NewTag()
	events := s.Listen(t, "assay.analysis.completed.feed.>")
	words := make([]string, 15)
	for i := range words {
		words[i] = rand.Text()[:8]
	}
	story := "The port reopened: " + strings.Join(words, " ")
	first, copied, other := system.NewPosting(story, tag), system.NewPosting("UPDATE: "+story, tag), system.NewPosting("The port stays closed: "+strings.Join(words[:3], " ")+", and this is about something that differs from it.", tag)
	copied.SourceURL, copied.Metadata = "https://example.com/story", map[string]any{"published_at": "2026-11-20T10:00:00Z"}
	for _, p := range []system.Posting{first, copied, other} {
		s.PostItem(t, p)
		want := map[string]string{copied.SourceID: first.SourceID}[p.SourceID]
		if got := s.Analyzed(t, p.SourceID); got.SimilarTo != want {
			t.Errorf("%q is similar to %q, want %q", p.Text, got.SimilarTo, want)
		}
	}
	for _, listed := range s.AwaitItems(t, tag, 3) {
		if want := map[string]string{copied.SourceID: first.SourceID}[listed.SourceID]; listed.SimilarTo != want {
			t.Errorf("listed as %+v, want it similar to %q", listed, want)
		}
	}
	event := system.NextOf(t, events, copied.SourceID)
	var outcome struct {
		TextSentiment struct{ TextSnippet, SourceURL, PublishedAt, SimilarTo string }
	}
	system.Decode(t, string(event.Data), &outcome)
	got := outcome.TextSentiment
	if got.TextSnippet != copied.Text || got.SourceURL != copied.SourceURL || got.PublishedAt != "2026-11-20T10:00:00Z" || got.SimilarTo != first.SourceID {
		t.Errorf("the event is %s, want the text, URL and publication time of the item, similar to %s", event.Data, first.SourceID)
	}
	deleteItem(t, s, first.SourceID)
	again := system.NewPosting(story+" Really.", tag)
	s.PostItem(t, again)
	if got := s.Analyzed(t, again.SourceID); got.SimilarTo != "" && got.SimilarTo != copied.SourceID {
		t.Errorf("similar to %q, want no deleted item", got.SimilarTo)
	}
}

// foldedTagsAreOne: tags that differ only in case are counted as one and found by each other. The item keeps its spelling.
func foldedTagsAreOne(t *testing.T, s system.System) {
	tag := strings.ToLower(system.NewTag())
	upper, lower := system.NewPosting("Good.", strings.ToUpper(tag)), system.NewPosting("Bad.", tag)
	for _, p := range []system.Posting{upper, lower} {
		s.PostItem(t, p)
		s.Analyzed(t, p.SourceID)
	}
	for _, asked := range []string{tag, strings.ToUpper(tag)} {
		for _, item := range s.AwaitItems(t, asked, 2) {
			if want := map[string]string{upper.SourceID: upper.MatchedTags[0], lower.SourceID: tag}[item.SourceID]; len(item.MatchedTags) != 1 || item.MatchedTags[0] != want {
				t.Errorf("listed as %+v, want the tag %s", item, want)
			}
		}
	}
	system.Eventually(t, func() error {
		var summary struct {
			Total int
			Tags  []struct {
				Tag   string
				Count int
			}
		}
		if err := s.GetJSON(system.Within(t), "/v1/feed/summary?hours=1&compare=true&tag="+url.QueryEscape(strings.ToUpper(tag)), &summary); err != nil {
			return err
		}
		if summary.Total != 2 || len(summary.Tags) != 1 || summary.Tags[0].Count != 2 || !strings.EqualFold(summary.Tags[0].Tag, tag) {
			return fmt.Errorf("the summary is %+v, want 2 items with one tag", summary)
		}
		return nil
	})
}
