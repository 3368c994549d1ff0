package crystal

import (
	"bytes"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Formats returns the formats of files with crystal structures.
func Formats() []records.Format {
	return []records.Format{{
		Name: "cif", Media: "chemical/x-cif",
		Boundary: Boundary, Read: Read, Draw: draw, Write: records.WriteContent,
	}}
}

// HasCrystals reports whether a text that begins with head is a CIF.
func HasCrystals(head []byte) bool {
	return bytes.Contains(head, []byte("\n_cell_length_a")) || records.BeginsWith(head, "data_") && bytes.Contains(head, []byte("\n_"))
}

func draw(content string) ([]byte, error) {
	b, err := Parse(content)
	if err != nil {
		return nil, records.NotDrawn(err)
	}
	s, ok := b.Structure()
	if !ok {
		return nil, records.NotDrawn(ErrNotDrawn)
	}
	return records.Drawing(s.SVG())
}
