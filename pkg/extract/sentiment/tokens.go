package sentiment

import "unicode/utf8"

// token is a word or an emoticon in a text.
type token struct {
	word       *word
	start, end int // offsets in reading.text
	capitals   bool
}

// reading contains the buffers for scoring a text. It is reused.
type reading struct {
	text     []byte // followed by spaces as padding, which end the last token
	tokens   []token
	emphasis bool      // whether some words are in capitals and some are not
	valences []float64 // the nonzero valences of the words
	places   []int     // for each valence, the index of its token
}

// read splits the text into tokens.
func (a *Analyzer) read(r *reading, text string, quotes bool) {
	r.text = a.emoji.appendText(r.text[:0], text, quotes)
	n := len(r.text)
	r.text = append(r.text, "        "[:padding]...)
	r.tokens = r.tokens[:0]
	inCapitals := 0
	for i := 0; ; {
		for i < n && a.classes[r.text[i]] == space {
			i++
		}
		if i == n {
			break
		}
		start, seen := i, class(0)
		for ; ; i++ {
			c := a.classes[r.text[i]]
			if c == space {
				break
			}
			seen |= c
		}
		t := token{start: start, end: i}
		if seen&punctuation != 0 {
			a.strip(r.text, &t, seen)
		}
		t.word = &a.words.words[0]
		if seen&wide != 0 {
			t.capitals = isCapitals(r.text[t.start:t.end])
		} else {
			t.capitals = seen&(capital|small) == capital
			if length := t.end - t.start; length <= maxWord {
				t.word = a.words.find(keyOf(r.text[t.start:], length))
			}
		}
		if t.capitals {
			inCapitals++
		}
		r.tokens = append(r.tokens, t)
	}
	r.emphasis = 0 < inCapitals && inCapitals < len(r.tokens)
}

// strip removes punctuation from both ends of t, unless two characters or fewer would remain.
func (a *Analyzer) strip(text []byte, t *token, seen class) {
	start, end := t.start, t.end
	for start < end && a.classes[text[start]] == punctuation {
		start++
	}
	for start < end && a.classes[text[end-1]] == punctuation {
		end--
	}
	length := end - start
	if seen&wide != 0 {
		length = utf8.RuneCount(text[start:end])
	}
	if length > 2 {
		t.start, t.end = start, end
	}
}

// negates reports whether the token is a negation: a listed word, or one that contains n't.
func (r *reading) negates(t token) bool {
	if t.word.negates {
		return true
	}
	text := r.text[t.start:t.end]
	for i := 1; i+1 < len(text); i++ {
		if text[i] == '\'' && text[i-1]|0x20 == 'n' && text[i+1]|0x20 == 't' {
			return true
		}
	}
	return false
}
