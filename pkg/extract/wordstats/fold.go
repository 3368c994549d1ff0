package wordstats

import (
	"fmt"
	"unicode/utf8"
)

// fold returns the lower-case form of a word of at most maxSegment bytes. The result is a slice of
// word or of c.folded.
func (c *counter) fold(word []byte, properties uint8) ([]byte, error) {
	if isAllASCII(word) {
		for i, b := range word {
			c.folded[i] = b | 0x20
		}
		return c.folded[:len(word)], nil
	}
	if properties&changesCase == 0 {
		return word, nil
	}
	if !utf8.Valid(word) {
		word = []byte(string([]rune(string(word))))
	}
	n, _, err := c.lower.Transform(c.folded[:], word, true)
	if err != nil {
		return nil, fmt.Errorf("lower-casing a word: %w", err)
	}
	return c.folded[:n], nil
}

func isAllASCII(word []byte) bool {
	for _, b := range word {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
