package attr

import (
	"encoding/json"
	"strings"
)

// scanner reads JSON whose syntax has already been checked. For other input, it
// returns errJSON or an arbitrary value, but does not panic. It exists because
// decoding values one by one with encoding/json scans every nested value again at
// each level.
//
// The strings that it returns are substrings of data.
type scanner struct {
	data string
	pos  int
	// items and lists are arenas by depth. At each depth, only one item or list is
	// read at a time.
	items [shallow]arena[Attribute]
	lists [shallow]arena[Value]
}

// Values nested in fewer than shallow levels share arenas. An arena starts with the
// capacity leastArena and doubles up to mostArena, unless a list is longer.
const shallow, leastArena, mostArena = 8, 4, 16

func newScanner(data []byte) scanner {
	sc := scanner{data: string(data)}
	objects := strings.Count(sc.data, "{") // each attribute's value is an object
	sc.items[1].all = make([]Attribute, 0, min(objects, mostArena))
	return sc
}

// arena is a buffer in which short lists are allocated.
type arena[T any] struct {
	all   []T
	start int // start of the list under construction
}

// begin starts a new list in the arena of the depth and returns the arena.
func begin[T any](arenas *[shallow]arena[T], depth int) *arena[T] {
	if depth >= shallow {
		return &arena[T]{}
	}
	r := &arenas[depth]
	r.start = len(r.all)
	return r
}

func (r *arena[T]) add(elem T) {
	if len(r.all) == cap(r.all) {
		list := r.all[r.start:]
		size := max(2*len(list), min(max(2*cap(r.all), leastArena), mostArena))
		r.all, r.start = append(make([]T, 0, size), list...), 0
	}
	r.all = append(r.all, elem)
}

// list returns the elements added since begin. The result is never nil.
func (r *arena[T]) list() []T {
	if r.start == len(r.all) {
		return []T{}
	}
	return r.all[r.start:len(r.all):len(r.all)]
}

// peek returns the first byte of the next token, or 0 at the end.
func (sc *scanner) peek() byte {
	for ; sc.pos < len(sc.data); sc.pos++ {
		switch c := sc.data[sc.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// take consumes the byte c and reports whether it was next.
func (sc *scanner) take(c byte) bool {
	if sc.peek() != c {
		return false
	}
	sc.pos++
	return true
}

// elements calls read before each element of an array or object that ends with
// end. The opening byte has already been consumed.
func (sc *scanner) elements(end byte, read func() error) error {
	if sc.take(end) {
		return nil
	}
	for {
		if err := read(); err != nil {
			return err
		}
		if sc.take(end) {
			return nil
		}
		if !sc.take(',') {
			return errJSON
		}
	}
}

// object reads an object and calls member with each name; member must consume the
// value.
func (sc *scanner) object(member func(name string) error) error {
	if !sc.take('{') {
		return errJSON
	}
	return sc.elements('}', func() error {
		name, err := sc.quoted()
		if err != nil {
			return err
		}
		if !sc.take(':') {
			return errJSON
		}
		return member(name)
	})
}

// array reads an array and calls elem before each element; elem must consume the
// element.
func (sc *scanner) array(elem func() error) error {
	switch sc.peek() {
	case '[':
		sc.pos++
	case '{':
		return &SerializationError{"Start of structure or map found where not expected"}
	default:
		return &SerializationError{"Unexpected field type"}
	}
	return sc.elements(']', elem)
}

// quoted reads a JSON string.
func (sc *scanner) quoted() (string, error) {
	if !sc.take('"') {
		return "", errJSON
	}
	start := sc.pos
	plain := true
	for ; sc.pos < len(sc.data); sc.pos++ {
		switch c := sc.data[sc.pos]; {
		case c == '"':
			text := sc.data[start:sc.pos]
			sc.pos++
			if plain {
				return text, nil
			}
			var s string
			if err := json.Unmarshal([]byte(sc.data[start-1:sc.pos]), &s); err != nil {
				return "", errJSON
			}
			return s, nil
		case c == '\\':
			plain = false
			sc.pos++
		case c < ' ':
			return "", errJSON
		case c >= 0x80: // encoding/json replaces invalid UTF-8
			plain = false
		}
	}
	return "", errJSON
}

// string reads a string. For another type, the error is a *SerializationError.
func (sc *scanner) string() (string, error) {
	if sc.peek() == '"' {
		return sc.quoted()
	}
	return "", sc.mismatch("String")
}

// bool reads true or false. For another type, the error is a *SerializationError.
func (sc *scanner) bool() (bool, error) {
	switch sc.peek() {
	case 't':
		return true, sc.literal("true")
	case 'f':
		return false, sc.literal("false")
	case '"':
		return false, &SerializationError{"Unexpected token received from parser"}
	}
	return false, sc.mismatch("Boolean")
}

// mismatch returns the error for the next token, which is not of the wanted Java type.
func (sc *scanner) mismatch(want string) error {
	token := ""
	switch sc.peek() {
	case 't':
		token = "TRUE_VALUE"
	case 'f':
		token = "FALSE_VALUE"
	case '{':
		return &SerializationError{"Start of structure or map found where not expected"}
	case '[':
		return &SerializationError{"Unrecognized collection type class java.lang." + want}
	default:
		start := sc.pos
		if err := sc.skip(); err != nil {
			return err
		}
		token = "NUMBER_VALUE"
		if strings.ContainsAny(sc.data[start:sc.pos], ".eE") {
			token = "DECIMAL_VALUE"
		}
	}
	return &SerializationError{token + " cannot be converted to " + want}
}

// literal consumes the word, whose first letter is the next byte.
func (sc *scanner) literal(word string) error {
	if !strings.HasPrefix(sc.data[sc.pos:], word) {
		return errJSON
	}
	sc.pos += len(word)
	return nil
}

// null consumes a null if it is next.
func (sc *scanner) null() (bool, error) {
	if sc.peek() != 'n' {
		return false, nil
	}
	return true, sc.literal("null")
}

// skip consumes the next value, of any type.
func (sc *scanner) skip() error {
	depth := 0
	for {
		switch c := sc.peek(); c {
		case 0:
			return errJSON
		case '"':
			if _, err := sc.quoted(); err != nil {
				return err
			}
		case '{', '[':
			depth++
			sc.pos++
		case '}', ']':
			depth--
			sc.pos++
		case ',', ':':
			sc.pos++
			continue
		default:
			for sc.pos < len(sc.data) && strings.IndexByte(" \t\r\n,:]}[{\"", sc.data[sc.pos]) < 0 {
				sc.pos++
			}
		}
		if depth <= 0 {
			return nil
		}
	}
}
