package expr

import "slices"

type op uint8

const (
	opPath op = iota
	opValue
	opAnd
	opOr
	opNot
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opBetween
	opIn
	opPlus
	opMinus
	opExists
	opNotExists
	opType
	opBeginsWith
	opContains
	opSize
	opIfNotExists
	opListAppend
	opUnknown // a call of an unknown function
)

var opNames = [...]string{
	"", "", "AND", "OR", "NOT", "=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "+", "-",
	"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size",
	"if_not_exists", "list_append", "",
}

// String returns the spelling of the operator or function.
func (o op) String() string { return opNames[o] }

// functionNamed returns the function with the given name, or opUnknown. Names are
// case-sensitive.
func functionNamed(name string) op {
	if i := slices.Index(opNames[opExists:opUnknown], name); i >= 0 {
		return opExists + op(i)
	}
	return opUnknown
}

// isCondition reports whether o is a function that can be a condition.
func (o op) isCondition() bool { return o >= opExists && o <= opContains }

// arity returns the number of operands of the function o.
func (o op) arity() int {
	switch o {
	case opExists, opNotExists, opSize:
		return 1
	}
	return 2
}

// comparator returns the operator for a comparison token.
func comparator(kind tokenKind) (o op, ok bool) {
	if kind < tokEqual || kind > tokGreaterEqual {
		return 0, false
	}
	return opEqual + op(kind-tokEqual), true
}

// mirrored returns the comparator that is equivalent when the operands are
// exchanged.
func (o op) mirrored() op {
	switch o {
	case opLess:
		return opGreater
	case opLessEqual:
		return opGreaterEqual
	case opGreater:
		return opLess
	case opGreaterEqual:
		return opLessEqual
	}
	return o
}
