package grammar

import (
	"embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Each file of lexicon lists the words of a language for the symbols of the rules; common.txt those of every language.
//
//go:embed lexicon
var files embed.FS

// languages lists the languages in the order of preference for a prompt that is understood equally in several.
var languages = sync.OnceValue(func() []*language {
	var all []*language
	for _, name := range []string{"english", "german", "french", "spanish", "italian", "portuguese"} {
		all = append(all, load(name))
	}
	return all
})

// language maps words, and sequences of words, to symbols.
type language struct {
	name    string
	symbols map[string]string
	longest int // words of the longest sequence
}

func load(name string) *language {
	l := &language{name: name, symbols: map[string]string{}}
	for _, file := range []string{name, "common"} {
		text, err := files.ReadFile("lexicon/" + file + ".txt")
		if err != nil {
			panic("grammar: " + err.Error()) // the file is embedded
		}
		for line := range strings.Lines(string(text)) {
			symbol, words, found := strings.Cut(strings.TrimSpace(line), " ")
			if !found || strings.HasPrefix(line, "#") {
				continue
			}
			for entry := range strings.SplitSeq(words, ",") {
				l.add(symbol, entry)
			}
		}
	}
	return l
}

// add adds an entry, unless it has another symbol already.
func (l *language) add(symbol, entry string) {
	var key []string
	for _, t := range scan(entry) {
		key = append(key, l.fold(t.word))
	}
	if joined := strings.Join(key, " "); joined != "" && l.symbols[joined] == "" {
		l.symbols[joined] = symbol
		l.longest = max(l.longest, len(key))
	}
}

// fold makes the spellings of a word equal. German umlauts are also written as two letters.
func (l *language) fold(word string) string {
	if l.name != "german" {
		return word
	}
	return strings.NewReplacer("ae", "a", "oe", "o", "ue", "u").Replace(word)
}

// plain returns a word in lower case and without accents.
func plain(word string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(word)) {
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case !unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
