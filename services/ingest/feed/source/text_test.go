package source

import (
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
