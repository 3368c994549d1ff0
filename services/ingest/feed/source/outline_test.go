package source

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/ingest/feed/source/opml"
)

func TestFromOutline(t *testing.T) {
	defaults := Settings{Enabled: true, Match: MatchAll, Interval: "1h", Tags: []string{"mine"}}
	one := opml.Feed{Title: "One", URL: "https://www.a.example/feed"}
	with := func(change func(*opml.Feed)) opml.Feed { f := one; change(&f); return f }
	for name, c := range map[string]struct {
		feed   opml.Feed
		others Settings
		want   Settings
	}{
		"title":      {one, Settings{Enabled: true}, Settings{Enabled: true, Tags: []string{"One"}}},
		"host":       {with(func(f *opml.Feed) { f.Title = "\u200b" }), Settings{}, Settings{Tags: []string{"a.example"}}},
		"defaults":   {one, defaults, Settings{Enabled: true, Match: MatchAll, Interval: "1h", Tags: []string{"mine"}}},
		"own values": {with(func(f *opml.Feed) { f.Match, f.Interval, f.Enabled = MatchText, "2h", "false" }), defaults, Settings{Match: MatchText, Interval: "2h", Tags: []string{"mine"}}},
		"folders": {
			with(func(f *opml.Feed) { f.Folders, f.Categories = []string{"A", "B  C", "mine"}, []string{"x", "A"} }), defaults,
			Settings{Enabled: true, Match: MatchAll, Interval: "1h", Tags: []string{"mine", "x", "A", "B C"}},
		},
		"too many for all": {
			with(func(f *opml.Feed) { f.Categories = strings.Split("a b c d e f", " ") }), Settings{Match: MatchAll},
			Settings{Match: MatchAll, Tags: strings.Split("a b c d e", " ")},
		},
		"too long": {with(func(f *opml.Feed) { f.Folders = []string{strings.Repeat("é", 60)} }), Settings{}, Settings{Tags: []string{strings.Repeat("é", 50)}}},
	} {
		c.want.Kind, c.want.URL = KindRSS, one.URL
		if got := FromOutline(c.feed, c.others); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// TestOutlineRoundTrip checks that the settings of an exported source are those of the imported one.
func TestOutlineRoundTrip(t *testing.T) {
	exported := Source{Name: "go-blog", Settings: Settings{
		Kind: KindRSS, URL: "https://go.dev/blog/feed.atom", Interval: "30m", Tags: []string{"go", "new release"}, Match: MatchText,
	}}
	f := exported.Outline()
	if got := FromOutline(f, Settings{Enabled: true, Match: MatchAll}); !reflect.DeepEqual(got, exported.Settings) {
		t.Errorf("got %+v, want %+v", got, exported.Settings)
	}
	if got := OutlineName(f, func(string) bool { return false }); got != exported.Name {
		t.Errorf("got the name %s, want %s", got, exported.Name)
	}
}

func TestOutlineName(t *testing.T) {
	long := strings.Repeat("a", 62) + " bcd"
	taken := []string{"go", "go-2", strings.Repeat("a", 62) + "-b"}
	for title, want := range map[string]string{
		"The Go Blog": "the-go-blog", "  Café Zürich — l'été! ": "cafe-zurich-lete", "": "a-example", "日本語": "a-example", "ニュース 24": "24", "Go": "go-3",
		long: strings.Repeat("a", 62) + "-2",
	} {
		got := OutlineName(opml.Feed{Title: title, URL: "https://www.a.example/feed"}, func(name string) bool { return slices.Contains(taken, name) })
		if got != want || len(got) > maxName {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
	if got := OutlineName(opml.Feed{URL: "::"}, func(string) bool { return false }); got != "feed" {
		t.Errorf("without a title and a host: got %q, want feed", got)
	}
}
