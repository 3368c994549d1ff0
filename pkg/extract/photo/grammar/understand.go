package grammar

import (
	"reflect"
	"slices"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// result is what was understood of a clause.
type result struct {
	ok         bool
	steps      []operation.Step
	change     *change // the change of a property, if it is one
	background bool    // it is about the background
}

// understand parses the clauses of a sentence. What a clause leaves out is taken from those around it, and a clause that
// refers to one that is not understood is not understood either.
func understand(sentence []clause) []result {
	share(sentence)
	results := make([]result, len(sentence))
	negated := ""
	for i := range sentence {
		c := &sentence[i]
		var before *result
		if i > 0 {
			before = &results[i-1]
		}
		switch {
		case c.has("NOT"):
			negated = "NOT"
		case c.has("NO"):
			negated = "NO"
		case c.link == "BUT", negated == "NO" && c.link == "COMMA":
			negated = ""
		}
		if negated != "" || c.link == "OR" || i+1 < len(sentence) && sentence[i+1].link == "OR" {
			continue
		}
		results[i] = c.parse(before)
		if before != nil && before.replace(c, &results[i]) {
			continue
		}
		if c.link == "SLASH" && before.ok && reflect.DeepEqual(before.steps, results[i].steps) {
			results[i].steps = nil // "lighten/brighten"
		}
	}
	for i := range len(sentence) - 1 {
		if sentence[i+1].link == "SLASH" && results[i].ok != results[i+1].ok {
			results[i], results[i+1] = result{}, result{} // "a brighter/whiter wall"
		}
		// In "blur and brighten the sky", the object of both verbs is not the photo.
		next := &sentence[i+1]
		if results[i].change != nil && sentence[i].bare() && next.link == "AND" && !results[i+1].ok && len(next.tokens) > 1 && next.actsOnProperty() {
			results[i] = result{}
		}
	}
	return results
}

// empty reports whether the clause has no meaning for an edit, such as "please".
func (c *clause) empty() bool { return len(c.tokens) == 0 && !c.object && !c.it }

// bare reports whether the clause is a verb without an object.
func (c *clause) bare() bool { return len(c.tokens) == 1 && !c.object && !c.it }

// actsOnProperty reports whether the clause begins with a word for a property, or with a word that is not known.
func (c *clause) actsOnProperty() bool {
	if len(c.tokens) == 0 {
		return false
	}
	_, found := properties(c.tokens[0].symbol)
	return found || c.tokens[0].symbol == "?"
}

// share copies the degree and the amount of "increase contrast and saturation slightly" to the clauses that they are meant
// for.
func share(sentence []clause) {
	for i := len(sentence) - 1; i > 0; i-- {
		c, before := &sentence[i], &sentence[i-1]
		d, leading, ok := c.degree()
		if d == unspecified {
			d = c.shared
		}
		joined := c.link == "AND" || c.link == "COMMA" || c.link == "SLASH"
		own, _, _ := before.degree()
		if ok && d != unspecified && !leading && joined && !c.has("?") && own == unspecified && !before.has("N", "PCT") && (c.continues() || before.bare() && c.actsOnProperty()) {
			before.shared = d
		}
		number := c.first("N", "PCT")
		if number.symbol == "" {
			number = c.amount
		}
		if joined && !c.has("?") && number.symbol != "" && own == unspecified && !before.has("N", "PCT") && c.continues() {
			before.amount = number
		}
	}
	for i := 1; i < len(sentence); i++ {
		c, before := &sentence[i], &sentence[i-1]
		own, _, _ := c.degree()
		if d, leading, _ := before.degree(); own == unspecified && c.shared == unspecified && leading && c.continues() && !c.has("N", "PCT") {
			c.shared = d
		}
	}
}

// parse parses the clause. before is the result of the clause that it is joined with, or nil.
func (c *clause) parse(before *result) result {
	refers := c.it || c.continues() || c.bare() && isNoun(c.tokens[0].symbol)
	if before != nil && refers && (!before.ok || before.background) && !c.standsAlone() {
		return result{}
	}
	if r := c.instruction(before); r.ok {
		return r
	}
	return c.split()
}

// instruction parses the clause as one instruction.
func (c *clause) instruction(before *result) result {
	ch, ok := c.change()
	if !ok {
		step, ok := c.byRule()
		return result{ok: ok, steps: []operation.Step{step}, background: ok && c.has("BACKGROUND")}
	}
	if ch.degree == unspecified {
		ch.degree = c.shared
	}
	if ch.amount.symbol == "" && ch.degree == unspecified {
		ch.amount = c.amount
	}
	var previous *change
	if before != nil && c.elliptical() {
		previous = before.change
	}
	step, ok := ch.step(previous)
	if !ok {
		return result{}
	}
	if ch.direction == 0 && previous != nil {
		ch.direction, ch.remove = previous.direction, previous.remove
	}
	return result{ok: true, steps: []operation.Step{step}, change: &ch}
}

// continues reports whether the clause continues the one before, because it does not begin with a verb.
func (c *clause) continues() bool {
	return c.elliptical() && (len(c.tokens) == 0 || !slices.Contains(verbs, c.tokens[0].symbol))
}

// standsAlone reports whether the clause names all that it needs, as "black and white" does.
func (c *clause) standsAlone() bool {
	return !c.it && c.has("BW", "SEPIA", "FORMAT", "SIZE", "LEVELS", "WB", "SQUARE", "RATIO", "BACKGROUND", "UPSIDEDOWN", "WATERMARK", "PX", "DEG", "QUALITY", "HALF") ||
		c.has("FORMAT", "ROTATE", "CROP", "RESIZE", "FLIP", "MIRROR")
}

// maxTokens is the maximum number of tokens of a clause with several instructions, which bounds the attempts to split it.
const maxTokens = 24

// split parses two instructions without a word between them, as in "increase contrast sharpen". It splits in front of a
// verb, and only if the part in front is more than a word.
func (c *clause) split() result {
	if len(c.tokens) > maxTokens {
		return result{}
	}
	for i := 1; i < len(c.tokens); i++ {
		if !slices.Contains(verbs, c.tokens[i].symbol) || i == 1 && !c.object {
			continue
		}
		left, right := *c, *c
		left.tokens, right.tokens = c.tokens[:i], c.tokens[i:]
		left.it, right.it, left.link, right.link = false, false, "", ""
		first := left.instruction(nil)
		if !first.ok {
			continue
		}
		if second := right.parse(nil); second.ok {
			if c.tokens[i-1].symbol == "TO" && second.steps[0].Op == first.steps[0].Op {
				return first // "add light to brighten the photo"
			}
			return result{ok: true, steps: append(first.steps, second.steps...), background: first.background || second.background}
		}
	}
	return result{}
}

// replace changes a removed background to a colored one, for "remove the background and make it white". It reports
// whether the clause is such an addition.
func (r *result) replace(c *clause, added *result) bool {
	if !r.ok || len(r.steps) == 0 || r.steps[len(r.steps)-1].Op != operation.RemoveBackground {
		return false
	}
	text := c.symbols()
	switch {
	case text == "TRANSPARENT":
	case text == "COLOR" && (c.has("MAKE", "CHANGE", "TURN") || c.it):
		color, err := operation.ParseColor(c.first("COLOR").text)
		if err != nil {
			return false
		}
		r.steps[len(r.steps)-1] = operation.Step{Op: operation.Background, Color: color}
	default:
		return false
	}
	*added = result{ok: true, background: true}
	return true
}
