package expr

import (
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// DynamoDB's messages for an update that cannot be applied to an item.
var (
	errPath    = invalid("The document path provided in the update expression is invalid for update")
	errOperand = invalid("An operand in the update expression has an incorrect data type")
	errMissing = invalid("The provided expression refers to an attribute that does not exist in the item")
)

// outcome is what an action does to its target.
type outcome struct {
	change change
	value  attr.Value // put: the new value
}

type change uint8

const (
	leave change = iota
	put
	drop
)

// Apply returns item as changed by the update. It does not modify item, but
// the result shares unchanged values with it. All operands are read from item
// before any change. Its error is an *attr.ValidationError.
func (u Update) Apply(item attr.Item) (attr.Item, error) {
	if u.tree == nil {
		return item, nil
	}
	// If there are several problems, DynamoDB reports a path through a value of
	// the wrong kind first, then operand types, missing parents, missing
	// operands, and numbers out of range.
	orphan := false
	for _, target := range u.targets {
		if !target.Nested() {
			continue
		}
		parent, ok := target[:len(target)-1].find(item)
		if ok && !target[len(target)-1].fits(parent) {
			return nil, errPath
		}
		orphan = orphan || !ok
	}
	outcomes := make([]outcome, 0, 8) // enough for most updates
	var failed error
	for _, a := range u.actions {
		out, err := a.evaluate(operands{item, u.values})
		switch {
		case errors.Is(err, errOperand):
			return nil, err
		case err != nil && (failed == nil || errors.Is(err, errMissing)):
			failed = err
		}
		outcomes = append(outcomes, out)
	}
	if orphan {
		return nil, errPath
	}
	if failed != nil {
		return nil, failed
	}
	return u.tree.rewrite(attr.Map(item), outcomes).Map, nil
}

func (a action) evaluate(from operands) (outcome, error) {
	switch a.section {
	case tokSet:
		v, err := a.value.compute(from)
		return outcome{put, v}, err
	case tokRemove:
		return outcome{change: drop}, nil
	}
	operand := from.values.Of(a.value.text)
	current, found := a.path.find(from.item)
	switch {
	case !found && a.section == tokAdd:
		return outcome{put, operand}, nil
	case !found:
		return outcome{}, nil
	case current.Kind != operand.Kind:
		return outcome{}, errOperand
	case a.section == tokDelete:
		left := slices.DeleteFunc(slices.Clone(current.List), operand.HasMember)
		if len(left) == 0 {
			return outcome{change: drop}, nil
		}
		return outcome{put, attr.Value{Kind: current.Kind, List: left}}, nil
	case operand.Kind == attr.N:
		sum, err := current.Num.Add(operand.Num)
		return outcome{put, attr.Num(sum)}, err
	default:
		return outcome{put, attr.Set(current.Kind, slices.Concat(current.List, operand.List))}, nil
	}
}

// compute returns the value of the right-hand side of a SET action.
func (n *node) compute(from operands) (attr.Value, error) {
	switch n.op {
	case opValue:
		return from.values.Of(n.text), nil
	case opPath:
		if v, ok := n.path.find(from.item); ok {
			return v, nil
		}
		return attr.Value{}, errMissing
	case opIfNotExists:
		if v, ok := n.args[0].path.find(from.item); ok {
			return v, nil
		}
		return n.args[1].compute(from)
	}
	// The other operations have two numbers or two lists as operands. A wrong
	// kind is reported before a missing attribute.
	want := attr.N
	if n.op == opListAppend {
		want = attr.L
	}
	a, errA := n.args[0].compute(from)
	b, errB := n.args[1].compute(from)
	if errA == nil && a.Kind != want || errB == nil && b.Kind != want || errors.Is(errB, errOperand) {
		return attr.Value{}, errOperand
	}
	if errA != nil {
		return attr.Value{}, errA
	}
	if errB != nil {
		return attr.Value{}, errB
	}
	if n.op == opListAppend {
		return attr.Value{Kind: attr.L, List: slices.Concat(a.List, b.List)}, nil
	}
	if n.op == opMinus {
		b.Num = b.Num.Neg()
	}
	sum, err := a.Num.Add(b.Num)
	return attr.Num(sum), err
}

// rewrite returns v with the outcomes applied at the ends of t's paths. All steps of
// a path but the last must exist in v.
func (t *tree) rewrite(v attr.Value, outcomes []outcome) attr.Value {
	if v.Kind == attr.L {
		v.List = t.rewriteList(v.List, outcomes)
		return v
	}
	return attr.Map(t.rewriteMap(v.Map, outcomes))
}

func (t *tree) rewriteMap(item attr.Item, outcomes []outcome) attr.Item {
	changed := append(make(attr.Item, 0, len(item)+len(t.branches)), item...)
	for _, b := range t.branches {
		at, found := changed.Find(b.step.name)
		var old attr.Value
		if found {
			old = changed[at].Value
		}
		switch out := b.tree.outcome(old, outcomes); {
		case out.change == put && found:
			changed[at].Value = out.value
		case out.change == put:
			changed = slices.Insert(changed, at, attr.Attribute{Name: b.step.name, Value: out.value})
		case out.change == drop && found:
			changed = slices.Delete(changed, at, at+1)
		}
	}
	return changed
}

// rewriteList uses the indexes of the original list: elements are removed last, and
// values put beyond the end are appended in the order of their indexes.
func (t *tree) rewriteList(list []attr.Value, outcomes []outcome) []attr.Value {
	size := len(list)
	list = slices.Clone(list)
	var dropped []int
	for _, b := range t.branches {
		i := b.step.index
		var old attr.Value
		if i < size {
			old = list[i]
		}
		switch out := b.tree.outcome(old, outcomes); {
		case out.change == put && i < size:
			list[i] = out.value
		case out.change == put:
			list = append(list, out.value)
		case out.change == drop && i < size:
			dropped = append(dropped, i)
		}
	}
	for _, i := range slices.Backward(dropped) {
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// outcome returns the outcome for the value at t, which is old before the update.
func (t *tree) outcome(old attr.Value, outcomes []outcome) outcome {
	if len(t.branches) == 0 {
		return outcomes[t.leaf]
	}
	return outcome{put, t.rewrite(old, outcomes)}
}
