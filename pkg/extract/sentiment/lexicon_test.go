package sentiment

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestLexiconIsPinned(t *testing.T) {
	// A change to these checksums requires a new Version.
	if Version != "v1.3.0" {
		t.Errorf("got model version %s, want v1.3.0, the version of the checksums", Version)
	}
	source, err := os.ReadFile("lexicon/SOURCE")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		file, text, sum string
		lines           int
	}{
		{"words.tsv", lexiconWords, "6060bbfb3f95e32f0b87a087844696d58ead9fa2279433da2e2dc0969d1c0ccb", 7518},
		{"emoji.tsv", lexiconEmoji, "dfcd8094ea428307004d86707108d7e8a02ceda7fd0609643502f5b14e629aad", 1212},
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(test.text))); got != test.sum {
			t.Errorf("%s has checksum %s, want %s", test.file, got, test.sum)
		}
		if !strings.Contains(string(source), test.sum) {
			t.Errorf("lexicon/SOURCE does not contain the checksum of %s", test.file)
		}
		if got := strings.Count(test.text, "\n"); got != test.lines {
			t.Errorf("%s has %d lines, want %d", test.file, got, test.lines)
		}
	}
}

// TestDictionaryFindsItsWords checks that every word is found, in lower and upper case, with the valence
// in the last line for the word, and that a word with additional characters is not found.
func TestDictionaryFindsItsWords(t *testing.T) {
	valences := map[string]string{}
	for line := range strings.Lines(lexiconWords) {
		text, valence, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		valences[text] = valence
	}
	if len(valences) != 7504 {
		t.Errorf("got %d different words, want 7504", len(valences))
	}
	d := newDictionary()
	for i, w := range d.words {
		// The rules do not define whether a booster with a valence acts as a booster.
		if w.inLexicon && w.boost != 0 {
			t.Errorf("got word %d %+v, which has a valence and a boost, want only one of them", i, w)
		}
	}
	find := func(text string) *word {
		return d.find(keyOf(append([]byte(text), make([]byte, padding)...), len(text)))
	}
	for text, valence := range valences {
		if strings.ContainsAny(text, " Þ") || text != strings.ToLower(text) {
			continue // no word of a text can match this entry
		}
		for _, text := range []string{text, strings.ToUpper(text)} {
			if got := find(text); !got.inLexicon || fmt.Sprintf("%.1f", got.valence) != valence {
				t.Errorf("find(%q) = %+v, want valence %s", text, got, valence)
			}
		}
		for _, other := range []string{text + "\x00", text + "q_", "\x00" + text} {
			if got := find(other); got != &d.words[0] {
				t.Errorf("find(%q) = %+v, want no word", other, got)
			}
		}
	}
}
