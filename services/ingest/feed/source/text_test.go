package source

import (
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	for markup, want := range map[string]string{
		"":                                      "",
		"plain":                                 "plain",
		" a\n\tb\x00c\u0085 ":                   "a b c",
		"<p>Good <b>ne</b>ws</p><p>Bad</p>":     "Good news Bad",
		"one<br>two<br/>three":                  "one two three",
		"AT&amp;T &lt;3 &#8220;x&#8221;&nbsp;y": "AT&T <3 “x” y",
		"1 < 2 > 0":                             "1 < 2 > 0",
		"a<script>alert('<p>b</p>')</script>c<style>p{}</style>d":   "acd",
		"<a href='javascript:x'>link</a><!-- hidden --><img alt=x>": "link",
		"<iframe><p>in</p></iframe>out":                             "out",
		"open <b":                                                   "open",
		"bad \xff utf":                                              "bad utf",
	} {
		if got := plain(markup); got != want {
			t.Errorf("plain(%q) = %q, want %q", markup, got, want)
		}
	}
}

func TestJoined(t *testing.T) {
	for _, c := range []struct{ title, summary, want string }{
		{"Title", "Text.", "Title. Text."}, {"Why?", "Text.", "Why? Text."}, {"", "Text.", "Text."},
		{"Title", "", "Title"}, {"Same", "Same", "Same"}, {"", "", ""},
	} {
		if got := joined(c.title, c.summary); got != c.want {
			t.Errorf("joined(%q, %q) = %q, want %q", c.title, c.summary, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"é€😀x", 3, "é€😀"}, {"ab", 2, "ab"}, {"ab", 5, "ab"}, {"ab", 0, ""}} {
		if got := cut(c.text, c.n); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

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
		if got := mentions(c.text, c.phrase); got != c.want {
			t.Errorf("mentions(%q, %q) = %t, want %t", c.text, c.phrase, got, c.want)
		}
	}
	if mentions(strings.Repeat("a", 100_000), "aa") {
		t.Error("mentions of a part of a word: got true, want false")
	}
}
