package spectrum

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The standard writes decimal points. Some programs write decimal commas instead, although a comma separates numbers.

var (
	commaNumber = regexp.MustCompile(`^[+-]?\d+,\d+([eE][+-]?\d+)?$`)
	commaTable  = regexp.MustCompile(`^([+-]?\d+(,\d+)?([eE][+-]\d+)?([;\s]+|$))*$`)
)

// label parses the number of a label, also one with a decimal comma.
func label(text string) (float64, bool) {
	if commaNumber.MatchString(text) {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// withPoints returns the lines of a table with decimal points if each comma may be a decimal comma: it is between digits, no
// number has two, and there are no decimal points.
func withPoints(text string) (string, bool) {
	if !strings.Contains(text, ",") || strings.Contains(text, ".") || !commaTable.MatchString(strings.TrimSpace(text)) {
		return "", false
	}
	return strings.ReplaceAll(text, ",", "."), true
}

// commas reports whether a label of the block has a decimal comma.
func (p *parser) commas() bool {
	for _, key := range []string{"FIRSTX", "LASTX", "DELTAX", "XFACTOR", "YFACTOR", "FIRSTY", "LASTY", "MINX", "MAXX", "MINY", "MAXY"} {
		if commaNumber.MatchString(strings.TrimSpace(p.values[key])) {
			return true
		}
	}
	return false
}

// points reads the points of a table. Its commas are decimal commas if only then it has the stated number of points, or if that
// does not decide and the labels have decimal commas.
func (p *parser) points(it item, c *Curve, f form, x, y variable, text string) error {
	read := func(text string) (Curve, []string, error) {
		result, problems := *c, p.spectrum.Problems
		var err error
		if f.stepped {
			err = p.stepped(it, &result, x, y, text)
		} else {
			err = p.pairs(it, &result, f, x, y, text)
		}
		added := p.spectrum.Problems
		p.spectrum.Problems = problems[:len(problems):len(problems)]
		return result, added, err
	}
	points, problems, err := read(text)
	if other, possible := withPoints(text); possible {
		decimal, added, otherErr := read(other)
		asStated := func(c Curve, err error) bool { return err == nil && x.points > 0 && len(c.X) == x.points }
		first, second := asStated(points, err), asStated(decimal, otherErr)
		if otherErr == nil && (second && !first || first == second && p.commas()) {
			*c, p.spectrum.Problems = decimal, added
			p.problem("line %d: commas are read as decimal commas", it.line)
			return nil
		}
	}
	*c, p.spectrum.Problems = points, problems
	return err
}
