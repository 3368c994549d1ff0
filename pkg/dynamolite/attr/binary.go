package attr

import "encoding/binary"

// maxStoredDepth bounds the recursion of DecodeItem over corrupt bytes. Valid
// items nest at most MaxDepth levels.
const maxStoredDepth = 2 * MaxDepth

// EncodeItem appends the stored form of the item. Equal items have equal forms. All values must be
// valid (see Item.Validate).
//
// An item is stored as the number of its names, then each name in ascending order with its value. A
// value is its kind, then a length and bytes (S, B), a count and elements (L and sets), an item
// (M), 0 or 1 (BOOL), or for a number a sign, a power of ten and the two halves of its coefficient.
// Lengths and counts are varints.
func EncodeItem(dst []byte, it Item) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(it)))
	for i := range it {
		dst = appendText(dst, it[i].Name)
		dst = appendValue(dst, it[i].Value)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendValue(dst []byte, v Value) []byte {
	dst = append(dst, byte(v.Kind))
	switch v.Kind {
	case S, B:
		return appendText(dst, v.Str)
	case N:
		return appendNumber(dst, v.Num)
	case BOOL:
		return append(dst, boolByte(v.Bool))
	case NULL:
		return dst
	case M:
		return EncodeItem(dst, v.Map)
	case L, SS, NS, BS:
		dst = binary.AppendUvarint(dst, uint64(len(v.List)))
		for _, elem := range v.List {
			dst = appendValue(dst, elem)
		}
		return dst
	default:
		panic("attr: cannot encode an invalid value: " + v.Str)
	}
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendNumber(dst []byte, n Number) []byte {
	dst = append(dst, boolByte(n.neg))
	dst = binary.AppendVarint(dst, int64(n.exp))
	dst = binary.AppendUvarint(dst, n.lo)
	return binary.AppendUvarint(dst, n.hi)
}

// DecodeItem decodes the output of EncodeItem. It keeps no reference to b; all
// strings of the item share one copy of b. The error is ErrCorrupt unless b is
// exactly one encoding.
func DecodeItem(b []byte) (Item, error) {
	d := decoder{rest: string(b)}
	it := d.item(0)
	if d.failed || d.rest != "" {
		return nil, ErrCorrupt
	}
	return it, nil
}

// AppendStored appends the JSON of the item that DecodeItem would return for b, and returns that
// item's Size. It is several times faster than DecodeItem, AppendJSON and Size.
func AppendStored(dst, b []byte) (json []byte, size int, err error) {
	d := decoder{rest: string(b)}
	dst = append(dst, '{')
	for i := range d.length() {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := d.text()
		value := d.value(1)
		if d.failed {
			break
		}
		size += len(name) + value.Size()
		dst = value.AppendJSON(append(appendQuoted(dst, name), ':'))
	}
	if d.failed || d.rest != "" {
		return nil, 0, ErrCorrupt
	}
	return append(dst, '}'), size, nil
}

// decoder reads from the front of rest. After a failure, rest is empty and every
// further read returns a zero value.
type decoder struct {
	rest   string
	failed bool
}

func (d *decoder) fail() {
	d.failed = true
	d.rest = ""
}

func (d *decoder) byte() byte {
	if d.rest == "" {
		d.fail()
		return 0
	}
	c := d.rest[0]
	d.rest = d.rest[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	var x uint64
	for shift := 0; shift < 64; shift += 7 {
		c := d.byte()
		x |= uint64(c&0x7F) << shift
		if c < 0x80 {
			return x
		}
	}
	d.fail()
	return 0
}

// length reads the length of text or the number of elements. It cannot exceed the
// number of remaining bytes, because each element has at least one byte.
func (d *decoder) length() int {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.length()
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) item(depth int) Item {
	n := d.length()
	it := make(Item, 0, min(n, 1024))
	for i := range n {
		it = append(it, Attribute{Name: d.text(), Value: d.value(depth + 1)})
		if i > 0 && it[i-1].Name >= it[i].Name {
			d.fail()
		}
		if d.failed {
			return nil
		}
	}
	return it
}

func (d *decoder) value(depth int) Value {
	v := Value{Kind: Kind(d.byte())}
	switch v.Kind {
	case S, B:
		v.Str = d.text()
	case N:
		v.Num = d.number()
	case BOOL:
		v.Bool = d.byte() != 0
	case NULL:
	case M, L, SS, NS, BS:
		if depth > maxStoredDepth {
			d.fail()
			break
		}
		if v.Kind == M {
			v.Map = d.item(depth)
			break
		}
		count := d.length()
		v.List = make([]Value, 0, min(count, 1024))
		for range count {
			v.List = append(v.List, d.value(depth+1))
			if d.failed {
				break
			}
		}
	default:
		d.fail()
	}
	return v
}

func (d *decoder) number() Number {
	n := Number{neg: d.byte() != 0}
	ux := d.uvarint()
	n.exp = int16(int64(ux>>1) ^ -int64(ux&1))
	n.lo = d.uvarint()
	n.hi = d.uvarint()
	return n
}
