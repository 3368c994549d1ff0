package alert

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

const (
	maxItems = 5
	maxWords = 10
	// maxSample and maxBefore limit the rows of the window and of the day before that are read.
	maxSample = 1000
	maxBefore = 2000
)

// cause finds the items and words that made an alert fire.
func (e *Evaluator) cause(ctx context.Context, set alert.Settings, s alert.State) (alert.Cause, error) {
	scope, from := scopeOf(set), s.At.Add(-set.Span())
	if set.Kind == alert.Silent {
		if s.Last.IsZero() {
			return alert.Cause{}, nil
		}
		last, err := e.sample(ctx, scope, s.Last.Add(-day), s.Last, maxItems, always)
		return alert.Cause{Items: itemsOf(last)}, err
	}
	window, err := e.sample(ctx, scope, from, s.At, maxSample, func(row dashboard.Row) bool { return mentions(set, row) })
	if err != nil {
		return alert.Cause{}, err
	}
	among := scope
	if set.Kind == alert.Match { // its items are compared with all others
		among = dashboard.Scope{}
	}
	others, err := e.sample(ctx, among, from.Add(-day), from, maxBefore, always)
	if err != nil {
		return alert.Cause{}, err
	}
	if set.Kind == alert.Negative { // its items are compared with those that are not negative
		isOther := func(row dashboard.Row) bool { return row.Sentiment != feed.Negative }
		for _, row := range window {
			if isOther(row) {
				others = append(others, row)
			}
		}
		window = slices.DeleteFunc(window, isOther)
		slices.SortStableFunc(window, func(a, b dashboard.Row) int { return cmp.Compare(a.Compound, b.Compound) })
	}
	words, score := outstanding(window, others)
	if set.Kind == alert.Volume {
		slices.SortStableFunc(window, func(a, b dashboard.Row) int { return cmp.Compare(score(b), score(a)) })
	}
	return alert.Cause{Items: itemsOf(window), Words: words}, nil
}

func always(dashboard.Row) bool { return true }

// sample returns the newest wanted rows of a scope, at most the given number.
func (e *Evaluator) sample(ctx context.Context, scope dashboard.Scope, from, to time.Time, most int, wanted func(dashboard.Row) bool) ([]dashboard.Row, error) {
	var rows []dashboard.Row
	err := e.Dashboard.Visit(ctx, scope, from, to, func(row dashboard.Row) bool {
		if wanted(row) {
			rows = append(rows, row)
		}
		return len(rows) < most
	})
	if errors.Is(err, dashboard.ErrTooMany) {
		err = nil
	}
	return rows, err
}

// itemsOf returns the first rows with different texts.
func itemsOf(rows []dashboard.Row) []alert.CauseItem {
	var items []alert.CauseItem
	seen := map[string]bool{}
	for _, row := range rows {
		if len(items) == maxItems {
			break
		}
		if seen[row.TextSnippet] {
			continue
		}
		seen[row.TextSnippet] = true
		items = append(items, alert.CauseItem{ID: row.SourceID, Text: row.TextSnippet, URL: row.SourceURL, IngestedAt: row.IngestedAt(), Sentiment: row.Sentiment})
	}
	return items
}

// outstanding returns the words that are in more of the rows than the frequency in the other rows suggests, most outstanding first, and a
// function that returns the sum of the scores of the words of a row.
func outstanding(rows, others []dashboard.Row) ([]alert.CauseWord, func(dashboard.Row) float64) {
	const enough = 20 // other rows, to tell which words are common
	shortest, least := 3, 2
	if len(others) < enough {
		shortest = 4
	}
	if len(rows) < 5 {
		least = 1
	}
	now, before := frequencies(rows), frequencies(others)
	scores := map[string]float64{}
	var words []alert.CauseWord
	for word, n := range now {
		if n < least || utf8.RuneCountInString(word) < shortest {
			continue
		}
		expected := 1 / float64(len(rows)) // if nothing is known
		if len(others) >= enough {
			expected = (float64(before[word]) + 0.5) / float64(len(others)+1)
		}
		if ratio := float64(n) / float64(len(rows)) / expected; ratio >= 2 || len(others) < enough {
			scores[word] = float64(n) * math.Log(max(ratio, 1))
			words = append(words, alert.CauseWord{Word: word, Count: n})
		}
	}
	slices.SortFunc(words, func(a, b alert.CauseWord) int {
		return cmp.Or(cmp.Compare(scores[b.Word], scores[a.Word]), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	score := func(row dashboard.Row) (sum float64) {
		for word := range wordsOf(row.TextSnippet) {
			sum += scores[word]
		}
		return sum
	}
	return words[:min(len(words), maxWords)], score
}

// frequencies returns the number of rows that contain each word.
func frequencies(rows []dashboard.Row) map[string]int {
	found := map[string]int{}
	for _, row := range rows {
		for word := range wordsOf(row.TextSnippet) {
			found[word]++
		}
	}
	return found
}

// wordsOf returns the different words of a text, with case folded. Addresses and numbers are no words.
func wordsOf(text string) map[string]bool {
	found := map[string]bool{}
	for token := range strings.FieldsSeq(text) {
		if strings.Contains(token, "://") {
			continue
		}
		for word := range strings.FieldsFuncSeq(token, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && r != '\'' && r != '’'
		}) {
			word = strings.Trim(word, "'’")
			if strings.ContainsFunc(word, unicode.IsLetter) {
				found[feed.FoldTag(word)] = true
			}
		}
	}
	return found
}
