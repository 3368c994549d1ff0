package grammar

import (
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// clause is a part of a sentence that asks for one edit, or for several without a word between them.
type clause struct {
	tokens []token // without those that have no meaning for an edit
	link   string  // what is in front of it: "" at the start of a sentence, COMMA, AND, SLASH, BUT or OR
	object bool    // the photo is named, as in "sharpen the image"
	it     bool    // it refers to what was named before
	start  int     // of the prompt
	end    int
	shared degree // of the clauses that it is joined with
	amount token  // of the clauses that it is joined with
}

// has reports whether the clause has a token with one of the symbols.
func (c *clause) has(symbols ...string) bool {
	return slices.ContainsFunc(c.tokens, func(t token) bool { return slices.Contains(symbols, t.symbol) })
}

// first returns the first token with one of the symbols, or the zero token.
func (c *clause) first(symbols ...string) token {
	for _, t := range c.tokens {
		if slices.Contains(symbols, t.symbol) {
			return t
		}
	}
	return token{}
}

// last returns the last token with the symbol, or the zero token.
func (c *clause) last(symbol string) (found token) {
	for _, t := range c.tokens {
		if t.symbol == symbol {
			found = t
		}
	}
	return found
}

// text returns the symbols of the clause except those given, separated by spaces.
func (c *clause) text(except ...string) string {
	var symbols []string
	for _, t := range c.tokens {
		if !slices.Contains(except, t.symbol) {
			symbols = append(symbols, t.symbol)
		}
	}
	return strings.Join(symbols, " ")
}

// sentences splits a prompt into sentences of clauses. A full stop ends a sentence, as do "then" and line ends.
func sentences(tokens []token) (all [][]clause) {
	var sentence []clause
	current := clause{start: -1}
	finish := func(link string) {
		if current.start >= 0 {
			sentence = append(sentence, current)
			current = clause{start: -1}
		}
		if len(sentence) > 0 && (current.link == "" || current.link == "COMMA") {
			current.link = link
		}
		if link == "END" {
			if len(sentence) > 0 {
				all = append(all, sentence)
			}
			sentence, current = nil, clause{start: -1}
		}
	}
	for _, t := range tokens {
		switch t.symbol {
		case "END", "THEN":
			finish("END")
			continue
		case "COMMA", "AND", "BUT", "OR", "SLASH":
			finish(t.symbol)
			continue
		}
		if current.start < 0 {
			current.start = t.start
		}
		current.end = t.end
		switch t.symbol {
		case "FILL":
		case "OBJ":
			current.object = true
		case "IT":
			current.it = true
		default:
			current.tokens = append(current.tokens, t)
		}
	}
	finish("END")
	return all
}

// degree is how strongly an edit is asked for.
type degree string

const (
	unspecified degree = ""
	little      degree = "LITTLE"
	moderate    degree = "MEDIUM"
	much        degree = "MUCH"
)

// strength returns the strength for the degree.
func (d degree) strength() operation.Strength {
	switch d {
	case little:
		return operation.Light
	case much:
		return operation.Strong
	}
	return ""
}

// degree returns the degree of the clause, and whether it is in front of the other words.
func (c *clause) degree() (d degree, leading, ok bool) {
	for i, t := range c.tokens {
		switch found := degree(t.symbol); found {
		case little, moderate, much:
			if d != unspecified && d != found {
				return "", false, false
			}
			d, leading = found, leading || i == 0
		}
	}
	return d, leading, true
}

// verbs are the symbols that begin an instruction.
var verbs = []string{
	"MAKE", "CHANGE", "TURN", "ADD", "UP", "DOWN", "ENHANCE", "REMOVE", "CROP", "RESIZE", "SHRINK", "ENLARGE", "PAD", "ROTATE",
	"STRAIGHTEN", "FLIP", "MIRROR", "BRIGHT", "DARK", "SHARP", "DENOISE", "BLUR", "WATERMARK",
}

// elliptical reports whether the clause takes its verb from the one before, as the second in "reduce noise and contrast".
func (c *clause) elliptical() bool {
	return !slices.ContainsFunc(verbs[:8], func(v string) bool { return c.has(v) })
}
