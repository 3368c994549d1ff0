package tag_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/assay-project/assay/pkg/tag"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"budget": "budget", "  Annual \t Report ": "Annual Report", "cafe\u0301": "café", "東京": "東京", strings.Repeat("é", tag.Max): strings.Repeat("é", tag.Max),
		"e\u0301" + strings.Repeat("a", tag.Max-1): "é" + strings.Repeat("a", tag.Max-1), // 50 characters after composition
	} {
		if got, wrong := tag.Parse(text); got != want || wrong != "" {
			t.Errorf("Parse(%q) = %q, %q; want %q", text, got, wrong, want)
		}
	}
	for text, want := range map[string]string{
		"": "blank", "   ": "blank", "\u200d": "blank", "\u2800": "blank", strings.Repeat("a", tag.Max+1): "longer than 50", "a\x00b": "control character",
		"a\u202eb": "direction of text", "a\ufffdb": "could not be decoded", "a\xff": "could not be decoded",
	} {
		if _, wrong := tag.Parse(text); !strings.Contains(wrong, want) {
			t.Errorf("Parse(%q): got %q, want %q", text, wrong, want)
		}
	}
}

func TestFold(t *testing.T) {
	for _, same := range [][]string{{"Budget", "BUDGET", "budget"}, {"Straße", "STRASSE"}, {"Café", "CAFE\u0301"}, {"ΟΔΟΣ", "οδος"}} {
		for _, one := range same {
			if got, want := tag.Fold(one), tag.Fold(same[0]); got != want {
				t.Errorf("Fold(%q) = %q, want %q as of %q", one, got, want, same[0])
			}
		}
	}
	if tag.Fold("cafe") == tag.Fold("café") {
		t.Error("tags with and without an accent are the same, want them different")
	}
}

// TestInvisibleTags checks that a tag needs a visible character, and may have invisible ones within words.
func TestInvisibleTags(t *testing.T) {
	wrong := func(text string) bool { _, wrong := tag.Parse(text); return wrong != "" }
	tables := []*unicode.RangeTable{unicode.White_Space, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, tables...) && !strings.ContainsRune("\u2800\u3164\u115f\u1160\uffa0\U0001d159\ufffd", r) {
			continue
		}
		for _, text := range []string{string(r), " " + string(r) + " ", string(r) + "\u200b" + string(r)} {
			if !wrong(text) {
				t.Fatalf("%+q: got a valid tag, want an error", text)
			}
		}
	}
	for _, text := range []string{"क्\u200dष", "می\u200cخواهم", "👩\u200d💻", "❤\ufe0f", "1\ufe0f\u20e3", "co\u00adoperate", "🏴\U000e0067\U000e0062\U000e007f", "\ue000", "é", "e\u0301", "#", "⠁"} {
		if wrong(text) {
			t.Errorf("%+q: got an error, want a valid tag", text)
		}
	}
}
