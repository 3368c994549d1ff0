package pixels

import "encoding/binary"

// Types of TIFF values (TIFF 6.0, section 2).
const (
	typeByte   = 1
	typeShort  = 3
	typeLong   = 4
	typeSByte  = 6
	typeSShort = 8
	typeSLong  = 9
	typeIFD    = 13
)

// directories reads the directories of a TIFF structure, as in EXIF and in raw files. It returns zero values for
// everything beyond the end of the data.
type directories struct {
	data  []byte
	order binary.ByteOrder
}

// field is an entry of a directory.
type field struct {
	tag, kind uint16
	count     uint32
	value     []byte // count values, or fewer if the data ends early
}

// openDirectories returns the directories of a TIFF structure and the offset of the first. The version is the
// number after the byte order, 42 in TIFF; it returns 0 for other data.
func openDirectories(data []byte) (d directories, first uint64, version uint16) {
	if len(data) < 8 {
		return d, 0, 0
	}
	switch string(data[:2]) {
	case "II":
		d.order = binary.LittleEndian
	case "MM":
		d.order = binary.BigEndian
	default:
		return d, 0, 0
	}
	d.data = data
	return d, uint64(d.order.Uint32(data[4:])), d.order.Uint16(data[2:])
}

// each calls f for each field of the directory at an offset, and returns the offset of the next directory, or 0.
func (d directories) each(at uint64, f func(field)) (next uint64) {
	const entry = 12
	if at < 8 || at+2 > uint64(len(d.data)) {
		return 0
	}
	entries := d.data[at+2:]
	for range d.order.Uint16(d.data[at:]) {
		if len(entries) < entry {
			return 0
		}
		e := field{tag: d.order.Uint16(entries), kind: d.order.Uint16(entries[2:]), count: d.order.Uint32(entries[4:]), value: entries[8:entry]}
		if size := uint64(e.count) * uint64(width(e.kind)); size > 4 {
			begin := min(uint64(d.order.Uint32(e.value)), uint64(len(d.data)))
			e.value = d.data[begin:min(begin+size, uint64(len(d.data)))]
		}
		f(e)
		entries = entries[entry:]
	}
	if len(entries) < 4 {
		return 0
	}
	return uint64(d.order.Uint32(entries))
}

// width returns the number of bytes of an integer type, and 0 for other types.
func width(kind uint16) int {
	switch kind {
	case typeByte, typeSByte:
		return 1
	case typeShort, typeSShort:
		return 2
	case typeLong, typeSLong, typeIFD:
		return 4
	}
	return 0
}

// integer returns value n of a field of an integer type. A negative value is returned as a large one.
func (d directories) integer(e field, n int) (uint64, bool) {
	w := width(e.kind)
	if w == 0 || n < 0 || int64(n) >= int64(e.count) || (n+1)*w > len(e.value) {
		return 0, false
	}
	switch at := e.value[n*w:]; w {
	case 1:
		return uint64(at[0]), true
	case 2:
		return uint64(d.order.Uint16(at)), true
	default:
		return uint64(d.order.Uint32(at)), true
	}
}
