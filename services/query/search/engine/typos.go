package engine

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/assay-project/assay/services/query/search"
)

const (
	// maxCorrected is the maximum number of libraries in which typing errors are considered, the caller's own first.
	maxCorrected = 16
	// maxRead is the maximum number of words read from the vocabularies for one query.
	maxRead = 200_000
)

// Vocabulary contains the words of libraries that have other forms.
type Vocabulary interface {
	// Absent reports whether no item of a library has a term.
	Absent(ctx context.Context, owner int64, t search.Term) (bool, error)
	// Words iterates over words of a library in lexical order, beginning with from: a number that the vocabulary chooses, and none
	// after the last one. It may leave out words whose number of characters differs from that of like by more than most.
	Words(ctx context.Context, owner int64, from, like string, most int) iter.Seq2[string, error]
}

// errorsIn returns the number of typing errors that are considered in a word: one in words of at least 4 characters, two in words of at least 8.
func errorsIn(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n >= 8:
		return 2
	case n >= 4:
		return 1
	}
	return 0
}

// Correct adds to the queries the words that differ from words of the terms by typing errors. In the caller's own library only
// words that it does not have can have errors, unless it has all of them. In others each can, because hits must not depend on words
// of items that the caller may not see. Correct reports whether it has added any.
func Correct(ctx context.Context, v Vocabulary, me int64, all []InLibrary) (added bool, err error) {
	left := maxRead
	for i := range all[:min(len(all), maxCorrected)] {
		l := &all[i]
		l.Typos = slices.Clone(l.Forms)
		unknown := make([]bool, len(l.Forms))
		for j, t := range l.Forms {
			if l.Owner == me && t.Expandable() && errorsIn(t.Words[0]) > 0 {
				if unknown[j], err = v.Absent(ctx, l.Owner, t); err != nil {
					return false, err
				}
			}
		}
		every := !slices.Contains(unknown, true)
		for j := range l.Typos {
			t := &l.Typos[j]
			if !t.Expandable() || !unknown[j] && !every {
				continue
			}
			similar, err := similarWords(ctx, v, l.Owner, t.Words[0], &left)
			if err != nil {
				return false, err
			}
			t.Also = slices.Clone(t.Also)
			for _, word := range similar {
				if word != t.Words[0] && !slices.Contains(t.Also, word) {
					t.Also, added = append(t.Also, word), true
				}
			}
		}
	}
	return added, nil
}

// similarWords returns the words of a vocabulary that differ from a word by typing errors, those with the fewest first, and then in
// lexical order. It reads at most left words, and subtracts those that it has read: words with a beginning that is already too
// different are skipped.
func similarWords(ctx context.Context, v Vocabulary, owner int64, word string, left *int) ([]string, error) {
	type candidate struct {
		word     string
		distance int
	}
	most := errorsIn(word)
	if most == 0 {
		return nil, nil
	}
	d := newDistance(word, most)
	var near []candidate
	for next, more := "", true; more && *left > 0; {
		more = false
		for found, err := range v.Words(ctx, owner, next, word, most) {
			if err != nil {
				return nil, err
			}
			more = true
			*left--
			if found < next {
				continue
			}
			distance, dead := d.of(found)
			if distance <= most {
				near = append(near, candidate{found, distance})
			}
			if dead > 0 {
				next = after(found[:dead])
			} else {
				next = found + "\x01"
			}
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var words []string
	for _, c := range near[:min(len(near), MaxForms)] {
		words = append(words, c.word)
	}
	return words, nil
}

// after returns a text that follows all words that begin so. It is valid UTF-8, unlike the byte 0xff.
func after(beginning string) string { return beginning + string(utf8.MaxRune) }
