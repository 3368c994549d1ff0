package language

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/assay-project/assay/pkg/extract/letters"
)

// split returns the different words of a text in lower case, without addresses, names after @ and tags.
func split(text string) [][]rune {
	seen, words := map[string]bool{}, [][]rune(nil)
	for token := range strings.FieldsSeq(strings.ToLower(text)) {
		if strings.ContainsAny(token, "@#") || strings.Contains(token, "://") || strings.HasPrefix(token, "www.") {
			continue
		}
		for word := range strings.FieldsFuncSeq(token, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			letters := unstretch([]rune(word))
			if key := string(letters); len(letters) > 0 && !seen[key] && !everywhere[key] {
				seen[key] = true
				words = append(words, letters)
			}
		}
	}
	return words
}

// everywhere contains words of messages in any language.
var everywhere = map[string]bool{"rt": true, "omg": true, "lol": true, "lmao": true, "rofl": true, "wtf": true, "haha": true, "hahaha": true, "yay": true, "ok": true, "okay": true}

const longestUnit = 6

// unstretch shortens what is repeated in a word at least three times, such as "noooo" or "ahahaha": letters twice, and
// several letters once.
func unstretch(word []rune) []rune {
	for unit := 1; unit <= longestUnit && 3*unit <= len(word); unit++ {
		for at := 0; at+3*unit <= len(word); at++ {
			n := 1
			for at+(n+1)*unit <= len(word) && slices.Equal(word[at:at+unit], word[at+n*unit:at+(n+1)*unit]) {
				n++
			}
			if n >= 3 {
				kept := unit
				if unit == 1 {
					kept = 2
				}
				word = slices.Delete(word, at+kept, at+n*unit)
			}
		}
	}
	return word
}

// script is a part of Unicode with the languages that are written in it.
type script struct {
	table     *unicode.RangeTable
	languages []string
}

// scripts returns the scripts of all languages.
var scripts = sync.OnceValue(func() []script {
	all := []script{
		{unicode.Latin, nil}, {unicode.Cyrillic, nil}, {unicode.Arabic, nil}, {unicode.Devanagari, nil},
		{unicode.Hiragana, []string{"ja"}}, {unicode.Katakana, []string{"ja"}}, {unicode.Hangul, []string{"ko"}}, {unicode.Han, []string{"zh"}},
		{unicode.Greek, []string{"el"}}, {unicode.Hebrew, []string{"he"}}, {unicode.Armenian, []string{"hy"}}, {unicode.Georgian, []string{"ka"}},
		{unicode.Thai, []string{"th"}}, {unicode.Bengali, []string{"bn"}}, {unicode.Gujarati, []string{"gu"}}, {unicode.Gurmukhi, []string{"pa"}},
		{unicode.Tamil, []string{"ta"}}, {unicode.Telugu, []string{"te"}},
	}
	for i, letter := range []rune{'e', 'а', 'ا', 'क'} {
		for name, l := range letters.All() {
			if l.Has(letter) {
				all[i].languages = append(all[i].languages, name)
			}
		}
		slices.Sort(all[i].languages)
	}
	return all
})

// dominant returns the script of most letters, or nil if there is none that is known. Japanese consists mostly of Chinese
// characters.
func dominant(words [][]rune) *script {
	all := scripts()
	counts, letters := make([]int, len(all)), 0
	for _, w := range words {
		for _, r := range w {
			for i, s := range all {
				if unicode.Is(s.table, r) {
					counts[i]++
					letters++
					break
				}
			}
		}
	}
	if letters == 0 {
		return nil
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	const hiragana, katakana, han = 4, 5, 7
	if best == han && (counts[hiragana]+counts[katakana])*10 >= counts[han] {
		best = hiragana
	}
	return &all[best]
}
