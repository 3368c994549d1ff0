package wordstats

import (
	"sync"
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// sigma decides which sigmas of a word are final, one code point at a time, with the same result as
// package cases for the complete word: a sigma is final after a cased code point if no cased code
// point follows. Ignorable code points between them do not count.
type sigma struct {
	follows bool // a cased code point precedes the next one
	open    bool // the last sigma is final unless a cased code point follows
	ignored int  // code points after the open sigma
}

// maxIgnored is the maximum number of code points that package cases ignores after a sigma.
const maxIgnored = 31

// add continues with r. It reports whether r is a sigma that is final so far, and whether the previous
// open sigma is not final.
func (s *sigma) add(r rune) (final, revoked bool) {
	c := contextOf(r)
	if s.open {
		if c&ignorable == 0 {
			s.open = false
			revoked = c&cased != 0
		} else {
			s.ignored++
			s.open = s.ignored < maxIgnored
			return false, false
		}
	}
	switch {
	case !s.follows:
		s.follows = c&cased != 0
	case c == 0:
		s.follows = false
	case r == 'Σ':
		s.open, s.ignored = true, 0
		return true, revoked
	}
	return false, revoked
}

// Properties of a code point that decide whether a sigma is final.
const (
	cased     = 1 << iota // Cased, as defined by the Unicode Standard
	ignorable             // Case_Ignorable
)

func contextOf(r rune) uint8 {
	if r < unicode.MaxASCII {
		return asciiContexts[r]
	}
	tables := contexts()
	c := uint8(0)
	if unicode.Is(tables.cased, r) {
		c |= cased
	}
	if unicode.Is(tables.ignorable, r) {
		c |= ignorable
	}
	return c
}

var asciiContexts = func() (c [unicode.MaxASCII]uint8) {
	for r := range c {
		switch {
		case 'a' <= r|0x20 && r|0x20 <= 'z':
			c[r] = cased
		case r == '\'' || r == '.' || r == ':' || r == '^' || r == '`':
			c[r] = ignorable
		}
	}
	return c
}()

type contextTables struct{ cased, ignorable *unicode.RangeTable }

var contexts = sync.OnceValue(func() contextTables {
	// In addition to these categories: MidLetter, MidNumLet and Single_Quote of UAX #29.
	joining := rangetable.New('\'', '.', ':', '\u00B7', '\u0387', '\u055F', '\u05F4', '\u2018', '\u2019', '\u2024', '\u2027',
		'\uFE13', '\uFE52', '\uFE55', '\uFF07', '\uFF0E', '\uFF1A')
	return contextTables{
		cased:     rangetable.Merge(unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase),
		ignorable: rangetable.Merge(unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk, joining),
	}
})
