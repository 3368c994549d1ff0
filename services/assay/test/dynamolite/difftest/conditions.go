package main

import (
	"fmt"
	"strings"
)

// path draws (generates at random) a document path and returns it with the attribute at its head.
func (g *generator) path() (src, head string) {
	if g.oneIn(40) {
		head = pick(g, "pk", "sk", "g", "h", "x")
		return g.named(head), head
	}
	head = pick(g, attributeKinds...).name
	src = g.named(head)
	if head == "a" && !g.oneIn(3) {
		src += "." + g.named(pick(g, "x", "y", "z"))
		if g.oneIn(4) {
			src += pick(g, "[0]", "[1]", ".x", "[0].y")
		}
	} else if head == "b" && !g.oneIn(3) {
		src += pick(g, "[0]", "[1]", "[2]", "[7]", "[0].x", "[1][0]")
	} else if g.oneIn(60) {
		src += pick(g, ".x", "[0]")
	}
	return src, head
}

// operandFor draws an operand to compare with the attribute head, usually a value
// of the attribute's type.
func (g *generator) operandFor(head string) string {
	switch {
	case g.oneIn(12):
		src, _ := g.path()
		return src
	case g.oneIn(20):
		src, _ := g.path()
		return "size(" + src + ")"
	case head == "a" || head == "b" || head == "x":
		return g.ref(g.anyValue(1))
	}
	return g.ref(g.value(g.kindOf(head), 2))
}

// scalarFor draws an operand for an operator that compares the order of values.
func (g *generator) scalarFor(head string) string {
	if g.oneIn(150) {
		return g.operandFor(head)
	}
	kind := g.kindOf(head)
	if kind != "N" && kind != "B" {
		kind = pick(g, "S", "N", "S")
	}
	return g.ref(g.value(kind, 0))
}

// condition draws a condition with up to depth levels of operators.
func (g *generator) condition(depth int) string {
	if depth > 0 && g.oneIn(2) {
		switch g.rng.IntN(5) {
		case 0:
			return "NOT " + g.group(depth-1)
		case 1:
			return g.condition(depth-1) + " OR " + g.condition(depth-1)
		case 2:
			return "(" + g.condition(depth-1) + " OR " + g.condition(depth-1) + ") AND " + g.comparison()
		default:
			return g.condition(depth-1) + " AND " + g.condition(depth-1)
		}
	}
	return g.comparison()
}

func (g *generator) group(depth int) string {
	if g.oneIn(2) {
		return g.comparison()
	}
	return "(" + g.condition(depth) + " AND " + g.comparison() + ")"
}

func (g *generator) comparison() string {
	src, head := g.path()
	switch g.rng.IntN(12) {
	case 0:
		return "attribute_exists(" + src + ")"
	case 1:
		return "attribute_not_exists(" + src + ")"
	case 2:
		return "attribute_type(" + src + ", " + g.ref(object{"S": pick(g, kinds...)}) + ")"
	case 3:
		return "begins_with(" + src + ", " + g.ref(g.value(pick(g, "S", "S", "B"), 0)) + ")"
	case 4:
		return "contains(" + src + ", " + g.ref(g.value(pick(g, "S", "N", "B"), 0)) + ")"
	case 5:
		low, high := pick(g, "0", "1", "2"), pick(g, "3", "5", "10")
		if g.oneIn(100) {
			low, high = high, low
		}
		return src + " BETWEEN " + g.ref(object{"N": low}) + " AND " + g.ref(object{"N": high})
	case 6:
		operands := []string{}
		for range 1 + g.rng.IntN(3) {
			operands = append(operands, g.operandFor(head))
		}
		return src + " IN (" + strings.Join(operands, ", ") + ")"
	case 7:
		return "size(" + src + ") " + g.comparator() + " " + g.ref(object{"N": pick(g, "0", "1", "2", "3")})
	case 8, 9:
		return src + pick(g, " < ", " <= ", " > ", " >= ") + g.scalarFor(head)
	default:
		return src + pick(g, " = ", " <> ") + g.operandFor(head)
	}
}

func (g *generator) comparator() string { return pick(g, "=", "<>", "<", "<=", ">", ">=") }

// corrupted occasionally makes an expression invalid.
func (g *generator) corrupted(src string) string {
	if !g.oneIn(100) {
		return src
	}
	switch g.rng.IntN(9) {
	case 0:
		return "((" + src + "))"
	case 1:
		at := g.rng.IntN(len(src))
		return src[:at] + src[at+1:]
	case 2:
		return src + " AND"
	case 3:
		return src + " " + pick(g, ")", ",", "x", "=", "!", ":v0")
	case 4:
		return strings.Replace(src, ":v0", ":undefined", 1)
	case 5:
		g.values[":unused"] = object{"S": "x"}
		return src
	case 6:
		g.names["#unused"] = "x"
		return src
	case 7:
		return strings.Replace(src, "(", "(a, ", 1)
	default:
		return fmt.Sprintf("%s OR status = status", src)
	}
}

// projection draws a projection expression.
func (g *generator) projection(t tableSpec) string {
	paths := []string{}
	for range 1 + g.rng.IntN(4) {
		src, _ := g.path()
		paths = append(paths, src)
	}
	if g.oneIn(2) {
		paths = append(paths, g.named(t.keys[0].name))
	}
	return g.corrupted(strings.Join(paths, ", "))
}
