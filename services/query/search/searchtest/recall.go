package searchtest

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/query/search"
)

// lexicon contains the public words of the measurement: the VADER lexicon, as seen from the folder of an engine.
const lexicon = "../../../../pkg/extract/sentiment/lexicon/words.tsv"

// Bars of the measurement over the first hits.
const (
	firstHits    = 10
	minRecall    = 0.95
	minPrecision = 0.8
)

// typosAreRecalled compares the first hits of 1,000 words with typing errors with all words that differ from them by as many errors
// as are considered: one in words of at least 4 letters, two in words of at least 8. Each word is the name of a file.
func typosAreRecalled(t *testing.T, open Open) {
	w := NewWorld(t, open)
	root := w.Root("ann")
	words := publicWords(t)
	for _, word := range words {
		n := library.Node{ID: w.id(), Type: library.KindFile, OwnedBy: "ann", ParentID: root.ID, Name: word, Status: library.Loading, Version: 1}
		n.CreatedAt = w.now.Format(library.TimeLayout)
		n.UpdatedAt = n.CreatedAt
		w.Nodes[n.ID] = n
	}
	w.Build()
	random := rand.New(rand.NewPCG(5, 6))
	var expected, found, hits, right int
	queries := 1000
	if testing.Short() {
		queries = 100
	}
	for range queries {
		typed := ""
		for known := true; known || typed == ""; _, known = slices.BinarySearch(words, typed) {
			typed = mistyped(random, words[random.IntN(len(words))])
		}
		want := map[string]bool{}
		for _, word := range words {
			if most := considered(typed); max(len(typed)-len(word), len(word)-len(typed)) <= most && distance(typed, word) <= most {
				want[word] = true
			}
		}
		result, err := w.Index.Search(t.Context(), search.Query{Caller: search.Caller{Owner: "ann"}, Terms: w.Terms(typed), Limit: firstHits})
		if err != nil {
			t.Fatal(err)
		}
		expected += min(len(want), firstHits)
		hits += len(result.Hits)
		for _, h := range result.Hits {
			if name := w.Nodes[h.ID].Name; want[name] {
				found, right = found+1, right+1
			} else if stems(name, want) {
				right++ // another form of such a word
			}
		}
	}
	recall, precision := float64(found)/float64(expected), float64(right)/float64(hits)
	t.Logf("%d words, %d queries with typing errors: recall %.3f, precision %.3f in the first %d hits", len(words), queries, recall, precision, firstHits)
	if recall < minRecall || precision < minPrecision {
		t.Errorf("got recall %.3f and precision %.3f, want at least %v and %v", recall, precision, minRecall, minPrecision)
	}
}

// publicWords returns the distinct words of at least 4 letters of the lexicon.
func publicWords(t *testing.T) []string {
	t.Helper()
	file, err := os.ReadFile(lexicon)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for lines := bufio.NewScanner(bytes.NewReader(file)); lines.Scan(); {
		word, _, _ := strings.Cut(lines.Text(), "\t")
		if len(word) >= 4 && strings.TrimFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' }) == "" {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// mistyped returns a word with one error, or with one or two if it has at least 9 letters, so that two are considered.
func mistyped(random *rand.Rand, word string) string {
	typed := []byte(word)
	for range 1 + random.IntN(1+min(1, len(word)/9)) {
		letter, at := byte('a'+random.IntN(26)), random.IntN(len(typed))
		switch random.IntN(4) {
		case 0:
			typed = slices.Insert(typed, at, letter)
		case 1:
			typed = slices.Delete(typed, at, at+1)
		case 2:
			typed[at] = letter
		default:
			if at+1 < len(typed) {
				typed[at], typed[at+1] = typed[at+1], typed[at]
			}
		}
	}
	if len(typed) < 4 {
		return ""
	}
	return string(typed)
}

// considered returns the number of errors that are considered in a word.
func considered(word string) int {
	switch {
	case len(word) >= 8:
		return 2
	case len(word) >= 4:
		return 1
	}
	return 0
}

// distance returns the number of letters to insert, delete or replace, and of neighbors to swap, that turn a word into another, if no
// letter is changed twice (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}

// stems reports whether a word has the same English stem as one of the words.
func stems(word string, words map[string]bool) bool {
	own := search.Stems("en", word)
	for other := range words {
		if slices.ContainsFunc(search.Stems("en", other), func(stem string) bool { return slices.Contains(own, stem) }) {
			return true
		}
	}
	return false
}
