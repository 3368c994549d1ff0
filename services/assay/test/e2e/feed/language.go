package feed

import (
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// otherLanguagesAreNeutral: a text that is not English is unsupported: neutral with a confidence of 0, and the item,
// its list entries and its event state the language.
func otherLanguagesAreNeutral(t *testing.T, s system.System) {
	tag := system.NewTag()
	events := s.Listen(t, "assay.analysis.completed.feed.>")
	// The text contains English words that are in the lexicon.
	french := system.NewPosting("Le super festival de cette année était une horreur, mais nous avons tous adoré la cuisine et le vin.", tag)
	french.Metadata = map[string]any{"author": "J", "language": "xx"}
	_, pending := s.PostItem(t, french)
	got := s.Analyzed(t, french.SourceID)
	if got.Sentiment != "neutral" || got.Score != 0 || !got.Unsupported || got.Compound != 0 || got.Language != "fr" ||
		system.JSON(got.Metadata) != `{"author":"J","language":"fr"}` {
		t.Errorf("analyzed as %+v, want unsupported, neutral with score 0, compound 0 and language fr", got)
	}
	if pending.Status == "pending" && pending.Language != "" {
		t.Errorf("before the analysis, the item is %+v, want no language", pending)
	}
	if listed := s.AwaitItems(t, tag, 1); listed[0].Language != "fr" {
		t.Errorf("listed as %+v, want language fr", listed[0])
	}
	event := system.NextOf(t, events, french.SourceID)
	var outcome struct {
		TextSentiment struct {
			Sentiment, Language string
			Unsupported         bool
		}
	}
	system.Decode(t, string(event.Data), &outcome)
	if outcome.TextSentiment.Language != "fr" || outcome.TextSentiment.Sentiment != "neutral" || !outcome.TextSentiment.Unsupported {
		t.Errorf("the event is %s, want neutral and language fr", event.Data)
	}
	english := system.NewPosting("What a lovely day, and we have nothing to do!", tag)
	s.PostItem(t, english)
	if got := s.Analyzed(t, english.SourceID); got.Language != "en" || got.Sentiment != "positive" || got.Unsupported {
		t.Errorf("an English text is %+v, want positive and language en", got)
	}
}
