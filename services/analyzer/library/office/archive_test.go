package office_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/assay-project/assay/services/analyzer/library/office"
)

// part is a file of a document.
type part struct{ name, content string }

func archive(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := w.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// links is the part of a part's links: kind, target, kind, target, with the ids r0, r1, ….
func links(of string, kindsAndTargets ...string) part {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(kindsAndTargets); i += 2 {
		b.WriteString(`<Relationship Id="r` + string(rune('0'+i/2)) + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` +
			kindsAndTargets[i] + `" Target="` + kindsAndTargets[i+1] + `"/>`)
	}
	b.WriteString(`</Relationships>`)
	dir, file := "", of
	if i := strings.LastIndexByte(of, '/'); i >= 0 {
		dir, file = of[:i+1], of[i+1:]
	}
	return part{dir + "_rels/" + file + ".rels", b.String()}
}

func read(t testing.TB, data []byte, l office.Limits) (*office.Document, error) {
	t.Helper()
	return office.Read(t.Context(), bytes.NewReader(data), int64(len(data)), l)
}

func mustRead(t testing.TB, data []byte) *office.Document {
	t.Helper()
	d, err := read(t, data, office.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Damaged != 0 || d.Cut != "" {
		t.Errorf("%d parts are damaged, cut: %q", d.Damaged, d.Cut)
	}
	return d
}

// compound returns an OLE file with streams of 4 KiB or less ([MS-CFB]).
func compound(streams ...part) []byte {
	const sector, free, end, fat = 512, 0xffffffff, 0xfffffffe, 0xfffffffd
	le := binary.LittleEndian
	header := make([]byte, sector)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le.PutUint16(header[24:], 0x3e)
	le.PutUint16(header[26:], 3)
	le.PutUint16(header[28:], 0xfffe)
	le.PutUint16(header[30:], 9)
	le.PutUint16(header[32:], 6)
	le.PutUint32(header[44:], 1)    // one sector of the FAT: 0
	le.PutUint32(header[48:], 1)    // the directory begins at sector 1
	le.PutUint32(header[56:], 4096) // smaller streams are elsewhere, so none is
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
		entry(i+1, s.name, 2, next, 4096)
		if i+1 < len(streams) {
			le.PutUint32(directory[128*(i+1)+72:], uint32(i+2)) // the right sibling
		}
		contents = append(contents, append([]byte(s.content), make([]byte, 4096-len(s.content))...)...)
		for range 7 {
			le.PutUint32(table[4*next:], next+1)
			next++
		}
		le.PutUint32(table[4*next:], end)
		next++
	}
	return bytes.Join([][]byte{header, table, directory, contents}, nil)
}

func TestCompound(t *testing.T) {
	for name, c := range map[string]struct {
		data   []byte
		want   error
		format string
	}{
		"encrypted":    {compound(part{"EncryptionInfo", ""}, part{"EncryptedPackage", "x"}), office.ErrLocked, ""},
		"Word":         {compound(part{"WordDocument", strings.Repeat("\x00", 12)}), nil, "doc"},
		"Word, locked": {compound(part{"WordDocument", strings.Repeat("\x00", 11) + "\x01"}), office.ErrLocked, ""},
		"Excel":        {compound(part{"Workbook", ""}), nil, "xls"},
		"PowerPoint":   {compound(part{"PowerPoint Document", ""}), nil, "ppt"},
		"another":      {compound(part{"Contents", ""}), office.ErrFormat, ""},
		"truncated":    {compound(part{"Workbook", ""})[:600], office.ErrDamaged, ""},
		"a title":      {compound(part{"\x05SummaryInformation", summary("On Foxes")}, part{"WordDocument", strings.Repeat("\x00", 12)}), nil, "doc"},
	} {
		d, err := read(t, c.data, office.Limits{})
		if !errors.Is(err, c.want) || err == nil && d.Format != c.format {
			t.Errorf("%s: %+v, %v; want %q, %v", name, d, err, c.format, c.want)
		}
		if name == "a title" && d.Properties.Title != "On Foxes" {
			t.Errorf("%+v", d.Properties)
		}
	}
}

// summary returns a set of properties with a title ([MS-OLEPS]).
func summary(title string) string {
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
