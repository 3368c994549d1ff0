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
		Example: "data_cell\n_cell_length_a 5\n_cell_length_b 5\n_cell_length_c 5\n" +
			"loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\nNa 0 0 0\n",
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
