package wordstats

// Word_Break classes of UAX #29, table 3. Format and Extend have the same rules and share a class.
// Letters that are also pictographs have a class of their own.
const (
	classOther = iota
	classALetter
	classALetterPictograph
	classHebrewLetter
	classNumeric
	classKatakana
	classExtendNumLet
	classMidLetter
	classMidNum
	classMidNumLet
	classSingleQuote
	classDoubleQuote
	classCR
	classLF
	classNewline
	classExtend
	classZWJ
	classRegionalIndicator
	classWSegSpace
	classPictograph
	classCount
)

// A property byte contains a class and two properties of the code point.
const (
	classMask     = 0x1F
	letterOrDigit = 0x20 // general category L or N
	changesCase   = 0x40 // its lower case is another code point, or several
)

// States of the segmenter: which code points may continue the segment. Code points that rule WB4
// ignores do not change the state.
const (
	stateStart = iota // nothing read yet
	stateOther
	stateALetter
	stateHebrewLetter
	stateNumeric
	stateKatakana
	stateExtendNumLet
	stateOddRegional // an odd number of regional indicators
	stateCR
	stateNewline
	stateSpace
	stateHebrewQuote // a Hebrew letter and a single quote
	// The states below are open: the last middle character belongs to the segment only if a suitable
	// character follows it.
	stateLetterMiddle
	stateHebrewDoubleQuote
	stateNumericMiddle

	firstOpen = stateLetterMiddle
	stateMask = 0x0F
	afterZWJ  = 0x10 // flag: the last code point was a zero width joiner
)

// The effect of a code point on the segment before it.
const (
	joins       = 0x00
	breaks      = 0x20 // the boundary is before the code point
	breaksEarly = 0x40 // the boundary is before the open middle character, which begins the next segment
	effectMask  = 0x60
)

// transitions contains the next state and the effect for a state and a class. After breaks the next state
// is that of the new segment; after breaksEarly it is that of the new segment before the code point,
// which must be processed again. Both dimensions have the size of a mask, so no index is out of
// bounds.
type transitions [2 * (stateMask + 1)][classMask + 1]uint8

var wordBreaks = newTransitions()

func newTransitions() *transitions {
	var t transitions
	for state := range len(t) {
		for class := range classCount {
			t[state][class] = transition(uint8(state), class)
		}
	}
	return &t
}

// transition applies the rules of UAX #29, section 4.1, whose numbers are in the comments.
func transition(state uint8, class int) uint8 {
	base, joiner := state&stateMask, state&afterZWJ != 0
	first := firstState(class)
	if base == stateStart {
		return first
	}
	letter := class == classALetter || class == classALetterPictograph || class == classHebrewLetter
	quote := class == classSingleQuote
	ignored := class == classExtend || class == classZWJ
	if ignored && base != stateCR && base != stateNewline { // WB4
		if base == stateSpace {
			base = stateOther
		}
		if class == classZWJ {
			base |= afterZWJ
		}
		return base
	}
	follows := false
	switch base {
	case stateCR: // WB3
		follows = class == classLF
	case stateALetter, stateHebrewLetter:
		if base == stateHebrewLetter && quote { // WB7a
			return stateHebrewQuote
		}
		if base == stateHebrewLetter && class == classDoubleQuote { // WB7b
			return stateHebrewDoubleQuote
		}
		if class == classMidLetter || class == classMidNumLet || quote { // WB6
			return stateLetterMiddle
		}
		follows = letter || class == classNumeric || class == classExtendNumLet // WB5, WB9, WB13a
	case stateNumeric:
		if class == classMidNum || class == classMidNumLet || quote { // WB12
			return stateNumericMiddle
		}
		follows = class == classNumeric || letter || class == classExtendNumLet // WB8, WB10, WB13a
	case stateKatakana:
		follows = class == classKatakana || class == classExtendNumLet // WB13, WB13a
	case stateExtendNumLet: // WB13a, WB13b
		follows = letter || class == classNumeric || class == classKatakana || class == classExtendNumLet
	case stateOddRegional: // WB15, WB16
		if class == classRegionalIndicator {
			return stateOther
		}
	case stateSpace: // WB3d
		follows = class == classWSegSpace
	case stateHebrewQuote: // WB7
		follows = letter
	case stateLetterMiddle: // WB7
		follows = letter
	case stateHebrewDoubleQuote: // WB7c
		follows = class == classHebrewLetter
	case stateNumericMiddle: // WB11
		follows = class == classNumeric
	}
	if follows {
		return first
	}
	if base >= firstOpen {
		return stateOther | state&afterZWJ | breaksEarly
	}
	if joiner && (class == classPictograph || class == classALetterPictograph) { // WB3c
		return first
	}
	return first | breaks // WB3a, WB3b, WB999
}

// firstState returns the state after a first code point of the class.
func firstState(class int) uint8 {
	switch class {
	case classALetter, classALetterPictograph:
		return stateALetter
	case classHebrewLetter:
		return stateHebrewLetter
	case classNumeric:
		return stateNumeric
	case classKatakana:
		return stateKatakana
	case classExtendNumLet:
		return stateExtendNumLet
	case classRegionalIndicator:
		return stateOddRegional
	case classCR:
		return stateCR
	case classLF, classNewline:
		return stateNewline
	case classWSegSpace:
		return stateSpace
	case classZWJ:
		return stateOther | afterZWJ
	}
	return stateOther
}

// property returns the property byte of a code point.
func property(r rune) uint8 {
	if r < tableEnd {
		return propertyBlocks[uint(propertyIndex[r>>6])<<6|uint(r&63)]
	}
	for _, s := range propertySpans {
		if r <= s.last {
			if r >= s.first {
				return s.property
			}
			break
		}
	}
	return classOther
}

// propertySpan assigns a property byte to all code points from first to last.
type propertySpan struct {
	first, last rune
	property    uint8
}
