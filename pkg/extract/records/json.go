package records

import (
	"encoding/json"
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
	if r.Detail != nil {
		detail, _ := json.Marshal(r.Detail) // cannot fail: texts, numbers and booleans can always be encoded
		b = append(append(b, `,"detail":`...), detail...)
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
