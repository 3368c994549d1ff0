// Package letters contains the frequencies of letters, of pairs and of triples of letters in 73 languages.
//
// They are those of lingua-go, see NOTICE. Frequencies are given as costs: the negative binary logarithm of a
// probability, in eighths of a bit. The cost of a text in a language is the sum of the costs of its letters, each given
// the one or two before it in its word: the lower, the likelier the language.
package letters

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"unicode"
)

// Bit is the cost of an event of probability 1/2.
const Bit = 8

// Costs of letters that the statistics of a language do not cover.
const (
	foreign    = 13 * Bit // a letter of another alphabet
	rare       = 12 * Bit // a letter that the language hardly uses
	rarePair   = 4 * Bit  // a pair that the language hardly uses, added to the cost of its letter
	rareTriple = 2 * Bit  // the same for a triple, added to the cost of its pair
	worst      = 14 * Bit
	mixed      = 6 * Bit // a change of alphabet within a word
	thaiMark   = 4 * Bit // a vowel or tone above or below a letter
	unseen     = 255
)

// alphabets is the part of Unicode in which letters are looked up by index.
const alphabets = 0x1F00

//go:embed model.bin
var model []byte

// Language contains the statistics of a language in lower case. It is safe for concurrent use.
type Language struct {
	Name    string
	index   [alphabets]uint8 // 1 + the number of a letter, 0 for any other character
	single  []uint8          // the cost of a letter
	pairs   []uint8          // the cost of a letter after another, by both numbers; nil if unknown
	triples []uint32         // hash table of 1 + the key of a triple, times 256, plus its cost
	signs   map[rune]uint8   // the cost of a character beyond the alphabets
}

// All returns all languages by their ISO 639-1 codes.
var All = sync.OnceValue(func() map[string]*Language {
	all, err := parse(flate.NewReader(bytes.NewReader(model)))
	if err != nil {
		panic(fmt.Sprintf("the embedded model is damaged: %v", err)) // a bug: a test reads it
	}
	return all
})

// Key returns the key of a triple of letters by their numbers, each less than 128.
func Key(first, second, third int) uint32 { return uint32(first<<14 | second<<7 | third) }

// Latin reports whether the language is written in Latin letters.
func (l *Language) Latin() bool { return l.index['e'] > 0 }

// Has reports whether r is a letter of the language, in lower case.
func (l *Language) Has(r rune) bool {
	if r < alphabets {
		return l.index[r] > 0
	}
	_, ok := l.signs[r]
	return ok
}

// Pairs returns the cost of a word in lower case, each letter given the one before it.
func (l *Language) Pairs(word []rune) int { return l.cost(word, false) }

// Triples is like Pairs, but for a letter given the two before it.
func (l *Language) Triples(word []rune) int { return l.cost(word, true) }

func (l *Language) cost(word []rune, triples bool) int {
	sum, first, second := 0, 0, 0 // the numbers of the letters before, plus 1
	latin, wasLatin := false, false
	for i, r := range word {
		latin = r < 0x250 || r >= 0x1E00 && r < 0x1F00
		if i > 0 && latin != wasLatin {
			sum += mixed
		}
		wasLatin = latin
		if l.index[0xE01] > 0 && isThaiMark(r) {
			sum += thaiMark
			continue
		}
		at := 0
		if r < alphabets {
			at = int(l.index[r])
		}
		switch {
		case at > 0:
			sum += l.letter(first, second, at, triples)
		case r >= alphabets:
			sum += l.sign(r)
		case latin == l.Latin():
			sum += rare
		default:
			sum += foreign
		}
		first, second = second, at
	}
	return sum
}

// letter returns the cost of a letter after two others, by their numbers plus 1, or 0 if there are none.
func (l *Language) letter(first, second, third int, triples bool) int {
	cost := int(l.single[third-1])
	if second == 0 || l.pairs == nil {
		return cost
	}
	if pair := l.pairs[(second-1)*len(l.single)+third-1]; pair != unseen {
		cost = int(pair)
	} else {
		cost = min(max(cost+rarePair, 10*Bit), worst)
	}
	if !triples || first == 0 {
		return cost
	}
	if triple, ok := l.triple(Key(first-1, second-1, third-1)); ok {
		return triple
	}
	return min(cost+rareTriple, worst)
}

func isThaiMark(r rune) bool {
	return r == 0xE31 || r >= 0xE33 && r <= 0xE3A || r >= 0xE46 && r <= 0xE4E
}

// sign returns the cost of a character beyond the alphabets.
func (l *Language) sign(r rune) int {
	if cost, ok := l.signs[r]; ok {
		return int(cost)
	}
	switch {
	case len(l.signs) == 0:
		return 17 * Bit
	case r >= 0xFF66 && r <= 0xFF9F: // half-width katakana
		return 12 * Bit
	case unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x4E00 && r <= 0x9FFF:
		return 16 * Bit
	}
	return 19 * Bit
}

func parse(r io.Reader) (map[string]*Language, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	in, all := bytes.NewReader(data), map[string]*Language{}
	for in.Len() > 0 {
		name := make([]byte, 2)
		if _, err := io.ReadFull(in, name); err != nil {
			return nil, err
		}
		l := &Language{Name: string(name), signs: map[rune]uint8{}}
		if err := l.read(in); err != nil {
			return nil, fmt.Errorf("language %s: %w", name, err)
		}
		all[l.Name] = l
	}
	return all, nil
}

// read reads what command train writes.
func (l *Language) read(in *bytes.Reader) error {
	count, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	if count > uint64(in.Len()) {
		return io.ErrUnexpectedEOF
	}
	runes := make([]rune, count)
	for i := range runes {
		r, err := binary.ReadUvarint(in)
		if err != nil {
			return err
		}
		runes[i] = rune(r)
	}
	l.single = make([]uint8, count)
	if _, err := io.ReadFull(in, l.single); err != nil {
		return err
	}
	for i, r := range runes {
		if r < alphabets && count < unseen {
			l.index[r] = uint8(i + 1)
		} else {
			l.signs[r] = l.single[i]
		}
	}
	l.alike()
	if pairs, err := in.ReadByte(); err != nil || pairs == 0 {
		return err
	}
	l.pairs = make([]uint8, count*count)
	if _, err = io.ReadFull(in, l.pairs); err != nil {
		return err
	}
	return l.readTriples(in)
}

// alike makes the letters with a cedilla and with a comma below equal: Romanian is written with
// either, depending on what an encoding has.
func (l *Language) alike() {
	for _, pair := range [][2]rune{{'ş', 'ș'}, {'ţ', 'ț'}} {
		a, b := &l.index[pair[0]], &l.index[pair[1]]
		switch {
		case *a == 0 || *b > 0 && *b < *a:
			*a = *b
		case *b == 0 || *a < *b:
			*b = *a
		}
	}
}
