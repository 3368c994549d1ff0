package feed_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/feedtest"
)

var now = time.Date(2025, 11, 16, 14, 30, 0, 0, time.UTC)

func TestPendingItem(t *testing.T) {
	s := feed.Submission{SourceID: "newsapi#article-abc_123", SourceType: "newsapi", Text: "good", MatchedTags: []string{"b", "a", "b"}}
	s.IngestedAt = "2025-11-17T00:30:00.9999+01:00"
	i := s.Item(now)
	if i.IngestedAt != "2025-11-16T23:30:00.999Z" || i.Status != feed.Pending || i.Sentiment != "neutral" || i.Score != 0.5 ||
		i.ModelVersion != "v0.0.0" || strings.Join(i.MatchedTags, " ") != "b a" {
		t.Errorf("got %+v, want a pending item with tags b and a, ingested at 23:30:00.999 UTC", i)
	}
	s.IngestedAt = ""
	if i := s.Item(now); i.IngestedAt != "2025-11-16T14:30:00.000Z" {
		t.Errorf("a submission without a time: got %s, want 2025-11-16T14:30:00.000Z", i.IngestedAt)
	}
}

func TestSnippet(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"two\nlines\tand\x00 a bell\a":    "two lines and a bell",
		strings.Repeat("é", 201):          strings.Repeat("é", 200),
		strings.Repeat("\x00", 201) + "a": "",
		"\u0085next\u007f":                "next",
	} {
		if got := feed.Snippet(text); got != want {
			t.Errorf("Snippet(%q) = %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(150, 400, -1)).Draw(t, "text")
		got := feed.Snippet(text)
		if utf8.RuneCountInString(got) > 200 || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Fatalf("Snippet(%q) = %q, want at most 200 characters of valid UTF-8 without control characters", text, got)
		}
	})
}

// TestDocuments checks that a submission is unchanged after a round trip through its document and
// through the table, and that the row matches it.
func TestDocuments(t *testing.T) {
	_, store := feedtest.Open(t)
	now := time.Now()
	for name, change := range map[string]func(*feed.Submission){
		"minimal":     func(s *feed.Submission) { s.Text, s.IngestedAt = "", "" },
		"with a zone": func(s *feed.Submission) { s.IngestedAt = "2025-11-16T16:30:00.123456+02:00" },
		"escaped":     func(s *feed.Submission) { s.Text = strings.Repeat("\x01<\u2028\n", 2000) },
		"metadata": func(s *feed.Submission) {
			s.Metadata = map[string]any{"text": "<&>", "yes": true, "none": nil, "n": 0.1, "large": 1e100, "small": -1e-99, "max": math.MaxInt64 / 2.0}
		},
		"no metadata": func(s *feed.Submission) { s.Metadata = map[string]any{} },
	} {
		t.Run(name, func(t *testing.T) {
			s := feedtest.Submission(1, now, "b", "a")
			s.SourceID, s.SourceURL = "reddit#"+strings.ReplaceAll(name, " ", "-"), "https://example.com/"
			change(&s)
			stamped := s.Stamped(now)
			document, err := stamped.Document()
			if err != nil {
				t.Fatal(err)
			}
			got, err := feed.ParseDocument(s.SourceID, document)
			if len(stamped.Metadata) == 0 {
				stamped.Metadata = nil
			}
			if err != nil || !reflect.DeepEqual(got, stamped) {
				t.Fatalf("got %+v, error %v, want %+v", got, err, stamped)
			}
			item := feedtest.Create(t, store, got)
			if !reflect.DeepEqual(item.IngestedAt, s.Item(now).IngestedAt) {
				t.Errorf("got time %s, want %s", item.IngestedAt, s.Item(now).IngestedAt)
			}
			if item, err = store.Get(t.Context(), s.SourceID); err != nil || !item.IsOf(got) {
				t.Errorf("got item %+v, error %v, want one that matches %+v", item, err, got)
			}
			for _, other := range []feed.Submission{
				{Text: "other", SourceURL: s.SourceURL, Metadata: s.Metadata}, {Text: s.Text, Metadata: s.Metadata},
				{Text: s.Text, SourceURL: s.SourceURL, Metadata: map[string]any{"other": true}},
			} {
				if item.IsOf(other) || !item.Of(other).IsOf(other) {
					t.Errorf("%+v.IsOf(%+v): got true, or false after Of, want false, and true after Of", item, other)
				}
			}
		})
	}
}

func TestBrokenDocuments(t *testing.T) {
	for _, document := range []string{
		"", "text", `{"sourceId":"reddit#2","ingestedAt":"2025-11-16T14:30:00.000Z"}`,
		`{"sourceId":"reddit#1"}`, `{"sourceId":"reddit#1","ingestedAt":"today"}`,
	} {
		if s, err := feed.ParseDocument("reddit#1", []byte(document)); err == nil || !strings.Contains(err.Error(), "reddit#1") {
			t.Errorf("%q: got %+v, error %v, want an error that names reddit#1", document, s, err)
		}
	}
}
