package dynamolite

import (
	"bytes"
	"errors"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
)

// maxItem is the maximum size of an item in bytes, as attr.Size counts them.
const maxItem = 400 << 10

type verb int

const (
	put verb = iota
	update
	remove
	check
)

// action is a write of one item, or the check of a condition on it. PutItem,
// UpdateItem, DeleteItem and each part of a transaction are compiled to an action.
type action struct {
	verb      verb
	table     *table
	storage   []byte    // the item's storage key
	key       attr.Item // update: the key attributes
	item      attr.Item // put: the new item
	condition expr.Condition
	update    expr.Update
	// before and after are the item before and after the write; nil means no
	// item.
	before, after attr.Item
	stored        int // length of the stored form of before
}

// sameItem reports whether other, which may be nil, acts on the same item.
func (a *action) sameItem(other *action) bool {
	return other != nil && a.table.Name == other.table.Name && bytes.Equal(a.storage, other.storage)
}

// errCondition means that an action's condition does not hold.
var errCondition = errors.New("dynamolite: condition failed")

// decide reads the item, evaluates the condition and computes the new item. It
// writes nothing.
func (a *action) decide(w *writeTx) (err error) {
	if a.before, a.stored, err = readItem(w.tx, a.table, a.storage); err != nil {
		return err
	}
	if !a.condition.Eval(a.before) {
		return errCondition
	}
	switch a.verb {
	case put:
		a.after = a.item
	case check:
		a.after = a.before
	case update:
		for _, path := range a.update.Targets() {
			if a.table.Key.has(path.Head()) {
				return invalidParameters("Cannot update attribute " + path.Head() + ". This attribute is part of the key")
			}
		}
		from := a.before
		if from == nil {
			from = a.key
		}
		if a.after, err = a.update.Apply(from); err != nil {
			return err
		}
		if attr.Size(a.after) > maxItem {
			return invalid("Item size to update has exceeded the maximum allowed size")
		}
		return checkIndexes(a.table, a.after)
	}
	return nil
}

// apply writes the result of decide.
func (a *action) apply(w *writeTx) error {
	if a.verb == check {
		return nil
	}
	return w.replace(a.table, a.storage, a.before, a.after, a.stored, false)
}

func checkIndexes(t *table, item attr.Item) error {
	for _, ix := range t.Indexes {
		if err := ix.check(item); err != nil {
			return err
		}
	}
	return nil
}

// putAction checks a new item against the table and returns the action that puts
// it.
func putAction(t *table, item attr.Item, cond expr.Condition) (*action, error) {
	storage, err := t.Key.fromItem(item)
	if err != nil {
		return nil, err
	}
	if err := checkIndexes(t, item); err != nil {
		return nil, err
	}
	if err := t.checkPaths(cond.Paths()); err != nil {
		return nil, err
	}
	return &action{verb: put, table: t, storage: storage, item: item, condition: cond}, nil
}

// checkItem performs the checks of a new item that do not depend on its table.
func checkItem(item attr.Item) error {
	if err := item.Validate(); err != nil {
		return err
	}
	if attr.Size(item) > maxItem {
		return invalid("Item size has exceeded the maximum allowed size")
	}
	return nil
}

// updateAction checks an update against the table and returns its action.
func updateAction(t *table, key attr.Item, u expr.Update, cond expr.Condition) (*action, error) {
	storage, err := t.Key.fromKey(key)
	if err != nil {
		return nil, err
	}
	if err := t.checkPaths(u.Paths(), cond.Paths()); err != nil {
		return nil, err
	}
	return &action{verb: update, table: t, storage: storage, key: key, update: u, condition: cond}, nil
}

// keyAction returns the action for a deletion or a condition check.
func keyAction(v verb, t *table, key attr.Item, cond expr.Condition) (*action, error) {
	storage, err := t.Key.fromKey(key)
	if err != nil {
		return nil, err
	}
	if err := t.checkPaths(cond.Paths()); err != nil {
		return nil, err
	}
	return &action{verb: v, table: t, storage: storage, condition: cond}, nil
}

// checkPaths rejects paths into a key attribute, which is a scalar.
func (t *table) checkPaths(lists ...[]expr.Path) error {
	for _, paths := range lists {
		for _, path := range paths {
			if !path.Nested() {
				continue
			}
			const message = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
			if t.Key.has(path.Head()) {
				return invalid(message + "Key: " + path.Head())
			}
			for _, ix := range t.Indexes {
				if ix.Key.has(path.Head()) {
					return invalid(message + "IndexKey: " + path.Head())
				}
			}
		}
	}
	return nil
}

// writeOne carries out a single action. If its condition fails, the error contains
// the old item if returnOld is ALL_OLD.
func (e *Engine) writeOne(a *action, returnOld string) error {
	return e.write(func(w *writeTx) error {
		if err := w.current(a.table); err != nil {
			return err
		}
		err := a.decide(w)
		if errors.Is(err, errCondition) {
			if returnOld != "ALL_OLD" {
				return conditionFailed(nil)
			}
			return conditionFailed(a.before)
		}
		if err != nil {
			return err
		}
		return a.apply(w)
	})
}
