package pixels

import (
	"encoding/binary"
	"slices"
)

// hasBrand reports whether the first 32 bytes of a file contain an ftyp box with one of the brands.
func hasBrand(head []byte, brands ...string) bool {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return false
	}
	size := min(int(min(binary.BigEndian.Uint32(head), 1<<20)), len(head))
	for at := 8; at+4 <= size; at += 4 {
		if at != 12 && slices.Contains(brands, string(head[at:at+4])) { // bytes 12 to 15 are the minor version
			return true
		}
	}
	return false
}

// eachBox calls f for each box in data, which is part of an ISO base media file (ISO/IEC 14496-12, 4.2).
func eachBox(data []byte, f func(name string, body []byte)) {
	for len(data) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		switch size {
		case 0: // extends to the end
			size = uint64(len(data))
		case 1:
			if len(data) < 16 {
				return
			}
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < head || size > uint64(len(data)) {
			return
		}
		f(string(data[4:8]), data[head:size])
		data = data[size:]
	}
}
