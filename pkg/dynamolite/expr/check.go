package expr

import (
	"slices"
	"strconv"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// checker finds errors in a well-formed expression. Like DynamoDB, it walks the
// expression twice: place checks names, functions and their positions; bind
// checks placeholders and the types of operands. Only the first error is recorded;
// later checks have no effect.
type checker struct {
	label  string
	values attr.Item
	// byValue means that a check depends on a value, not only on its kind.
	byValue bool
	err     error
}

func (c *checker) fail(message string) {
	if c.err == nil {
		c.err = invalid("Invalid " + c.label + ": " + message)
	}
}

// place checks n as a condition if condition is true, and as an operand otherwise.
func (c *checker) place(n *node, condition bool) {
	switch {
	case c.err != nil:
		return
	case n.op == opPath:
		c.steps(n.path)
		return
	case n.op == opUnknown:
		c.fail("Invalid function name; function: " + n.text)
	case n.op == opIfNotExists || n.op == opListAppend:
		c.fail("The function is not allowed in a condition expression; function: " + n.text)
	case n.op >= opExists && n.op.isCondition() != condition:
		c.fail("The function is not allowed to be used this way in an expression; function: " + n.text)
	case n.op >= opExists:
		c.count(n)
	}
	for _, arg := range n.args {
		c.place(arg, n.op == opAnd || n.op == opOr || n.op == opNot)
	}
}

func (c *checker) steps(path Path) {
	for _, s := range path {
		switch s.kind {
		case indexTooLarge:
			c.fail("List index is not within the allowable range; index: [" + s.name + "]")
		case reservedWord:
			c.fail("Attribute name is a reserved keyword; reserved keyword: " + s.name)
		}
	}
}

// count checks the number of a function's operands.
func (c *checker) count(n *node) {
	if len(n.args) != n.op.arity() {
		c.fail("Incorrect number of operands for operator or function; operator or function: " +
			n.text + ", number of operands: " + strconv.Itoa(len(n.args)))
	}
}

// bind checks placeholders and operands, innermost first.
func (c *checker) bind(n *node) {
	for _, arg := range n.args {
		c.bind(arg)
	}
	if c.err != nil {
		return
	}
	switch n.op {
	case opPath:
		c.names(n.path)
		if len(n.path) > maxPathDepth {
			c.fail("The document path has too many nesting levels; nesting levels: " + strconv.Itoa(len(n.path)))
		}
	case opValue:
		if n.kind == attr.Invalid {
			c.fail("An expression attribute value used in expression is not defined; attribute value: " + n.text)
		}
	case opEqual, opNotEqual, opContains:
		c.distinct(n)
	case opLess, opLessEqual, opGreater, opGreaterEqual:
		c.distinct(n)
		c.types(n, attr.S, attr.N, attr.B)
	case opBetween:
		c.distinct(n)
		c.types(n, attr.S, attr.N, attr.B)
		c.bounds(n.args[1], n.args[2])
	case opIn:
		if count := len(n.args) - 1; count > maxOperands {
			c.fail("The IN operator is provided with too many operands; number of operands: " + strconv.Itoa(count))
		}
		c.distinct(n)
	case opExists, opNotExists:
		c.needPath(n)
	case opType:
		c.needPath(n)
		c.typeName(n.args[1])
	case opBeginsWith:
		c.distinct(n)
		c.types(n, attr.S, attr.B)
	case opSize:
		c.types(n, attr.S, attr.B, attr.SS, attr.NS, attr.BS, attr.L, attr.M)
	case opIfNotExists:
		c.needPath(n)
		c.distinct(n)
	case opListAppend:
		c.types(n, attr.L)
	case opPlus, opMinus:
		c.types(n, attr.N)
	}
}

func (c *checker) names(path Path) {
	for _, s := range path {
		if s.kind == undefinedName {
			c.fail("An expression attribute name used in the document path is not defined; attribute name: " + s.name)
		}
	}
}

// distinct checks that no other operand has the same path as the first one.
func (c *checker) distinct(n *node) {
	first := n.args[0]
	for _, other := range n.args[1:] {
		if first.op == opPath && other.op == opPath && slices.Equal(first.path, other.path) {
			c.fail("The first operand must be distinct from the remaining operands for this operator or function; operator: " +
				n.op.String() + ", first operand: " + first.path.String())
		}
	}
}

// staticKind returns the kind of an operand, or Invalid if the kind depends on the
// item.
func (n *node) staticKind() attr.Kind {
	if n.op == opSize {
		return attr.N
	}
	return n.kind
}

// types checks that every operand of n with a known kind has an allowed kind.
func (c *checker) types(n *node, allowed ...attr.Kind) {
	for _, arg := range n.args {
		if kind := arg.staticKind(); kind != attr.Invalid && !slices.Contains(allowed, kind) {
			c.operandType(n.op, kind.String())
		}
	}
}

func (c *checker) operandType(o op, kind string) {
	c.fail("Incorrect operand type for operator or function; operator or function: " + o.String() + ", operand type: " + kind)
}

func (c *checker) needPath(n *node) {
	if n.args[0].op != opPath {
		c.fail("Operator or function requires a document path; operator or function: " + n.op.String())
	}
}

// typeName checks the second operand of attribute_type, which must be a value
// that names a type.
func (c *checker) typeName(n *node) {
	switch kind := n.staticKind(); {
	case n.op == opPath:
		c.operandType(opType, "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")
	case kind != attr.S:
		c.operandType(opType, kind.String())
	default:
		c.byValue = true
		name := c.values.Of(n.text).Str
		if _, ok := attr.ParseKind(name); !ok {
			c.fail("Invalid attribute type name found; type: " + name + ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}")
		}
	}
}

// bounds checks the bounds of BETWEEN if both are values.
func (c *checker) bounds(low, high *node) {
	if low.op != opValue || high.op != opValue {
		return
	}
	c.byValue = true
	least, most := c.values.Of(low.text), c.values.Of(high.text)
	order, comparable := attr.Compare(least, most)
	problem := ""
	switch {
	case !comparable:
		problem = "same data type for lower and upper bounds"
	case order > 0:
		problem = "upper bound to be greater than or equal to lower bound"
	default:
		return
	}
	c.fail("The BETWEEN operator requires " + problem + "; lower bound operand: AttributeValue: " +
		boundText(least) + ", upper bound operand: AttributeValue: " + boundText(most))
}

func boundText(v attr.Value) string {
	switch v.Kind {
	case attr.N:
		return "{N:" + v.Num.String() + "}"
	case attr.B:
		size := strconv.Itoa(len(v.Str))
		return "{B:java.nio.HeapByteBuffer[pos=0 lim=" + size + " cap=" + size + "]}"
	}
	return "{" + v.Kind.String() + ":" + v.Str + "}"
}
