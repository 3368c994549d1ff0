package sentiment

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Seed and number of the texts whose scores are in testdata/reference.tsv.
const (
	referenceSeed  = 2014
	referenceTexts = 6000
)

var textsTo = flag.String("texts", "", "write the texts of the reference test, one JSON string per line, to this `file`")

// The file testdata/reference.tsv contains the scores of the texts of newCorpus by the reference
// implementation of VADER (vaderSentiment, commit 44fc044, on Python 3.11) with the embedded
// lexicon. The first line is the SHA-256 of all texts. Each following line contains the negative,
// neutral, positive and compound scores of one text. The file is generated from the texts that
// -texts writes.
func TestScoreEqualsReference(t *testing.T) {
	texts := make([]string, referenceTexts)
	corpus, sum := newCorpus(referenceSeed), sha256.New()
	for i := range texts {
		texts[i] = corpus.text(i)
		fmt.Fprintf(sum, "%d:%s", len(texts[i]), texts[i])
	}
	if *textsTo != "" {
		writeTexts(t, *textsTo, texts)
	}
	reference, err := os.ReadFile("testdata/reference.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(reference))
	if lines.Scan(); lines.Text() != fmt.Sprintf("%x", sum.Sum(nil)) {
		t.Fatalf("got scores of texts with digest %s, want digest %x", lines.Text(), sum.Sum(nil))
	}
	a, line := New(), 0
	for ; lines.Scan() && line < len(texts); line++ {
		var want Polarity
		if _, err := fmt.Sscan(lines.Text(), &want.Negative, &want.Neutral, &want.Positive, &want.Compound); err != nil {
			t.Fatalf("line %d: %v", line+2, err)
		}
		plain := texts[line]
		for _, r := range texts[line] {
			if q := quote(r); q != "" {
				plain = strings.ReplaceAll(plain, string(r), q)
			}
		}
		if got, want := a.Score(texts[line]), a.score(plain, false); got != want {
			t.Errorf("Score(%q) = %+v, want %+v, the score with ASCII quotes", texts[line], got, want)
		}
		if got := a.score(texts[line], false); got != want {
			t.Errorf("score(%q) = %+v, want %+v, the score of the reference", texts[line], got, want)
		}
	}
	if err := lines.Err(); err != nil || line != len(texts) {
		t.Fatalf("got the scores of %d texts, want %d: %v", line, len(texts), err)
	}
}

func writeTexts(t *testing.T, path string, texts []string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := json.NewEncoder(file)
	for _, text := range texts {
		if err := out.Encode(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
