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

// UnmarshalJSON reads DynamoDB JSON 1.0, such as {"S":"text"}. JSON of another
// shape is a *SerializationError. A value of the right shape that DynamoDB
// would not take (an empty set, a bad number, two types at once) is decoded as
// Invalid: call Validate before use.
func (v *Value) UnmarshalJSON(data []byte) error {
	sc := scanner{data: string(data)}
	decoded, err := sc.value(1)
	if err != nil {
		return err
	}
	*v = decoded
	return nil
}

// UnmarshalJSON reads an object of named values, each as Value.UnmarshalJSON.
// A JSON null leaves the item as it is.
func (it *Item) UnmarshalJSON(data []byte) error {
	sc := scanner{data: string(data), room: make([]Attribute, 0, min(len(data)/leastAttribute+1, mostRoom))}
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
	start := len(sc.room)
	err := sc.object(func(name string) error {
		if sc.peek() == 'n' { // null is absence
			return sc.skip()
		}
		v, err := sc.value(depth)
		sc.room = append(sc.room, Attribute{name, v})
		return err
	})
	it := append(make(Item, 0, len(sc.room)-start), sc.room[start:]...)
	sc.room = sc.room[:start]
	return ItemOf(it...), err
}

// value reads one typed value at the given level of nesting. Beyond MaxDepth
// it does not descend: the value is Invalid.
func (sc *scanner) value(depth int) (Value, error) {
	switch sc.peek() {
	case '{':
	case '[':
		return Value{}, &SerializationError{"Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"}
	default:
		return Value{}, &SerializationError{"Unexpected value type in payload"}
	}
	if depth > MaxDepth {
		return Value{Str: msgDepth}, sc.skip()
	}
	found := Value{Str: msgEmptyValue}
	types := 0
	err := sc.object(func(descriptor string) error {
		kind, ok := ParseKind(descriptor)
		if !ok || sc.peek() == 'n' {
			return sc.skip()
		}
		v, err := sc.payload(kind, depth)
		if types == 0 || found.Kind != Invalid {
			found = v
		}
		types++
		return err
	})
	if types > 1 && found.Kind != Invalid {
		found = Value{Str: msgManyTypes}
	}
	return found, err
}

func (sc *scanner) payload(kind Kind, depth int) (Value, error) {
	switch kind {
	case S:
		s, err := sc.string()
		return String(s), err
	case N:
		s, err := sc.string()
		return parsedNumber(s), err
	case B:
		s, err := sc.base64()
		return Value{Kind: B, Str: s}, err
	case BOOL, NULL:
		b, err := sc.bool()
		if kind == NULL {
			if !b {
				return Value{Str: msgNullFalse}, err
			}
			return Null(), err
		}
		return Bool(b), err
	case M:
		m, err := sc.item(depth + 1)
		return Map(m), err
	case L:
		list := []Value{}
		err := sc.array(func() error {
			v, err := sc.value(depth + 1)
			list = append(list, v)
			return err
		})
		return Value{Kind: L, List: list}, err
	default:
		return sc.set(kind)
	}
}

func parsedNumber(s string) Value {
	n, err := ParseNumber(s)
	if err != nil {
		return Value{Str: err.Error()}
	}
	return Num(n)
}

func (sc *scanner) set(kind Kind) (Value, error) {
	var members []Value
	var given []string // for the message about duplicates
	err := sc.array(func() error {
		v, err := sc.payload(kind.Member(), MaxDepth)
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
