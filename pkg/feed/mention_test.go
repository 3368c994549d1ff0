package feed_test

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/feed"
)

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		text, phrase string
		want         bool
	}{
		{"AI is here", "ai", true}, {"he said", "ai", false}, {"maintain AI.", "AI", true}, {"paid", "ai", false},
		{"written in C# and Go", "c#", true}, {"C#sharp", "c#", true}, {"see #AI", "#ai", true}, {"climate change now", "Climate Change", true},
		{"ÉTÉ chaud", "été", true}, {"étéchaud", "été", false}, {"日本の天気", "天気", false}, {"日本 天気", "天気", true},
		{"", "x", false}, {"x", "", false}, {"aa aaa", "aaa", true},
	} {
		if got := feed.Mentions(c.text, c.phrase); got != c.want {
			t.Errorf("Mentions(%q, %q) = %t, want %t", c.text, c.phrase, got, c.want)
		}
	}
	if feed.Mentions(strings.Repeat("a", 100_000), "aa") {
		t.Error("Mentions of a part of a word: got true, want false")
	}
}
