package feed_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/feed"
)

// TestDocuments checks that a submission is unchanged after a round trip through its document and
// through the table, and that the row is Of it.
func TestDocuments(t *testing.T) {
	_, store := open(t)
	now := time.Now()
	for name, change := range map[string]func(*feed.Submission){
		"the least":   func(s *feed.Submission) { s.Text, s.IngestedAt = "", "" },
		"with a zone": func(s *feed.Submission) { s.IngestedAt = "2025-11-16T16:30:00.123456+02:00" },
		"escaped":     func(s *feed.Submission) { s.Text = strings.Repeat("\x01<\u2028\n", 2000) },
		"metadata": func(s *feed.Submission) {
			s.Metadata = map[string]any{"text": "<&>", "yes": true, "none": nil, "n": 0.1, "large": 1e100, "small": -1e-99, "max": math.MaxInt64 / 2.0}
		},
		"no metadata": func(s *feed.Submission) { s.Metadata = map[string]any{} },
	} {
		t.Run(name, func(t *testing.T) {
			s := submission(1, now, "b", "a")
			s.SourceID, s.SourceURL = "reddit#"+strings.ReplaceAll(name, " ", "-"), "https://example.com/"
			change(&s)
			if wrong := s.Check(now); len(wrong) > 0 {
				t.Fatal(wrong)
			}
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
				t.Fatalf("got %+v, %v; want %+v", got, err, stamped)
			}
			item := create(t, store, got)
			if !reflect.DeepEqual(item.IngestedAt, s.Item(now).IngestedAt) {
				t.Errorf("the time is %s", item.IngestedAt)
			}
			if item, err = store.Get(t.Context(), s.SourceID); err != nil || !item.IsOf(got) {
				t.Errorf("%+v is not of %+v: %v", item, got, err)
			}
			for _, other := range []feed.Submission{
				{Text: "other", SourceURL: s.SourceURL, Metadata: s.Metadata}, {Text: s.Text, Metadata: s.Metadata},
				{Text: s.Text, SourceURL: s.SourceURL, Metadata: map[string]any{"other": true}},
			} {
				if item.IsOf(other) || !item.Of(other).IsOf(other) {
					t.Errorf("%+v is of %+v", item, other)
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
			t.Errorf("%q: %+v, %v", document, s, err)
		}
	}
}
