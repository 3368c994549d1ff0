// Package attr implements DynamoDB's attribute values: their kinds, exact numbers,
// the JSON 1.0 wire form, an order-preserving codec for keys and a compact
// codec for stored items. It is independent of tables, requests and
// expressions.
package attr

import (
	"cmp"
	"slices"
)

// Kind is the type of a value. The zero Kind marks an invalid value, which decoding
// has rejected (see Value.Validate).
type Kind uint8

// The kinds, in the order of DynamoDB's documentation. Their numbers are part
// of the stored form (see EncodeItem) and must not change.
const (
	Invalid Kind = iota
	S            // text
	N            // number
	B            // bytes
	BOOL
	NULL
	M  // map
	L  // list
	SS // set of text
	NS // set of numbers
	BS // set of bytes
)

var kindNames = [...]string{"Invalid", "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}

// String returns the type descriptor of the wire form, such as "S" or "BOOL".
func (k Kind) String() string { return kindNames[k] }

// ParseKind returns the kind with the given type descriptor; ok is false if
// there is none.
func ParseKind(descriptor string) (k Kind, ok bool) {
	switch descriptor { // a fast path for the most frequent kinds
	case "S":
		return S, true
	case "N":
		return N, true
	}
	i := slices.Index(kindNames[1:], descriptor)
	return Kind(i + 1), i >= 0
}

// IsSet reports whether k is SS, NS or BS.
func (k Kind) IsSet() bool { return k >= SS && k <= BS }

// Member returns the kind of the members of a set kind: S, N or B.
func (k Kind) Member() Kind { return k - SS + S }

// Value is one attribute value. Only the fields of its kind are set. Copies of a
// value share memory, and values are never changed in place: code that changes a
// map or list creates a new one.
type Value struct {
	Kind Kind
	Bool bool    // BOOL
	Num  Number  // N
	Str  string  // S: UTF-8 text; B: raw bytes; Invalid: the reason
	Map  Item    // M
	List []Value // L: elements; SS, NS, BS: members of kind S, N, B in ascending order
}

// String returns a value of kind S.
func String(s string) Value { return Value{Kind: S, Str: s} }

// Binary returns a value of kind B with a copy of b.
func Binary(b []byte) Value { return Value{Kind: B, Str: string(b)} }

// Num returns a value of kind N.
func Num(n Number) Value { return Value{Kind: N, Num: n} }

// Bool returns a value of kind BOOL.
func Bool(b bool) Value { return Value{Kind: BOOL, Bool: b} }

// Null returns the value of kind NULL.
func Null() Value { return Value{Kind: NULL} }

// Map returns a value of kind M. It does not copy m.
func Map(m Item) Value { return Value{Kind: M, Map: m} }

// List returns a value of kind L. It does not copy elems.
func List(elems ...Value) Value { return Value{Kind: L, List: elems} }

// Set returns a value of the set kind k with the given members, which must be
// of kind k.Member(). It sorts members in place and drops duplicates.
func Set(k Kind, members []Value) Value {
	slices.SortFunc(members, compareScalar)
	return Value{Kind: k, List: slices.CompactFunc(members, Value.Equal)}
}

// Compare orders two values of the same kind S, N or B as DynamoDB does: text
// by its UTF-8 bytes, bytes unsigned, numbers by value. ok is false for any
// other pair of kinds, which DynamoDB does not order.
func Compare(a, b Value) (order int, ok bool) {
	if a.Kind != b.Kind || a.Kind < S || a.Kind > B {
		return 0, false
	}
	return compareScalar(a, b), true
}

func compareScalar(a, b Value) int {
	if a.Kind == N {
		return a.Num.Cmp(b.Num)
	}
	return cmp.Compare(a.Str, b.Str)
}

// Equal reports whether v and w have the same kind and content. The original order
// of the members of a set does not matter.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind {
		return false
	}
	switch v.Kind {
	case S, B:
		return v.Str == w.Str
	case N:
		return v.Num == w.Num
	case BOOL:
		return v.Bool == w.Bool
	case M:
		return v.Map.Equal(w.Map)
	case L, SS, NS, BS:
		return slices.EqualFunc(v.List, w.List, Value.Equal)
	default:
		return true
	}
}

// HasMember reports whether v, which must be a set, contains member.
func (v Value) HasMember(member Value) bool {
	if v.Kind.Member() != member.Kind {
		return false
	}
	_, found := slices.BinarySearchFunc(v.List, member, compareScalar)
	return found
}
