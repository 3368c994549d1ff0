package expr

import (
	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// KeyCondition is a parsed key condition: one condition for each of one or two
// attributes. Resolve applies it to a key schema.
type KeyCondition struct {
	terms []keyTerm
}

type keyTerm struct {
	name   string
	op     op // comparator with the attribute as its left operand
	values []attr.Value
}

// ParseKeyCondition parses src and performs all checks that do not need a key
// schema. Its error is an *attr.ValidationError.
func ParseKeyCondition(scope *Scope, src string) (KeyCondition, error) {
	parsed, _, err := parseCondition(scope, "KeyConditionExpression", src)
	if err != nil {
		return KeyCondition{}, err
	}
	var k KeyCondition
	if err := k.add(parsed.root, scope.values); err != nil {
		return KeyCondition{}, err
	}
	if len(k.terms) > 2 {
		return KeyCondition{}, invalid("Conditions can be of length 1 or 2 only")
	}
	return k, nil
}

func (k *KeyCondition) add(n *node, values attr.Item) error {
	switch n.op {
	case opAnd:
		if err := k.add(n.args[0], values); err != nil {
			return err
		}
		return k.add(n.args[1], values)
	case opOr, opNot, opIn, opNotEqual, opExists, opNotExists, opType, opContains:
		return invalid("Invalid operator used in KeyConditionExpression: " + n.op.String())
	}
	if (n.op == opBetween || n.op == opBeginsWith) && n.args[0].op != opPath {
		return invalid("Invalid condition in KeyConditionExpression: " + n.op.String() +
			" operator must have the key attribute as its first operand")
	}
	t := keyTerm{op: n.op}
	for i, arg := range n.args {
		switch {
		case arg.op == opSize:
			return invalid("KeyConditionExpressions cannot contain nested operations")
		case arg.op == opValue:
			t.values = append(t.values, values.Of(arg.text))
		case t.name != "":
			return invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
		case arg.path.Nested():
			return invalid("KeyConditionExpressions cannot have conditions on nested attributes")
		default:
			t.name = arg.path.Head()
			if i > 0 {
				t.op = n.op.mirrored()
			}
		}
	}
	if t.name == "" {
		return invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	}
	if _, ok := k.term(t.name); ok {
		return invalid("KeyConditionExpressions must only contain one condition per key")
	}
	k.terms = append(k.terms, t)
	return nil
}

func (k *KeyCondition) term(name string) (keyTerm, bool) {
	for _, t := range k.terms {
		if t.name == name {
			return t, true
		}
	}
	return keyTerm{}, false
}

// KeyAttribute is an attribute of a key schema. The zero KeyAttribute means that a
// table or index has no sort key.
type KeyAttribute struct {
	Name string
	Kind attr.Kind // S, N or B
}

// SortCondition is a key condition's restriction on the sort key. The zero
// SortCondition does not restrict it.
type SortCondition struct {
	term keyTerm
}

// Resolve applies the condition to the key schema of a table or index: it
// returns the partition key's value and the condition on the sort key. Its
// error is an *attr.ValidationError.
func (k KeyCondition) Resolve(partition, sort KeyAttribute) (attr.Value, SortCondition, error) {
	fail := func(message string) (attr.Value, SortCondition, error) {
		return attr.Value{}, SortCondition{}, invalid(message)
	}
	if sort.Name == "" && len(k.terms) > 1 {
		return fail("Query key condition not supported")
	}
	p, ok := k.term(partition.Name)
	if !ok {
		return fail("Query condition missed key schema element: " + partition.Name)
	}
	if err := p.checkValues(partition); err != nil {
		return attr.Value{}, SortCondition{}, err
	}
	if p.op != opEqual {
		return fail("Query key condition not supported")
	}
	if len(k.terms) == 1 {
		return p.values[0], SortCondition{}, nil
	}
	s, ok := k.term(sort.Name)
	if !ok {
		return fail("Query condition missed key schema element: " + sort.Name)
	}
	if err := s.checkValues(sort); err != nil {
		return attr.Value{}, SortCondition{}, err
	}
	return p.values[0], SortCondition{s}, nil
}

func (t keyTerm) checkValues(key KeyAttribute) error {
	for _, v := range t.values {
		if v.Kind != key.Kind {
			return invalid("One or more parameter values were invalid: Condition parameter type does not match schema type")
		}
		if v.Kind != attr.N && v.Str == "" {
			what := "string"
			if v.Kind == attr.B {
				what = "binary"
			}
			return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
				what + " value. Key: " + key.Name)
		}
	}
	return nil
}

// Range returns the bounds of the keys that satisfy the condition, from first
// up to but not including end, as encoded by attr.AppendKey after the bytes in
// partition, which must not be empty.
func (s SortCondition) Range(partition []byte) (first, end []byte) {
	after := func(v attr.Value) []byte { return attr.AppendKey(partition[:len(partition):len(partition)], v) }
	t := s.term
	first, end = partition, attr.PrefixEnd(partition)
	switch t.op {
	case opEqual:
		first = after(t.values[0])
		end = attr.PrefixEnd(first)
	case opLess:
		end = after(t.values[0])
	case opLessEqual:
		end = attr.PrefixEnd(after(t.values[0]))
	case opGreater:
		first = attr.PrefixEnd(after(t.values[0]))
	case opGreaterEqual:
		first = after(t.values[0])
	case opBetween:
		first, end = after(t.values[0]), attr.PrefixEnd(after(t.values[1]))
	case opBeginsWith:
		first = attr.AppendKeyPrefix(partition[:len(partition):len(partition)], t.values[0])
		end = attr.PrefixEnd(first)
	}
	return first, end
}
