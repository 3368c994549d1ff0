package officetest

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// Compound returns an OLE file with streams of at most 4 KiB ([MS-CFB]).
func Compound(streams ...Part) []byte {
	const sector, free, end, fat = 512, 0xffffffff, 0xfffffffe, 0xfffffffd
	le := binary.LittleEndian
	header := make([]byte, sector)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le.PutUint16(header[24:], 0x3e)
	le.PutUint16(header[26:], 3)
	le.PutUint16(header[28:], 0xfffe)
	le.PutUint16(header[30:], 9)
	le.PutUint16(header[32:], 6)
	le.PutUint32(header[44:], 1)    // one FAT sector: 0
	le.PutUint32(header[48:], 1)    // the directory begins at sector 1
	le.PutUint32(header[56:], 4096) // cutoff of the mini stream; no stream here is smaller
	le.PutUint32(header[60:], end)  // no mini FAT
	le.PutUint32(header[68:], end)  // no DIFAT
	for i := 76; i < sector; i += 4 {
		le.PutUint32(header[i:], free)
	}
	le.PutUint32(header[76:], 0)
	table := make([]byte, sector)
	for i := 0; i < sector; i += 4 {
		le.PutUint32(table[i:], free)
	}
	le.PutUint32(table, fat)
	le.PutUint32(table[4:], end)
	directory, contents := make([]byte, sector), []byte{}
	entry := func(i int, name string, kind byte, start, size uint32) {
		e := directory[128*i:]
		for j, u := range utf16.Encode([]rune(name)) {
			le.PutUint16(e[2*j:], u)
		}
		le.PutUint16(e[64:], uint16(2*len(name)+2))
		e[66], e[67] = kind, 1
		for _, at := range []int{68, 72, 76} {
			le.PutUint32(e[at:], free)
		}
		le.PutUint32(e[116:], start)
		le.PutUint32(e[120:], size)
	}
	entry(0, "Root Entry", 5, end, 0)
	le.PutUint32(directory[76:], 1)
	next := uint32(2)
	for i, s := range streams {
		entry(i+1, s[0], 2, next, 4096)
		if i+1 < len(streams) {
			le.PutUint32(directory[128*(i+1)+72:], uint32(i+2)) // the right sibling
		}
		contents = append(contents, append([]byte(s[1]), make([]byte, 4096-len(s[1]))...)...)
		for range 7 {
			le.PutUint32(table[4*next:], next+1)
			next++
		}
		le.PutUint32(table[4*next:], end)
		next++
	}
	return bytes.Join([][]byte{header, table, directory, contents}, nil)
}

// Summary returns a SummaryInformation stream with a title ([MS-OLEPS]).
func Summary(title string) string {
	le := binary.LittleEndian
	b := []byte{0xfe, 0xff, 0, 0, 0, 0, 2, 0}
	b = append(b, make([]byte, 16)...)
	b = le.AppendUint32(b, 1)
	b = append(b, "\xe0\x85\x9f\xf2\xf9\x4f\x68\x10\xab\x91\x08\x00\x2b\x27\xb3\xd9"...) // FMTID_SummaryInformation
	b = le.AppendUint32(b, uint32(len(b)+4))
	title += "\x00"
	for len(title)%4 != 0 {
		title += "\x00"
	}
	set := le.AppendUint32(nil, 2) // two properties
	for _, v := range []uint32{1, 24, 2, 32} {
		set = le.AppendUint32(set, v)
	}
	set = append(le.AppendUint32(set, 2), 0xe4, 0x04, 0, 0) // VT_I2, code page 1252
	set = le.AppendUint32(set, 30)                          // VT_LPSTR
	set = le.AppendUint32(set, uint32(len(title)))
	set = append(set, title...)
	return string(append(le.AppendUint32(b, uint32(len(set)+4)), set...))
}
