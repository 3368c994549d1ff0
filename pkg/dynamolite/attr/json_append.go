package attr

import "encoding/base64"

// MarshalJSON returns the value as DynamoDB JSON 1.0. It never fails.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// MarshalJSON returns an object of named values, in ascending order of the names. A
// nil item is an empty object. It never fails.
func (it Item) MarshalJSON() ([]byte, error) { return it.AppendJSON(nil), nil }

// AppendJSON appends what MarshalJSON returns.
func (it Item) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range it {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendQuoted(dst, it[i].Name), ':')
		dst = it[i].Value.AppendJSON(dst)
	}
	return append(dst, '}')
}

// AppendJSON appends what MarshalJSON returns.
func (v Value) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{', '"')
	dst = append(dst, v.Kind.String()...)
	dst = append(dst, '"', ':')
	dst = v.appendPayload(dst)
	return append(dst, '}')
}

func (v Value) appendPayload(dst []byte) []byte {
	switch v.Kind {
	case S, Invalid:
		return appendQuoted(dst, v.Str)
	case N:
		dst = append(dst, '"')
		dst = v.Num.append(dst)
		return append(dst, '"')
	case B:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(v.Str))
		return append(dst, '"')
	case M:
		return v.Map.AppendJSON(dst)
	case L, SS, NS, BS:
		dst = append(dst, '[')
		for i, elem := range v.List {
			if i > 0 {
				dst = append(dst, ',')
			}
			if v.Kind == L {
				dst = elem.AppendJSON(dst)
			} else {
				dst = elem.appendPayload(dst)
			}
		}
		return append(dst, ']')
	case BOOL:
		if !v.Bool {
			return append(dst, "false"...)
		}
	}
	return append(dst, "true"...)
}

// appendQuoted appends s, which must be valid UTF-8, as a JSON string.
func appendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
