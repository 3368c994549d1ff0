package crystal

import (
	"bytes"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Formats returns the formats of files with crystal structures.
func Formats() []records.Format {
	return []records.Format{{
		Name: "cif", Media: "chemical/x-cif",
		Boundary: Boundary, Read: Read, Draw: draw, Tables: tables, Write: records.WriteContent,
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

// tables returns the loops of a data block. The name of a loop is the category that its tags have in common.
func tables(content string) ([]records.Table, error) {
	b, err := Parse(content)
	if err != nil {
		return nil, err
	}
	var all []records.Table
	for _, l := range b.Loops {
		n := len(l.Tags)
		all = append(all, records.Table{
			Name: l.category(), Columns: l.Tags, Rows: len(l.Values) / n, Row: func(i int) []string { return l.Values[i*n : (i+1)*n] },
		})
	}
	return all, nil
}

// category returns the words that all tags of a loop begin with.
func (l *Loop) category() string {
	common := l.Tags[0]
	for _, tag := range l.Tags[1:] {
		for !strings.HasPrefix(tag, common) {
			common = common[:len(common)-1]
		}
	}
	if end := strings.LastIndexAny(common, "_."); len(l.Tags) > 1 && end > 0 {
		common = common[:end]
	}
	return common
}
