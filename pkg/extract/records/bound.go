package records

import (
	"cmp"
	"encoding/json"

	"github.com/assay-project/assay/pkg/extract/decimal"
)

// bound is a number of a column.
type bound struct {
	value float64
	text  string // the number with all digits if value has fewer, otherwise ""
}

// exactDigits is the number of significant digits that each float64 keeps.
const exactDigits = 15

// boundOf returns the bound of a number that has been parsed from text.
func boundOf(value float64, text string) bound {
	if len(text) <= exactDigits {
		return bound{value: value}
	}
	n, ok := decimal.Parse(certain(text))
	if !ok {
		return bound{value: value}
	}
	if _, exact := n.Float64(); exact {
		return bound{value: value}
	}
	return bound{value, n.String()}
}

// compare returns -1 if b is less than c, 0 if they are equal, and 1 otherwise.
func (b bound) compare(c bound) int {
	if order := cmp.Compare(b.value, c.value); order != 0 || b.text == c.text {
		return order
	}
	return b.decimal().Compare(c.decimal())
}

func (b bound) decimal() decimal.Number {
	if b.text == "" {
		n, _ := decimal.Of(b.value)
		return n
	}
	n, _ := decimal.Parse(b.text)
	return n
}

// exact returns the number with all of its digits: a float64 or a json.Number.
func (b bound) exact() any {
	if b.text == "" {
		return b.value
	}
	return json.Number(b.text)
}
