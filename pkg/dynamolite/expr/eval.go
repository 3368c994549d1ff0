package expr

import (
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// operands are the item and the placeholder values that an expression refers to.
type operands struct{ item, values attr.Item }

// holds evaluates a condition.
func (n *node) holds(from operands) bool {
	switch n.op {
	case opAnd:
		return n.args[0].holds(from) && n.args[1].holds(from)
	case opOr:
		return n.args[0].holds(from) || n.args[1].holds(from)
	case opNot:
		return !n.args[0].holds(from)
	}
	first, found := n.args[0].resolve(from)
	switch n.op {
	case opExists:
		return found
	case opNotExists:
		return !found
	case opType:
		return found && first.Kind.String() == from.values.Of(n.args[1].text).Str
	case opIn:
		return found && slices.ContainsFunc(n.args[1:], func(arg *node) bool {
			v, ok := arg.resolve(from)
			return ok && first.Equal(v)
		})
	}
	second, alsoFound := n.args[1].resolve(from)
	found = found && alsoFound
	switch n.op {
	case opEqual:
		return found && first.Equal(second)
	case opNotEqual:
		return !found || !first.Equal(second)
	case opBeginsWith:
		return found && first.Kind == second.Kind &&
			(first.Kind == attr.S || first.Kind == attr.B) && strings.HasPrefix(first.Str, second.Str)
	case opContains:
		return found && contains(first, second)
	case opBetween:
		third, ok := n.args[2].resolve(from)
		return found && ok && ordered(opGreaterEqual, first, second) && ordered(opLessEqual, first, third)
	default:
		return found && ordered(n.op, first, second)
	}
}

// ordered applies a comparator other than = and <>.
func ordered(o op, a, b attr.Value) bool {
	order, ok := attr.Compare(a, b)
	if !ok {
		return false
	}
	switch o {
	case opLess:
		return order < 0
	case opLessEqual:
		return order <= 0
	case opGreater:
		return order > 0
	default:
		return order >= 0
	}
}

func contains(whole, part attr.Value) bool {
	switch whole.Kind {
	case attr.S, attr.B:
		return part.Kind == whole.Kind && strings.Contains(whole.Str, part.Str)
	case attr.L:
		return slices.ContainsFunc(whole.List, part.Equal)
	case attr.SS, attr.NS, attr.BS:
		return whole.HasMember(part)
	}
	return false
}

// resolve returns the value of an operand of a condition; ok is false if the operand
// has no value for this item.
func (n *node) resolve(from operands) (v attr.Value, ok bool) {
	switch n.op {
	case opValue:
		return from.values.Of(n.text), true
	case opPath:
		return n.path.find(from.item)
	}
	v, ok = n.args[0].resolve(from) // the operand of size
	if !ok {
		return attr.Value{}, false
	}
	size, ok := sizeOf(v)
	return attr.Num(attr.NumberOf(int64(size))), ok
}

// sizeOf implements the function size. DynamoDB counts text in UTF-16 code units
// (measured against AWS by the dynoxide project).
func sizeOf(v attr.Value) (size int, ok bool) {
	switch v.Kind {
	case attr.S:
		for _, r := range v.Str {
			size++
			if r > 0xFFFF {
				size++
			}
		}
		return size, true
	case attr.B:
		return len(v.Str), true
	case attr.M:
		return len(v.Map), true
	case attr.L, attr.SS, attr.NS, attr.BS:
		return len(v.List), true
	}
	return 0, false
}
