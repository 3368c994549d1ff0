package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

var errNotPlain = errors.New("not a JSON object of strings, numbers and booleans")

// parseLine parses a line that appendRecord wrote.
func parseLine(line []byte, r *Record) error {
	return members(line, func(name string, value []byte, quoted bool) (err error) {
		switch {
		case name == "index" && !quoted:
			r.Index, err = strconv.Atoi(string(value))
		case name == "error" && quoted:
			r.Error, err = unquote(value)
		case name == "name" && quoted:
			r.Name, err = unquote(value)
		case name == "content" && quoted:
			r.Content, err = unquote(value)
		case name == "fields":
			err = r.Fields.UnmarshalJSON(value)
		case name == "properties":
			err = r.Properties.UnmarshalJSON(value)
		case name == "notDetermined":
			err = json.Unmarshal(value, &r.NotDetermined)
		case name == "detail":
			err = json.Unmarshal(value, &r.Detail)
		default:
			err = errNotPlain
		}
		return err
	})
}

// members calls add for each member of a valid JSON object without whitespace, in order. value is the text
// between the quotes of a string, or the complete text of any other value.
func members(data []byte, add func(name string, value []byte, quoted bool) error) error {
	if len(data) < 2 || data[0] != '{' || data[len(data)-1] != '}' {
		return errNotPlain
	}
	for at := 1; at < len(data)-1; at++ { // skips the comma
		end := closing(data, at)
		if end < 0 || end+2 >= len(data) || data[end+1] != ':' {
			return errNotPlain
		}
		name, err := unquote(data[at+1 : end])
		if err != nil {
			return err
		}
		from := end + 2
		value, quoted := data[from:from], false
		switch data[from] {
		case '"':
			if end, quoted = closing(data, from), true; end > 0 {
				value = data[from+1 : end]
				end++
			}
		case '{', '[':
			end = matching(data, from)
		default:
			end = from + bytes.IndexAny(data[from:], ",}")
		}
		if end <= from || end >= len(data) || data[end] != ',' && end != len(data)-1 {
			return errNotPlain
		}
		if !quoted {
			value = data[from:end]
		}
		if err := add(name, value, quoted); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// closing returns the index of the quote that closes the one at index at, or -1.
func closing(data []byte, at int) int {
	if at >= len(data) || data[at] != '"' {
		return -1
	}
	for i := at + 1; i < len(data); i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for data[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return -1
}

// matching returns the index after the bracket that closes the one at index at, or -1.
func matching(data []byte, at int) int {
	depth := 0
	for i := at; i < len(data); i++ {
		switch data[i] {
		case '"':
			if i = closing(data, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// unquote returns the text of a JSON string without its quotes.
func unquote(quoted []byte) (string, error) {
	i := bytes.IndexByte(quoted, '\\')
	if i < 0 {
		return string(quoted), nil
	}
	text := make([]byte, 0, len(quoted))
	for i >= 0 {
		text = append(text, quoted[:i]...)
		if quoted = quoted[i:]; len(quoted) < 2 {
			return "", errNotPlain
		}
		size := 2
		switch quoted[1] {
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		case '"', '\\':
			text = append(text, quoted[1])
		case 'u': // a control character
			if size = 6; len(quoted) < size {
				return "", errNotPlain
			}
			code, err := strconv.ParseUint(string(quoted[2:6]), 16, 16)
			if err != nil || code >= ' ' {
				return "", errNotPlain
			}
			text = append(text, byte(code))
		default:
			return "", errNotPlain
		}
		quoted = quoted[size:]
		i = bytes.IndexByte(quoted, '\\')
	}
	return string(append(text, quoted...)), nil
}
