package attr

import (
	"slices"
	"strings"
)

// Item is a set of named values: a table's row, a key, or the content of a map. Its
// attributes are in ascending order of their names, without duplicates (see ItemOf).
// It is a slice and not a Go map because most items are short and written more often
// than searched: a Go map of two entries uses the space of eight, and must be sorted
// wherever the order matters.
type Item []Attribute

// Attribute is a named value.
type Attribute struct {
	Name  string
	Value Value
}

// ItemOf returns the item with the given attributes. It reorders its argument. If a
// name occurs more than once, the last value is used.
func ItemOf(attributes ...Attribute) Item {
	for i := 1; i < len(attributes); i++ {
		if attributes[i-1].Name >= attributes[i].Name {
			return sorted(attributes)
		}
	}
	return attributes
}

// fewAttributes is the maximum number of attributes that are sorted by insertion.
const fewAttributes = 32

func sorted(attributes []Attribute) Item {
	if len(attributes) <= fewAttributes {
		item := Item(attributes[:0])
		for _, a := range attributes {
			if at, found := item.Find(a.Name); found {
				item[at] = a
			} else {
				item = slices.Insert(item, at, a)
			}
		}
		return item
	}
	slices.SortStableFunc(attributes, func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	item := attributes[:0]
	for i, a := range attributes {
		if i == len(attributes)-1 || a.Name != attributes[i+1].Name {
			item = append(item, a)
		}
	}
	return item
}

// Find returns the index of the name in the item, or where it would be inserted.
func (it Item) Find(name string) (at int, found bool) {
	for end := len(it); at < end; {
		middle := (at + end) / 2
		order := strings.Compare(it[middle].Name, name)
		if order == 0 {
			return middle, true
		}
		if order < 0 {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at, false
}

// Get returns the value of the named attribute; ok is false if there is none.
func (it Item) Get(name string) (v Value, ok bool) {
	if at, found := it.Find(name); found {
		return it[at].Value, true
	}
	return Value{}, false
}

// Of returns the value of the named attribute, or a value of kind Invalid if there
// is none.
func (it Item) Of(name string) Value {
	v, _ := it.Get(name)
	return v
}

// Has reports whether the item has the named attribute.
func (it Item) Has(name string) bool {
	_, found := it.Find(name)
	return found
}

// Part returns the attributes whose names are wanted. The result is never nil.
func (it Item) Part(wanted func(name string) bool) Item {
	part := Item{}
	for i := range it {
		if wanted(it[i].Name) {
			part = append(part, it[i])
		}
	}
	return part
}

// Equal reports whether both items have the same names with equal values.
func (it Item) Equal(other Item) bool {
	return slices.EqualFunc(it, other, func(a, b Attribute) bool { return a.Name == b.Name && a.Value.Equal(b.Value) })
}
