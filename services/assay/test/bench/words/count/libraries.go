package main

import (
	"bytes"
	"io"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/assay-project/assay/pkg/extract/wordstats"
)

// countByLibraries uses the same definition of a word as wordstats, but counts with maintained
// libraries and a map, as a program without its own counter would.
func countByLibraries(r io.Reader) (wordstats.Statistics, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return wordstats.Statistics{}, err
	}
	counts := map[string]*int64{}
	lower := cases.Lower(language.Und)
	total, codePoints := int64(0), int64(0)
	for segments := words.FromBytes(text); segments.Next(); {
		word := segments.Value()
		if !bytes.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			continue
		}
		folded := lower.Bytes(word)
		total++
		codePoints += int64(utf8.RuneCount(folded))
		if count, ok := counts[string(folded)]; ok {
			*count++
			continue
		}
		one := int64(1)
		counts[string(folded)] = &one
	}
	top := make([]wordstats.WordCount, 0, len(counts))
	for word, count := range counts {
		top = append(top, wordstats.WordCount{Word: word, Count: *count})
	}
	sort.Slice(top, func(i, j int) bool {
		if top[i].Count != top[j].Count {
			return top[i].Count > top[j].Count
		}
		return top[i].Word < top[j].Word
	})
	return wordstats.Statistics{
		TotalWords: total, UniqueWords: int64(len(counts)), Top10Words: top[:min(10, len(top))],
		AvgWordLength: float64((codePoints*200+total)/max(1, 2*total)) / 100,
	}, nil
}
