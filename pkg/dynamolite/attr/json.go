package attr

import (
	"encoding/base64"
	"errors"
	"strings"
)

const (
	msgEmptyValue = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	msgManyTypes  = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	msgParameters = "One or more parameter values were invalid: "
	msgNullFalse  = msgParameters + "Null attribute value types must have the value of true"
	msgEmptySS    = msgParameters + "An string set  may not be empty"
	msgEmptyNS    = msgParameters + "An number set  may not be empty"
	msgEmptyBS    = msgParameters + "Binary sets should not be empty"
	msgDuplicates = "Input collection contains duplicates"
)

// UnmarshalJSON reads DynamoDB JSON 1.0, such as {"S":"text"}. For JSON of another
// shape, the error is a *SerializationError. A value of the right shape that
// DynamoDB rejects (an empty set, a bad number, two types in one value) is decoded
// as Invalid; call Validate before use.
func (v *Value) UnmarshalJSON(data []byte) error {
	sc := newScanner(data)
	var decoded Value
	if err := sc.value(&decoded, 1); err != nil {
		return err
	}
	*v = decoded
	return nil
}

// UnmarshalJSON reads an object of named values, each as Value.UnmarshalJSON does.
// A JSON null leaves the item unchanged.
func (it *Item) UnmarshalJSON(data []byte) error {
	sc := newScanner(data)
	if sc.peek() == 'n' {
		return nil
	}
	decoded, err := sc.item(1)
	if err != nil {
		return err
	}
	*it = decoded
	return nil
}

func (sc *scanner) item(depth int) (Item, error) {
	switch sc.peek() {
	case '{':
	case '[':
		return nil, &SerializationError{"Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"}
	default:
		return nil, &SerializationError{"Unexpected field type"}
	}
	r := begin(&sc.items, depth)
	err := sc.object(func(name string) error {
		if absent, err := sc.null(); absent {
			return err
		}
		a := Attribute{Name: name}
		err := sc.value(&a.Value, depth)
		r.add(a)
		return err
	})
	return ItemOf(r.list()...), err
}

// value reads one typed value at the given level of nesting into v, which must be
// zero. Beyond MaxDepth it does not descend, and the value is Invalid.
func (sc *scanner) value(v *Value, depth int) error {
	switch sc.peek() {
	case '{':
	case '[':
		return &SerializationError{"Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"}
	default:
		return &SerializationError{"Unexpected value type in payload"}
	}
	if depth > MaxDepth {
		v.Str = msgDepth
		return sc.skip()
	}
	types := 0
	err := sc.object(func(descriptor string) error {
		kind, ok := ParseKind(descriptor)
		if !ok {
			return sc.skip()
		}
		if absent, err := sc.null(); absent {
			return err
		}
		types++
		if types == 1 {
			return sc.payload(v, kind, depth)
		}
		var other Value
		err := sc.payload(&other, kind, depth)
		if v.Kind != Invalid {
			*v = other
		}
		return err
	})
	switch {
	case types == 0:
		v.Str = msgEmptyValue
	case types > 1 && v.Kind != Invalid:
		*v = Value{Str: msgManyTypes}
	}
	return err
}

// payload reads the content of a value of the given kind into v, which must be zero.
func (sc *scanner) payload(v *Value, kind Kind, depth int) (err error) {
	v.Kind = kind
	switch kind {
	case S:
		v.Str, err = sc.string()
	case N:
		var digits string
		if digits, err = sc.string(); err != nil {
			return err
		}
		number, wrong := ParseNumber(digits)
		if wrong != nil {
			*v = Value{Str: wrong.Error()}
			return nil
		}
		v.Num = number
	case B:
		v.Str, err = sc.base64()
	case BOOL:
		v.Bool, err = sc.bool()
	case NULL:
		var null bool
		if null, err = sc.bool(); !null {
			*v = Value{Str: msgNullFalse}
		}
	case M:
		v.Map, err = sc.item(depth + 1)
	case L:
		v.List, err = sc.list(depth + 1)
	default:
		*v, err = sc.set(kind)
	}
	return err
}

func (sc *scanner) list(depth int) ([]Value, error) {
	r := begin(&sc.lists, depth)
	err := sc.array(func() error {
		var v Value
		err := sc.value(&v, depth)
		r.add(v)
		return err
	})
	return r.list(), err
}

func (sc *scanner) set(kind Kind) (Value, error) {
	var members []Value
	var given []string // for the message about duplicates
	err := sc.array(func() error {
		var v Value
		err := sc.payload(&v, kind.Member(), MaxDepth)
		members = append(members, v)
		given = append(given, v.Str)
		return err
	})
	if err != nil {
		return Value{}, err
	}
	for _, member := range members {
		if member.Kind == Invalid {
			return member, nil
		}
	}
	count := len(members)
	if set := Set(kind, members); len(set.List) == count && count > 0 {
		return set, nil
	}
	switch {
	case count == 0 && kind == SS:
		return Value{Str: msgEmptySS}, nil
	case count == 0 && kind == NS:
		return Value{Str: msgEmptyNS}, nil
	case count == 0:
		return Value{Str: msgEmptyBS}, nil
	case kind == SS:
		return Value{Str: msgParameters + "Input collection [" + strings.Join(given, ", ") + "] contains duplicates."}, nil
	case kind == NS:
		return Value{Str: msgDuplicates}, nil
	}
	for i, raw := range given {
		given[i] = base64.StdEncoding.EncodeToString([]byte(raw))
	}
	return Value{Str: msgParameters + "Input collection [" + strings.Join(given, ", ") + "]of type BS contains duplicates."}, nil
}

func (sc *scanner) base64() (string, error) {
	switch sc.peek() {
	case '"':
	case '{':
		return "", &SerializationError{"Start of structure or map found where not expected"}
	case '[':
		return "", &SerializationError{"Unrecognized collection type class java.nio.ByteBuffer"}
	default:
		return "", &SerializationError{"only base-64-encoded strings are convertible to bytes"}
	}
	s, err := sc.string()
	if err != nil {
		return "", err
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return "", &SerializationError{"Invalid Base64 encoding"}
	}
	return string(raw), nil
}

var errJSON = errors.New("attr: invalid JSON")
