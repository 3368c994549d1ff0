package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

const (
	maxSample  = 16 << 10 // bytes of words beyond ASCII from which a charset is detected
	maxContext = 2 << 10  // bytes of words in ASCII, which tell languages but not charsets apart
	maxPart    = 4 << 10  // bytes of one word; a longer one is cut
)

// Evidence collects what the bytes of a text say about its charset, in constant memory. Write all of the
// text to it, then call Guess. The zero value is ready for use.
type Evidence struct {
	// Valid is the number of characters beyond ASCII that are valid UTF-8, Invalid that of the bytes
	// that are not, without a character that the end of the text cuts.
	Valid, Invalid int64

	cut     []byte // the start of a UTF-8 character
	part    []byte // the start of a word
	high    bool   // the word contains a byte beyond ASCII
	sample  []byte // words beyond ASCII, each followed by a space
	context []byte // words in ASCII, each followed by a space
	escaped []byte // the text from the first escape sequence of ISO-2022-JP on
}

// Write adds the next bytes of the text. It never fails.
func (e *Evidence) Write(p []byte) (int, error) {
	e.count(p)
	e.escapes(p)
	for rest := p; len(rest) > 0 && len(e.sample) < maxSample; {
		if len(e.part) == 0 && len(e.context) >= maxContext {
			first := ASCIIPrefix(rest)
			if first == len(rest) && rest[first-1] <= ' ' {
				break
			}
			rest = rest[lastSpace(rest[:first])+1:]
		}
		end := 0
		for end < len(rest) && rest[end] > ' ' {
			e.high = e.high || rest[end] >= utf8.RuneSelf
			end++
		}
		e.part = append(e.part, rest[:end]...)
		if end < len(rest) || len(e.part) >= maxPart {
			e.endPart()
			end = min(end+1, len(rest))
		}
		rest = rest[end:]
	}
	return len(p), nil
}

func lastSpace(text []byte) int {
	return bytes.LastIndexFunc(text, func(r rune) bool { return r <= ' ' })
}

func (e *Evidence) endPart() {
	switch {
	case e.high:
		e.sample = append(append(e.sample, e.part...), ' ')
	case len(e.part) > 0 && len(e.context) < maxContext:
		e.context = append(append(e.context, e.part...), ' ')
	}
	e.part, e.high = e.part[:0], false
}

// count counts characters in UTF-8.
func (e *Evidence) count(p []byte) {
	if len(e.cut) > 0 {
		e.cut = append(e.cut, p[:min(len(p), utf8.UTFMax)]...)
		if !utf8.FullRune(e.cut) {
			return
		}
		added := len(p[:min(len(p), utf8.UTFMax)])
		before := len(e.cut) - added
		at := 0
		for at < before {
			at += e.character(e.cut[at:])
		}
		p, e.cut = p[at-before:], e.cut[:0]
	}
	for {
		p = p[ASCIIPrefix(p):]
		if len(p) == 0 {
			return
		}
		if !utf8.FullRune(p) {
			e.cut = append(e.cut, p...)
			return
		}
		p = p[e.character(p):]
	}
}

// character counts the first character of p and returns its size in bytes.
func (e *Evidence) character(p []byte) int {
	r, size := utf8.DecodeRune(p)
	switch {
	case r == utf8.RuneError && size == 1:
		e.Invalid++
	case size > 1:
		e.Valid++
	}
	return size
}

// escapes keeps the text from the first escape sequence of ISO-2022-JP on.
func (e *Evidence) escapes(p []byte) {
	if len(e.escaped) == 0 {
		at := FindEscape(p)
		if at < 0 {
			return
		}
		p = p[at:]
	}
	e.escaped = append(e.escaped, p[:min(len(p), maxSample-min(maxSample, len(e.escaped)))]...)
}

// FindEscape returns the position of the first escape sequence that may be one of ISO-2022-JP, or -1. A
// sequence that the end of p cuts counts.
func FindEscape(p []byte) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(p[at:], 0x1B)
		if next < 0 {
			return -1
		}
		at += next
		if at+1 == len(p) || p[at+1] == '$' || p[at+1] == '(' {
			return at
		}
	}
}

// ASCIIPrefix returns the number of ASCII bytes at the start of p.
func ASCIIPrefix(p []byte) int {
	const step, upperBits = 32, 0x8080808080808080
	n := 0
	for ; n+step <= len(p); n += step {
		d := p[n : n+step]
		all := binary.LittleEndian.Uint64(d) | binary.LittleEndian.Uint64(d[8:]) |
			binary.LittleEndian.Uint64(d[16:]) | binary.LittleEndian.Uint64(d[24:])
		if all&upperBits != 0 {
			break
		}
	}
	for n < len(p) && p[n] < utf8.RuneSelf {
		n++
	}
	return n
}
