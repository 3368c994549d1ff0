package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// appendRecord appends the record as one line of JSON, without the line break.
func appendRecord(b []byte, r *Record) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(r.Index), 10)
	if r.Error != "" {
		b = appendString(append(b, `,"error":`...), r.Error)
	}
	if r.Name != "" {
		b = appendString(append(b, `,"name":`...), r.Name)
	}
	b = r.Fields.appendJSON(append(b, `,"fields":`...))
	b = r.Properties.appendJSON(append(b, `,"properties":`...))
	for i, name := range r.NotDetermined {
		if i == 0 {
			b = append(b, `,"notDetermined":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendString(b, name)
	}
	if len(r.NotDetermined) > 0 {
		b = append(b, ']')
	}
	if r.Content != "" {
		b = appendString(append(b, `,"content":`...), r.Content)
	}
	return append(b, '}')
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(append(b, s[start:i]...), "\ufffd"...)
			start = i + 1
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

var errNotPlain = errors.New("not a JSON object of texts, numbers and booleans")

// members calls add for each member of a valid JSON object without space, in order. The value is
// unquoted text, or a number or boolean as it is there.
func members(data []byte, add func(name, value string, quoted bool) error) error {
	if len(data) < 2 || data[0] != '{' || data[len(data)-1] != '}' {
		return errNotPlain
	}
	for at := 1; at < len(data)-1; at++ { // at the comma
		name, next, err := unquote(data, at)
		if err != nil || next >= len(data) || data[next] != ':' {
			return errors.Join(errNotPlain, err)
		}
		at = next + 1
		var value string
		quoted := at < len(data) && data[at] == '"'
		if quoted {
			if value, at, err = unquote(data, at); err != nil {
				return err
			}
		} else {
			n := bytes.IndexAny(data[at:], ",}")
			if n <= 0 || data[at] == '[' || data[at] == '{' || data[at] == 'n' {
				return errNotPlain
			}
			value = string(data[at : at+n])
			at += n
		}
		if err := add(name, value, quoted); err != nil {
			return err
		}
	}
	return nil
}

// unquote returns the JSON string that begins at data[at], and what follows it.
func unquote(data []byte, at int) (text string, next int, err error) {
	if at >= len(data) || data[at] != '"' {
		return "", 0, errNotPlain
	}
	escaped := false
	for i := at + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			if !escaped {
				return string(data[at+1 : i]), i + 1, nil
			}
			err := json.Unmarshal(data[at:i+1], &text)
			return text, i + 1, err
		}
	}
	return "", 0, errNotPlain
}
