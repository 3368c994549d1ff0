package grammar

import (
	"math"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// property is something that can be increased and decreased.
type property struct {
	more, less operation.Op // "" if it cannot be changed in this direction
	negative   bool         // less is more with a negative percentage
	removable  bool         // "remove" is the same as "reduce"
	alone      bool         // the noun alone is an instruction
}

// properties maps symbols to properties. The symbol of a verb, and of adjectives with the suffix .C (a comparative) or .P
// (the positive form), increases what the symbol says: DARK increases darkness.
func properties(symbol string) (p property, found bool) {
	switch strings.TrimSuffix(strings.TrimSuffix(symbol, ".C"), ".P") {
	case "BRIGHTNESS", "LIGHT", "BRIGHT":
		p = property{more: operation.Brighten, less: operation.Darken}
	case "DARK":
		p = property{more: operation.Darken, less: operation.Brighten}
	case "CONTRAST":
		p = property{more: operation.Contrast, less: operation.Contrast, negative: true, alone: true}
	case "SATURATION", "COLORS", "VIVID":
		p = property{more: operation.Saturate, less: operation.Saturate, negative: true}
	case "WARMTH", "WARM":
		p = property{more: operation.Warm, less: operation.Cool}
	case "COOL", "COOLNESS":
		p = property{more: operation.Cool, less: operation.Warm}
	case "SHARPNESS", "SHARP":
		p = property{more: operation.Sharpen}
	case "NOISE":
		p = property{less: operation.Denoise, removable: true}
	case "DENOISE":
		p = property{more: operation.Denoise}
	case "BLUR":
		p = property{more: operation.Blur, less: operation.Sharpen, removable: true, alone: true}
	default:
		return property{}, false
	}
	return p, true
}

// nouns are the properties that need a word for the direction.
const nouns = " BRIGHTNESS LIGHT CONTRAST SATURATION COLORS WARMTH COOLNESS SHARPNESS NOISE BLUR "

func isNoun(symbol string) bool { return strings.Contains(nouns, " "+symbol+" ") }

// change is an instruction to change a property.
type change struct {
	property  token
	direction int   // 1 to increase, -1 to decrease, 0 if not given
	remove    bool  // the direction is "remove"
	add       bool  // the direction is "add"
	neutral   bool  // "make", "change", "set"
	amount    token // the zero token if not given
	before    bool  // the amount is in front of the property
	to        bool  // "to" is in front of the amount
	degree    degree
}

// change returns the change that the clause asks for. It returns false if the clause has a word with another meaning.
func (c *clause) change() (ch change, ok bool) {
	ch.degree, _, ok = c.degree()
	if !ok {
		return change{}, false
	}
	directions := 0
	for i, t := range c.tokens {
		_, isProperty := properties(t.symbol)
		switch {
		case t.symbol == "LIGHT" && (ch.property.symbol == "SHARP" || ch.property.symbol == "DENOISE" || ch.property.symbol == "BLUR"):
			ch.degree = little // "sharpen light"
		case isProperty && ch.property.symbol == "":
			ch.property = t
		case isProperty && ch.property.symbol == "COLORS" && ofColors(t.symbol):
			ch.property = t // "make the colors more vivid"
		case t.symbol == "COLORS" && ofColors(ch.property.symbol): // "warmer colors"
		case t.symbol == "UP", t.symbol == "ADD", t.symbol == "ENHANCE":
			if ch.direction < 0 || ch.amount.symbol != "" && !ch.before && (ch.direction > 0 || !isNoun(ch.property.symbol)) {
				return change{}, false // "brighten 20% more"
			}
			ch.direction, ch.add = 1, ch.add || t.symbol == "ADD" && !c.has("UP")
		case t.symbol == "DOWN", t.symbol == "REMOVE":
			ch.remove = ch.remove || t.symbol == "REMOVE"
			ch.direction = -1
			directions++
		case t.symbol == "UPW" || t.symbol == "DOWNW":
			if c.has("TURN") { // "turn the brightness up"
				ch.direction = map[string]int{"UPW": 1, "DOWNW": -1}[t.symbol]
				directions++
			} else if t.symbol == "DOWNW" && ch.property.symbol != "COOL" {
				return change{}, false
			}
		case t.symbol == "MAKE", t.symbol == "CHANGE", t.symbol == "TURN":
			ch.neutral = true
		case t.symbol == "N", t.symbol == "PCT":
			if ch.amount.symbol != "" {
				return change{}, false
			}
			ch.amount, ch.before = t, ch.property.symbol == ""
			ch.to = i > 0 && c.tokens[i-1].symbol == "TO"
		case t.symbol == "BY", t.symbol == "TO", t.symbol == "AS", t.symbol == "OUT" && ch.remove, degree(t.symbol) == little,
			degree(t.symbol) == moderate, degree(t.symbol) == much, (t.symbol == "TOO" || t.symbol == "FROM") && i == len(c.tokens)-1:
		default:
			return change{}, false
		}
	}
	return ch, ch.property.symbol != "" && directions < 2 && (directions == 0 || ch.direction < 0 || c.has("TURN"))
}

// ofColors reports whether a property is one that colors have.
func ofColors(symbol string) bool {
	symbol, _, _ = strings.Cut(symbol, ".")
	switch symbol {
	case "VIVID", "SATURATION", "WARM", "COOL", "WARMTH", "CONTRAST":
		return true
	}
	return false
}

// step returns the step for a change. previous is the change of the clause that it is joined with, whose direction it takes
// over if it has none.
func (ch change) step(previous *change) (operation.Step, bool) {
	symbol := ch.property.symbol
	p, _ := properties(symbol)
	noun, positive := isNoun(symbol), strings.HasSuffix(symbol, ".P")
	if ch.direction == 0 && previous != nil && (noun || positive) && !ch.neutral {
		ch.direction, ch.remove, ch.add = previous.direction, previous.remove, previous.add
	}
	amount, negative := ch.amount.value, ch.amount.value < 0
	if negative {
		if ch.direction != 0 || !noun && !p.negative {
			return operation.Step{}, false
		}
		amount, ch.direction = -amount, -1
	}
	switch {
	case ch.direction != 0:
	case (symbol == "WARMTH" || symbol == "COOLNESS") && ch.neutral: // "apply cool tones"
		ch.direction = 1
	case noun && ch.amount.symbol != "" && !ch.before && (!ch.to || ch.amount.signed): // "brightness 20%"
		ch.direction = 1
	case noun && !p.alone, noun && ch.neutral && symbol != "BLUR", positive && !ch.neutral && previous == nil:
		return operation.Step{}, false
	default:
		ch.direction = 1
	}
	if symbol == "COLORS" && ch.add || ch.remove && !p.removable && ch.degree == unspecified {
		return operation.Step{}, false // "add color" may mean to color a photo in black and white
	}
	step := operation.Step{Op: p.more}
	if ch.direction < 0 {
		step.Op = p.less
		if noun && symbol == "BLUR" && !ch.remove && ch.degree != unspecified {
			return operation.Step{}, false
		}
	}
	switch step.Op {
	case "":
		return operation.Step{}, false
	case operation.Sharpen, operation.Denoise, operation.Blur:
		step.Strength = ch.degree.strength()
		return step, ch.amount.symbol == ""
	}
	step.Percent = map[degree]int{unspecified: 20, moderate: 20, little: 10, much: 40}[ch.degree]
	if ch.amount.symbol != "" {
		step.Percent = int(amount)
	}
	if amount != math.Trunc(amount) || step.Percent < 1 || step.Percent > 100 {
		return operation.Step{}, false
	}
	if ch.direction < 0 && p.negative {
		step.Percent = -step.Percent
	}
	return step, true
}
