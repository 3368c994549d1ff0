package pixels

import (
	"encoding/binary"
	"errors"
)

var errAVIFLayout = errors.New("the AVIF encoder returned an unexpected layout")

// avifProfile adds a profile to the primary item of a file of libavif, whose boxes are ftyp, meta and mdat. It appends a
// property and an association, and moves the locations of the items by the added size.
func avifProfile(file, profile []byte) ([]byte, error) {
	colr := append([]byte("prof"), profile...)
	added := 8 + len(colr) + 1
	var out []byte
	moved := false
	eachBox(file, func(name string, body []byte) {
		if name != "meta" || len(body) < 4 {
			out = appendBox(out, name, body)
			return
		}
		meta := append([]byte(nil), body[:4]...)
		eachBox(body[4:], func(name string, body []byte) {
			switch name {
			case "iloc":
				body, moved = movedItems(body, added)
			case "iprp":
				body = profiledProperties(body, colr)
			}
			meta = appendBox(meta, name, body)
		})
		out = appendBox(out, name, meta)
	})
	if !moved || len(out) != len(file)+added {
		return nil, errAVIFLayout
	}
	return out, nil
}

// profiledProperties appends a colr property to an iprp box, and associates it with the first item.
func profiledProperties(iprp, colr []byte) []byte {
	var out []byte
	var properties int
	eachBox(iprp, func(name string, body []byte) {
		switch name {
		case "ipco":
			eachBox(body, func(string, []byte) { properties++ })
			body = appendBox(append([]byte(nil), body...), "colr", colr)
		case "ipma": // version 0 with associations of one byte: the item follows the number of items
			const count = 10
			if len(body) > count && body[0] == 0 && body[3] == 0 && properties < 127 {
				body = append([]byte(nil), body...)
				body[count]++
				end := count + int(body[count])
				body = append(body[:end], append([]byte{byte(properties + 1)}, body[end:]...)...)
			}
		}
		out = appendBox(out, name, body)
	})
	return out
}

// movedItems adds n to the offsets of an iloc box of version 0 with offsets and sizes of 4 bytes and no base offset.
func movedItems(body []byte, n int) ([]byte, bool) {
	if len(body) < 8 || body[0] != 0 || body[4] != 0x44 || body[5]>>4 != 0 {
		return body, false
	}
	out := append([]byte(nil), body...)
	at := 8
	for range binary.BigEndian.Uint16(out[6:]) {
		if at+6 > len(out) {
			return body, false
		}
		extents := int(binary.BigEndian.Uint16(out[at+4:]))
		at += 6
		for range extents {
			if at+8 > len(out) {
				return body, false
			}
			binary.BigEndian.PutUint32(out[at:], binary.BigEndian.Uint32(out[at:])+uint32(n))
			at += 8
		}
	}
	return out, true
}

func appendBox(out []byte, name string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(8+len(body)))
	return append(append(out, name...), body...)
}
