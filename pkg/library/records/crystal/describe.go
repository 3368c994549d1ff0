package crystal

import (
	"math"
	"strings"

	"github.com/assay-project/assay/pkg/library/records"
	"github.com/assay-project/assay/pkg/library/records/molecule"
)

// The names of properties. Formula and weight are those of package molecule, from the stated formula.
const (
	A                = "a" // edges of the cell in ångström
	B                = "b"
	C                = "c"
	Alpha            = "alpha" // angles in degrees
	Beta             = "beta"
	Gamma            = "gamma"
	Volume           = "volume"       // of the cell in cubic ångström, computed
	VolumeAgrees     = "volumeAgrees" // with the stated one, to 0.2 % or 5 of its uncertainties
	SpaceGroup       = "spaceGroup"   // Hermann-Mauguin symbol
	SpaceGroupNumber = "spaceGroupNumber"
	Operations       = "symmetryOperations"
	Sites            = "sites"     // with coordinates, in the asymmetric unit
	CellAtoms        = "cellAtoms" // places of atoms in the cell, by the operations
)

// Read reads a data block as a record.
func Read(raw []byte) records.Record {
	text := records.Decode(raw)
	b, err := Parse(text)
	if err != nil {
		return records.Record{Error: err.Error(), Content: text}
	}
	r := records.Record{Name: b.Name, Content: text}
	for _, f := range b.Items {
		if f.Value != "?" && f.Value != "." && len(r.Fields) < records.MaxFields {
			r.Fields = append(r.Fields, f)
		}
	}
	b.describe(&r)
	return r
}

func (b *Block) describe(r *records.Record) {
	set := func(name string, value any) {
		r.Properties = append(r.Properties, records.Property{Name: name, Value: value})
	}
	missing := func(names ...string) { r.NotDetermined = append(r.NotDetermined, names...) }
	b.formula(set, missing)
	if name := b.first("_space_group_name_h-m_alt", "_symmetry_space_group_name_h-m"); name != "" {
		set(SpaceGroup, name)
	}
	if n, _, ok := number(b.first("_space_group_it_number", "_symmetry_int_tables_number")); ok {
		set(SpaceGroupNumber, int64(n))
	}
	s, ok := b.Structure()
	if !ok {
		missing(Volume)
		return
	}
	for _, edge := range []struct {
		name  string
		value float64
	}{{A, s.Cell.A}, {B, s.Cell.B}, {C, s.Cell.C}, {Alpha, s.Cell.Alpha}, {Beta, s.Cell.Beta}, {Gamma, s.Cell.Gamma}} {
		set(edge.name, edge.value)
	}
	volume, _ := s.Cell.Volume()
	set(Volume, math.Round(volume*100)/100)
	if stated, uncertainty, ok := number(b.first("_cell_volume")); ok {
		set(VolumeAgrees, math.Abs(stated-volume) <= max(0.002*volume, 5*uncertainty))
	}
	set(Operations, int64(len(s.Operations)))
	set(Sites, int64(len(s.Sites)))
	if atoms, ok := s.Atoms(); ok && len(s.Sites) > 0 {
		set(CellAtoms, int64(len(atoms)))
	} else {
		missing(CellAtoms)
	}
}

func (b *Block) formula(set func(string, any), missing func(...string)) {
	c, ok := molecule.ParseFormula(b.first("_chemical_formula_sum"))
	if !ok {
		missing(molecule.Formula, molecule.Weight)
		return
	}
	set(molecule.Formula, c.Formula())
	weight, _, reason := c.Masses()
	if reason != "" {
		missing(molecule.Weight)
		return
	}
	set(molecule.Weight, math.Round(weight*1e3)/1e3)
}

// first returns the value of the first tag that has one.
func (b *Block) first(tags ...string) string {
	for _, tag := range tags {
		if value, found := b.Items.Get(tag); found && value != "?" && value != "." {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}
