package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator draws requests. They depend on its seed only, not on the engines'
// responses. Pools of names and values are small, so that conditions hold
// about half of the time.
type generator struct {
	rng    *rand.Rand
	tables []tableSpec
	// Placeholders of the request being drawn.
	names, values object
	// transaction is set while the actions of a transaction are drawn.
	transaction bool
	// Transactions with a token, which can be repeated.
	tokens []request
}

func newGenerator(seed uint64) *generator {
	return &generator{rng: rand.New(rand.NewPCG(seed, 0)), tables: tables()}
}

// oneIn returns true with probability 1/n.
func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

func pick[T any](g *generator, choices ...T) T { return choices[g.rng.IntN(len(choices))] }

// kinds are the types of values, scalars first.
var kinds = []string{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}

// keyValue draws a value for a key attribute, rarely an empty one or one of
// another type.
func (g *generator) keyValue(kind string) object {
	if g.oneIn(500) {
		kind = pick(g, kinds...)
	}
	switch kind {
	case "S":
		// No U+0000: the rival's begins_with stops at it.
		if g.oneIn(500) {
			return object{"S": ""}
		}
		return object{"S": pick(g, "a", "b", "ab", "abc", "ab%", "é", "\U0001F600", "z\u0001y", "z")}
	case "N":
		return object{"N": pick(g, "0", "1", "-1", "10", "9", "2.5", "-2.5", "1E3", "1E-130", "-9.99E125", "007", "12345678901234567890123456789012345678")}
	case "B":
		if g.oneIn(500) {
			return object{"B": ""}
		}
		return object{"B": encoded(pick(g, "\x00", "\x00\xff", "\x00\x00", "\x01", "\xff", "ab", "abc"))}
	}
	return g.value(kind, 1)
}

func encoded(raw string) string { return base64.StdEncoding.EncodeToString([]byte(raw)) }

func (g *generator) number() string {
	if g.oneIn(1500) {
		return pick(g, "abc", "", "1E126", "1E-131", "1234567890123456789012345678901234567891")
	}
	return pick(g, "0", "1", "-1", "2", "5", "5.0", "10", "0.1", "1E2", "-3.25", "+7", "3", "4",
		"12345678901234567890123456789012345678", "1E-130", "9.9999999999999999999999999999999999999E125", "0.00000000000000000001")
}

func (g *generator) text() string {
	return pick(g, "", "a", "b", "ab", "abc", "abcabc", "é", "\U0001F600x", "x\ny", `q"\`)
}

func (g *generator) bytes() string { return pick(g, "", "\x00", "ab", "abc", "\xff\x00") }

// value draws a value of the given type; depth bounds nesting.
func (g *generator) value(kind string, depth int) object {
	if g.oneIn(3000) {
		return pick(g, object{}, object{"S": "a", "N": "1"}, object{"NULL": false}, object{"SS": list{}}, object{"NS": list{"1", "1.0"}}, object{"BS": list{}})
	}
	var v any
	switch kind {
	case "S":
		v = g.text()
	case "N":
		v = g.number()
	case "B":
		v = encoded(g.bytes())
	case "BOOL":
		v = g.oneIn(2)
	case "NULL":
		v = true
	case "L":
		elems := list{}
		for range g.rng.IntN(4) {
			elems = append(elems, g.anyValue(depth-1))
		}
		v = elems
	case "M":
		members := object{}
		for _, name := range []string{"x", "y", "z"} {
			if g.oneIn(2) {
				members[name] = g.anyValue(depth - 1)
			}
		}
		v = members
	default:
		v = g.members(kind[:1])
	}
	return object{kind: v}
}

// members draws the members of a set, occasionally with a duplicate. Numbers
// are in canonical form: the rival compares the numbers of sets in expression
// values as text.
func (g *generator) members(kind string) list {
	members := list{}
	for range 1 + g.rng.IntN(3) {
		member := g.value(kind, 0)[kind]
		if kind == "N" {
			member = pick(g, "0", "1", "-1", "2", "5", "7", "100", "0.1", "12345678901234567890123456789012345678")
		}
		if member == nil {
			continue // an invalid value was drawn
		}
		if !slices.Contains(members, member) || g.oneIn(300) {
			members = append(members, member)
		}
	}
	return members
}

func (g *generator) anyValue(depth int) object {
	if depth <= 0 {
		return g.value(pick(g, kinds[:5]...), 0)
	}
	return g.value(pick(g, kinds...), depth)
}

// attributeKinds are the attributes of items other than keys, each with its usual
// type.
var attributeKinds = []attribute{
	{"a", "M"}, {"b", "L"}, {"c", "N"}, {"d", "S"}, {"e", "SS"}, {"f", "NS"}, {"i", "BS"}, {"j", "B"}, {"k", "BOOL"}, {"name", "S"},
}

// kindOf returns the usual type of the attribute at the head of a path, and
// occasionally another one.
func (g *generator) kindOf(head string) string {
	for _, a := range attributeKinds {
		if a.name == head && !g.oneIn(8) {
			return a.kind
		}
	}
	return pick(g, kinds...)
}

// item draws an item of t.
func (g *generator) item(t tableSpec) object {
	item := g.key(t)
	for _, a := range attributeKinds {
		if g.oneIn(2) {
			item[a.name] = g.value(g.kindOf(a.name), 3)
		}
	}
	for _, x := range t.indexes {
		for _, k := range x.keys {
			if _, ok := item[k.name]; !ok && !g.oneIn(4) {
				item[k.name] = g.keyValue(k.kind)
			}
		}
	}
	return item
}

// key draws a primary key of t, rarely with a missing or an extra attribute.
func (g *generator) key(t tableSpec) object {
	key := object{}
	for _, k := range t.keys {
		key[k.name] = g.keyValue(k.kind)
	}
	switch {
	case g.oneIn(600):
		delete(key, t.keys[len(t.keys)-1].name)
	case g.oneIn(600):
		key["extra"] = object{"S": "x"}
	}
	return key
}

// ref returns a new placeholder for v, or occasionally an existing one.
func (g *generator) ref(v object) string {
	if n := len(g.values); n > 0 && g.oneIn(30) {
		return fmt.Sprintf(":v%d", g.rng.IntN(n))
	}
	placeholder := fmt.Sprintf(":v%d", len(g.values))
	g.values[placeholder] = v
	return placeholder
}

// named returns the form of an attribute name in an expression. This is a placeholder
// if the name is a reserved word, and sometimes for other names.
func (g *generator) named(name string) string {
	if name != "name" && !g.oneIn(6) || g.oneIn(600) {
		return name
	}
	placeholder := "#" + strings.ReplaceAll(name, "-", "_")
	g.names[placeholder] = name
	return placeholder
}
