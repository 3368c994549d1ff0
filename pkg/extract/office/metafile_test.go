package office_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/assay-project/assay/pkg/extract/office/officetest"
)

// emf returns an EMF that draws text.
func emf(text string) string {
	le := binary.LittleEndian
	header := make([]byte, 88)
	le.PutUint32(header, 1)
	le.PutUint32(header[4:], 88)
	copy(header[40:], " EMF")
	units := utf16.Encode([]rune(text))
	record := make([]byte, 76, 76+2*len(units))
	le.PutUint32(record, 84)
	le.PutUint32(record[44:], uint32(len(units)))
	le.PutUint32(record[48:], 76)
	for _, u := range units {
		record = le.AppendUint16(record, u)
	}
	le.PutUint32(record[4:], uint32(len(record)))
	return string(header) + string(record)
}

// wmf returns a WMF that draws text, which must have an even number of Windows-1252 bytes.
func wmf(text string) string {
	le := binary.LittleEndian
	out := append([]byte{0xd7, 0xcd, 0xc6, 0x9a}, make([]byte, 18+18)...)
	record := le.AppendUint32(nil, uint32(6+2+len(text)+4)/2)
	record = le.AppendUint16(record, 0x0521)
	record = le.AppendUint16(record, uint16(len(text)))
	return string(append(append(append(out, record...), text...), 0, 0, 0, 0))
}

// TestMetafiles checks that the preview of an embedded object contributes its text once.
func TestMetafiles(t *testing.T) {
	d := mustRead(t, officetest.Archive(
		officetest.Links("", "officeDocument", "word/document.xml"),
		officetest.Part{"word/document.xml", `<w:document>` + officetest.Paragraph("", "before") + `</w:document>`},
		officetest.Links("word/document.xml", "image", "media/a.emf", "image", "media/a.emf", "image", "media/b.wmf", "image", "media/c.emf", "image", "media/d.png"),
		officetest.Part{"word/media/a.emf", emf("Größe 5")}, officetest.Part{"word/media/b.wmf", wmf("Ma\xdf!")}, officetest.Part{"word/media/c.emf", emf("cut")[:100]}, officetest.Part{"word/media/d.png", "no text"},
	))
	if want := "before\nGröße 5\nMaß!"; d.Text != want {
		t.Errorf("got %q, want %q", d.Text, want)
	}
}
