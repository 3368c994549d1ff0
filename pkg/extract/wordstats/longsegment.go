package wordstats

import "unicode/utf8"

// longSegment finds the end of a segment that exceeds the buffer.
type longSegment struct {
	state uint8
	word  *longWord // the segment up to the open middle character
	// tail is the open middle character and the code points after it. A long tail is appended to both
	// possible words: word includes the tail, closed is word without it, and after is the segment that
	// the tail would begin.
	tail          []rune
	closed, after *longWord
	ended         bool
	malformed     bool // a byte was not UTF-8
}

const maxTail = 64 // code points

func newLongSegment() *longSegment {
	return &longSegment{state: stateStart, word: newLongWord()}
}

// scan continues with data. It returns the number of bytes that it consumed and the words that ended:
// the segment and, if the middle character did not join, the segment that the middle character
// begins. It does not consume an incomplete code point at the end of data.
func (l *longSegment) scan(data []byte, atEOF bool) (int, []*longWord, error) {
	var words []*longWord
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if size == 1 && r == utf8.RuneError {
			if !atEOF && !utf8.FullRune(data[at:]) {
				return at, words, nil
			}
			l.malformed = true
		}
		class := property(r) & classMask
		next := wordBreaks[l.state][class]
		if next&effectMask == breaksEarly {
			words = append(words, l.closeEarly())
			l.state = next & (stateMask | afterZWJ)
			next = wordBreaks[l.state][class]
		}
		if next&effectMask == breaks {
			l.ended = true
			return at, append(words, l.word), nil
		}
		if err := l.join(r, next); err != nil {
			return at, words, err
		}
		at += size
	}
	if atEOF {
		if l.state&stateMask >= firstOpen {
			words = append(words, l.closeEarly())
		}
		l.ended = true
		words = append(words, l.word)
	}
	return at, words, nil
}

// join appends a code point and sets the state to next.
func (l *longSegment) join(r rune, next uint8) error {
	wasOpen, isOpen := l.state&stateMask >= firstOpen, next&stateMask >= firstOpen
	l.state = next
	if wasOpen && !isOpen { // the tail is part of the word
		l.appendTail()
		l.closed, l.after = nil, nil
	}
	if !isOpen {
		l.word.append(r)
		return nil
	}
	l.tail = append(l.tail, r)
	if len(l.tail) < maxTail {
		return nil
	}
	if l.closed == nil {
		closed, err := l.word.clone()
		if err != nil {
			return err
		}
		l.closed, l.after = closed, newLongWord()
	}
	l.appendTail()
	return nil
}

func (l *longSegment) appendTail() {
	for _, r := range l.tail {
		l.word.append(r)
		if l.after != nil {
			l.after.append(r)
		}
	}
	l.tail = l.tail[:0]
}

// closeEarly ends the word before its open middle character and starts the next segment there. It
// returns the word that ended.
func (l *longSegment) closeEarly() *longWord {
	closed := l.closed
	if closed == nil {
		closed, l.word = l.word, newLongWord()
	} else {
		l.word = l.after
	}
	l.closed, l.after = nil, nil
	l.appendTail()
	return closed
}
