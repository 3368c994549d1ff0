package attr

import (
	"fmt"
	"strings"
)

// The first byte of an encoded key value. Numbers have three tags, so that they are
// ordered by sign first. 0xFF is never used, so that every encoding has a PrefixEnd.
const (
	tagNegative = 0x10
	tagZero     = 0x11
	tagPositive = 0x12
	tagString   = 0x20
	tagBinary   = 0x30
)

// AppendKey appends the key encoding of v, whose kind must be S, N or B.
//
// bytes.Compare orders the encodings of values of one kind as Compare orders the
// values. No encoding is a prefix of another, and each one marks its own end, so
// the encoding of a partition key followed by that of a sort key is a composite
// key that is ordered by partition key first.
//
// In text and bytes, 0x00 is encoded as 0x00 0xFF, and 0x00 0x00 marks the end. A
// number is encoded as its sign, the exponent of its first digit plus 130 in one
// byte, and its digits in pairs, each plus 1; 0x00 marks the end. The bytes after
// the sign are inverted if the number is negative.
func AppendKey(dst []byte, v Value) []byte {
	if v.Kind == N {
		return appendNumberKey(dst, v.Num)
	}
	return append(AppendKeyPrefix(dst, v), 0, 0)
}

// AppendKeyPrefix appends the common prefix p of the encodings of all values that
// begin with v; no other encoding has this prefix. v's kind must be S or B. The
// keys that begin with v are thus in the range from p to PrefixEnd(p). dst can
// contain the encoding of a partition key.
func AppendKeyPrefix(dst []byte, v Value) []byte {
	switch v.Kind {
	case S:
		dst = append(dst, tagString)
	case B:
		dst = append(dst, tagBinary)
	default:
		panic(fmt.Sprintf("attr: kind %s in a key", v.Kind))
	}
	rest := v.Str
	for {
		i := strings.IndexByte(rest, 0)
		if i < 0 {
			return append(dst, rest...)
		}
		dst = append(dst, rest[:i]...)
		dst = append(dst, 0, 0xFF)
		rest = rest[i+1:]
	}
}

// PrefixEnd returns the first byte string after all those that begin with
// prefix, or nil if there is none (prefix is empty or all 0xFF).
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// DecodeKey reads the key value at the start of b and returns the bytes after
// it. The error is ErrCorrupt if b does not start with a complete encoding.
func DecodeKey(b []byte) (v Value, rest []byte, err error) {
	if len(b) == 0 {
		return Value{}, nil, ErrCorrupt
	}
	switch tag, body := b[0], b[1:]; tag {
	case tagString:
		return decodeTextKey(S, body)
	case tagBinary:
		return decodeTextKey(B, body)
	case tagZero:
		return Value{Kind: N}, body, nil
	case tagNegative, tagPositive:
		return decodeNumberKey(tag == tagNegative, body)
	}
	return Value{}, nil, ErrCorrupt
}

func decodeTextKey(kind Kind, b []byte) (Value, []byte, error) {
	text := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != 0 {
			text = append(text, b[i])
			continue
		}
		i++
		switch {
		case i < len(b) && b[i] == 0xFF:
			text = append(text, 0)
		case i < len(b) && b[i] == 0:
			return Value{Kind: kind, Str: string(text)}, b[i+1:], nil
		default:
			return Value{}, nil, ErrCorrupt
		}
	}
	return Value{}, nil, ErrCorrupt
}

func appendNumberKey(dst []byte, n Number) []byte {
	switch n.sign() {
	case 0:
		return append(dst, tagZero)
	case 1:
		dst = append(dst, tagPositive)
	case -1:
		dst = append(dst, tagNegative)
	}
	var buf [maxDigits + 1]byte
	digits := uint128{n.hi, n.lo}.appendDecimal(buf[:0])
	start := len(dst)
	dst = append(dst, byte(int(n.exp)+len(digits)-1-minMagnitude))
	if len(digits)%2 != 0 {
		digits = append(digits, '0')
	}
	for i := 0; i < len(digits); i += 2 {
		dst = append(dst, (digits[i]-'0')*10+digits[i+1]-'0'+1)
	}
	dst = append(dst, 0)
	if n.neg {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

func decodeNumberKey(neg bool, b []byte) (Value, []byte, error) {
	var invert byte
	if neg {
		invert = 0xFF
	}
	if len(b) == 0 {
		return Value{}, nil, ErrCorrupt
	}
	magnitude := int(b[0]^invert) + minMagnitude
	var coef uint128
	for i := 1; i < len(b) && i <= maxDigits/2+1; i++ {
		pair := b[i] ^ invert
		if pair == 0 {
			digits := coef.digits()
			n := canonical(neg, coef, int16(magnitude-digits+1))
			// Only the form that appendNumberKey writes is accepted: the first
			// digit is not 0 and the last pair is not 00.
			if i == 1 || digits != 2*(i-1) || b[i-1]^invert == 1 {
				return Value{}, nil, ErrCorrupt
			}
			return Num(n), b[i+1:], nil
		}
		if pair > 100 || i > maxDigits/2 {
			return Value{}, nil, ErrCorrupt
		}
		coef = coef.times10().times10().plus(uint128{lo: uint64(pair - 1)})
	}
	return Value{}, nil, ErrCorrupt
}
