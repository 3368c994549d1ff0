package sentiment

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	//go:embed lexicon/words.tsv
	lexiconWords string
	//go:embed lexicon/emoji.tsv
	lexiconEmoji string
)

// maxWord is the maximum length of a word in a dictionary, in bytes.
const maxWord = 23

// key is an ASCII word in lower case, padded with zeros. Its last byte is the length, because a
// text may contain zeros.
type key struct{ first, second, third uint64 }

// dictionary is a hash table from keys to words, with open addressing. A search for a missing word
// stops at a free slot, usually without reading a key, because the tags differ.
type dictionary struct {
	slots []uint32 // 16-bit tag and 16-bit index; 0 is a free slot
	keys  []key
	words []word // words[0] stands for all unknown words
}

// slotBits makes the number of slots about twice the number of words.
const slotBits = 14

func newDictionary() *dictionary {
	d := &dictionary{
		slots: make([]uint32, 1<<slotBits),
		keys:  make([]key, 1, 1<<slotBits/2),
		words: make([]word, 1, 1<<slotBits/2),
	}
	for line := range strings.Lines(lexiconWords) {
		text, measure, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		valence, err := strconv.ParseFloat(measure, 64)
		if err != nil {
			panic(fmt.Sprintf("sentiment: embedded lexicon: %q: %v", line, err))
		}
		if w := d.add(text); w != nil {
			w.valence, w.inLexicon = valence, true
		}
	}
	for _, text := range strings.Fields(boosters) {
		d.add(text).boost = boost
	}
	for _, text := range strings.Fields(dampeners) {
		d.add(text).boost = -boost
	}
	for _, text := range strings.Fields(negations) {
		d.add(text).negates = true
	}
	for i, text := range strings.Fields(termWords) {
		d.add(text).term = term(i + 1)
	}
	return d
}

// add returns the word for the text, and adds it if it is missing. It returns nil for entries that
// no lower-case ASCII word can match: the lexicon has entries with capitals, spaces and non-ASCII
// letters.
func (d *dictionary) add(text string) *word {
	if len(text) > maxWord {
		panic(fmt.Sprintf("sentiment: embedded lexicon: %q is too long", text))
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return nil
		}
	}
	k := keyOf(append([]byte(text), make([]byte, padding)...), len(text))
	if w := d.find(k); w != &d.words[0] {
		return w
	}
	slot, tag := k.hash()
	for d.slots[slot] != 0 {
		slot = (slot + 1) % uint32(len(d.slots))
	}
	d.slots[slot] = tag | uint32(len(d.words))
	d.keys = append(d.keys, k)
	d.words = append(d.words, word{})
	return &d.words[len(d.words)-1]
}

// find returns the word for the key, or &d.words[0] if there is none.
func (d *dictionary) find(k key) *word {
	const mask = 1<<slotBits - 1
	slot, tag := k.hash()
	for slots := (*[mask + 1]uint32)(d.slots); ; slot++ {
		found := slots[slot&mask]
		if found == 0 {
			return &d.words[0]
		}
		if i := found & 0xffff; found&^0xffff == tag && d.keys[i] == k {
			return &d.words[i]
		}
	}
}

// hash returns the slot where the search starts, and the tag in the upper half of a slot value.
func (k key) hash() (slot, tag uint32) {
	// Odd multipliers derived from the golden ratio and the square roots of 3 and 5.
	h := k.first*0x9e3779b97f4a7c15 ^ k.second*0xbb67ae8584caa73b ^ k.third*0x3c6ef372fe94f82b
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	return uint32(h >> (64 - slotBits)), uint32(h>>16) &^ 0xffff
}

// padding is the number of bytes after a word that keyOf may read.
const padding = 8

// keyOf returns the key of text[:n], which is ASCII. n is from 1 to maxWord.
func keyOf(text []byte, n int) key {
	length := uint64(n) << 56
	switch {
	case n <= 8:
		return key{chunk(text, n), 0, length}
	case n <= 16:
		return key{chunk(text, 8), chunk(text[8:], n-8), length}
	default:
		return key{chunk(text, 8), chunk(text[8:], 8), length | chunk(text[16:], n-16)}
	}
}

// chunk returns text[:n] in lower case, padded with zeros. n is at most 8.
func chunk(text []byte, n int) uint64 {
	return lower(binary.LittleEndian.Uint64(text) & (1<<(8*n) - 1))
}

// lower converts eight ASCII bytes to lower case.
func lower(chunk uint64) uint64 {
	const ones = 0x0101010101010101
	fromA := chunk + (0x80-'A')*ones
	afterZ := chunk + (0x7f-'Z')*ones
	return chunk | (fromA&^afterZ&(0x80*ones))>>2
}
