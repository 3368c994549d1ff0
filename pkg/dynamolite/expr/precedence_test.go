package expr

import (
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"pgregory.net/rapid"
)

// formula draws a condition on the attributes t (present) and f (missing), with only
// the parentheses that it needs, and returns it with its value. binds is the loosest
// operator that needs no parentheses: 0 is OR, 1 is AND, 2 is NOT.
func formula(t *rapid.T, depth, binds int) (src string, holds bool) {
	level := 3
	if depth > 0 {
		level = rapid.IntRange(0, 3).Draw(t, "operator")
	}
	switch level {
	case 0:
		a, av := formula(t, depth-1, 0)
		b, bv := formula(t, depth-1, 1)
		src, holds = a+" OR "+b, av || bv
	case 1:
		a, av := formula(t, depth-1, 1)
		b, bv := formula(t, depth-1, 2)
		src, holds = a+" and "+b, av && bv
	case 2:
		a, av := formula(t, depth-1, 2)
		src, holds = "NOT "+a, !av
	default:
		if rapid.Bool().Draw(t, "leaf") {
			return "attribute_exists(t)", true
		}
		return "f BETWEEN :n AND :n2", false
	}
	if level < binds {
		src = "(" + src + ")"
	}
	return src, holds
}

func TestOperatorPrecedence(t *testing.T) {
	item := attr.Item{{Name: "t", Value: attr.Bool(true)}}
	rapid.Check(t, func(rt *rapid.T) {
		src, want := formula(rt, 4, 0)
		c, err := ParseCondition(testScope(t), FilterExpression, src)
		if err != nil {
			rt.Fatalf("%s: %v", src, err)
		}
		if got := c.Eval(item); got != want {
			rt.Fatalf("%s: got %t, want %t", src, got, want)
		}
	})
}
