package crystal

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

var mutations = flag.Int("mutations", 200, "number of damaged files for each parser")

// halite has the cell edge of rock salt. Its stated volume is the cube of the edge.
const halite = `# a comment
data_halite
_chemical_formula_sum 'Cl Na'
_chemical_name_mineral ?
_cell_length_a 5.6402(2)
_cell_length_b 5.6402(2)
_cell_length_c 5.6402(2)
_cell_angle_alpha 90
_cell_angle_beta 90.000
_cell_angle_gamma 90
_cell_volume 179.43
_symmetry_space_group_name_H-M "F m -3 m"
_symmetry_Int_Tables_number 225
_publ_author
;
data_ in a text is no block
 'nor is this a quote
;
loop_
_symmetry_equiv_pos_as_xyz
x,y,z 'x,1/2+y,z+1/2' "x+0.5, y, z+1/2"
x+1/2,y+1/2,z
-x,-y,-z
loop_
_atom_site_label
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
Na1 0 0 0
Cl1 0.5000(1) 0 0
H1 ? ? ?
`

func TestHalite(t *testing.T) {
	all := readAll([]byte("# file\n" + halite + strings.Replace(halite, "data_halite", "DATA_second", 1)))
	if len(all) != 2 || all[0].Name != "halite" || all[1].Name != "second" {
		t.Fatalf("got %+v, want halite and second", all)
	}
	want := records.Properties{{Name: "formula", Value: "ClNa"}, {Name: "weight", Value: 58.44}, {Name: SpaceGroup, Value: "F m -3 m"}, {Name: SpaceGroupNumber, Value: int64(225)},
		{Name: A, Value: 5.6402}, {Name: B, Value: 5.6402}, {Name: C, Value: 5.6402}, {Name: Alpha, Value: 90.0}, {Name: Beta, Value: 90.0}, {Name: Gamma, Value: 90.0},
		{Name: Volume, Value: 179.43}, {Name: VolumeAgrees, Value: true}, {Name: Operations, Value: int64(5)}, {Name: Sites, Value: int64(2)}, {Name: CellAtoms, Value: int64(8)}}
	if !reflect.DeepEqual(all[0].Properties, want) || len(all[0].NotDetermined) > 0 {
		t.Errorf("got %+v, undetermined %v, error %q, want %+v", all[0].Properties, all[0].NotDetermined, all[0].Error, want)
	}
	if text, _ := all[0].Fields.Get("_publ_author"); !strings.HasPrefix(text, "data_ in a text") || strings.Contains(text, ";") {
		t.Errorf("got text field %q, want one that begins with \"data_ in a text\" and has no semicolons", text)
	}
	if _, found := all[0].Fields.Get("_chemical_name_mineral"); found {
		t.Error("got a field for an unknown value, want none")
	}
}

func readAll(data []byte) (all []records.Record) {
	s := records.NewScanner(bytes.NewReader(data), Boundary(), true)
	for {
		raw, err := s.Next()
		if err != nil {
			return all
		}
		all = append(all, Read(raw.Bytes))
	}
}

// The volume of a triclinic cell is the determinant of its edge vectors.
func TestVolume(t *testing.T) {
	c := Cell{8.7038, 12.204, 4.9747, 93.021, 90.616, 90.319}
	p := func(x, y, z float64) [3]float64 {
		sin := math.Sin(c.Gamma * math.Pi / 180)
		cy := (cos(c.Alpha) - cos(c.Beta)*cos(c.Gamma)) / sin
		return [3]float64{c.A*x + c.B*cos(c.Gamma)*y + c.C*cos(c.Beta)*z, c.B*sin*y + c.C*cy*z, c.C * math.Sqrt(1-cos(c.Beta)*cos(c.Beta)-cy*cy) * z}
	}
	want := p(1, 0, 0)[0] * p(0, 1, 0)[1] * p(0, 0, 1)[2]
	if v, ok := c.Volume(); !ok || math.Abs(v-want) > 1e-6 {
		t.Errorf("got volume %v, want %v", v, want)
	}
	for _, c := range []Cell{{1, 1, 1, 10, 10, 170}, {0, 1, 1, 90, 90, 90}, {1, 1, -1, 90, 90, 90}, {1, 1, 1, 0, 90, 90}} {
		if v, ok := c.Volume(); ok {
			t.Errorf("%+v: got volume %v, want none", c, v)
		}
	}
	r := Read([]byte(strings.Replace(halite, "_cell_volume 179.43", "_cell_volume 185(1)", 1)))
	if r.Properties.Get(VolumeAgrees) != false {
		t.Error("a different stated volume: got VolumeAgrees = true, want false")
	}
}

func TestOperations(t *testing.T) {
	for text, want := range map[string]Operation{
		"x,y,z":            {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
		"-Y, x-y, 1/3+z":   {{0, -1, 0, 0}, {1, -1, 0, 0}, {0, 0, 1, 1.0 / 3}},
		"+x+.25,-z-1/4, y": {{1, 0, 0, 0.25}, {0, 0, -1, -0.25}, {0, 1, 0, 0}},
	} {
		if got, ok := ParseOperation(text); !ok || got != want {
			t.Errorf("ParseOperation(%q) = %v, %t, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "x,y", "x,y,z,x", "x,y,w", "x,,z", "x,y,z+", "x,y,1/0+z", "x,y,1/2/3"} {
		if _, ok := ParseOperation(text); ok {
			t.Errorf("ParseOperation(%q): got ok = true, want false", text)
		}
	}
}

// TestStatedGroups checks files that state only a space group. Rock salt has 192 operations and 8 atoms in the cell, as gemmi
// reads from its Hall symbol and name.
func TestStatedGroups(t *testing.T) {
	head := strings.Replace(halite[:strings.Index(halite, "loop_")], "_cell_volume 179.43\n", "", 1)
	sites := halite[strings.LastIndex(halite, "loop_"):]
	symbol, number := "_symmetry_space_group_name_H-M \"F m -3 m\"\n", "_symmetry_Int_Tables_number 225\n"
	for name, test := range map[string]struct {
		from, to   string
		operations any
		source     any
		reason     any
	}{
		"name and number": {"", "", int64(192), "setting F m -3 m", nil},
		"name":            {number, "", int64(192), "setting F m -3 m", nil},
		"number":          {symbol, "", int64(192), "setting F m -3 m", nil},
		"mmCIF":           {symbol, "_symmetry.space_group_name_H-M 'F m -3 m'\n", int64(192), "setting F m -3 m", nil},
		"Hall symbol":     {symbol, "_space_group_name_Hall '-F 4 2 3'\n", int64(192), "Hall symbol -F 4 2 3", nil},
		"two origins":     {symbol + number, "_space_group_name_H-M_alt 'F d -3 m'\n", int64(192), "setting F d -3 m:2", nil},
		"stated origin":   {symbol + number, "_space_group_name_H-M_alt 'F d -3 m :1'\n", int64(192), "setting F d -3 m:1", nil},
		"one operation":   {symbol + number, "_symmetry_equiv_pos_as_xyz 'x, y, z'\n", int64(1), nil, nil},
		"unknown":         {symbol, "_symmetry_space_group_name_H-M 'F q'\n", nil, nil, `the space group "F q" is unknown`},
		"contradiction":   {number, "_symmetry_Int_Tables_number 221\n", nil, nil, "F m -3 m is space group 225, but 221 is stated"},
		"other cell":      {symbol + number, "_symmetry_Int_Tables_number 194\n", nil, nil, "the cell does not have the symmetry of space group P 63/m m c"},
		"no such number":  {symbol + number, "_symmetry_Int_Tables_number 231\n", nil, nil, "there is no space group 231"},
		"nothing":         {symbol + number, "", nil, nil, "neither operations nor a space group are stated"},
	} {
		r := Read([]byte(strings.Replace(head, test.from, test.to, 1) + sites))
		if test.from == "" {
			r = Read([]byte(head + sites))
		}
		got := r.Properties
		if r.Failed() || got.Get(Operations) != test.operations || got.Get(Symmetry) != test.source || got.Get(molecule.Reason) != test.reason {
			t.Errorf("%s: got %+v, want %v operations from %v, reason %v", name, r, test.operations, test.source, test.reason)
		}
		if atoms := got.Get(CellAtoms); test.operations == int64(192) && test.to != "" && !strings.Contains(test.to, "d -3") && atoms != int64(8) {
			t.Errorf("%s: got %v atoms, want 8", name, atoms)
		}
	}
}

// TestRhombohedralAxes checks that the cell decides between the hexagonal and the rhombohedral axes of a symbol. Calcite has 18
// operations times 2 in hexagonal axes, and 12 in rhombohedral axes.
func TestRhombohedralAxes(t *testing.T) {
	cell := "data_x\n_symmetry_space_group_name_H-M 'R -3 c'\n_cell_length_a %s\n_cell_length_b %s\n_cell_length_c %s\n" +
		"_cell_angle_alpha %s\n_cell_angle_beta %s\n_cell_angle_gamma %s\n"
	for values, want := range map[string]int64{"4.99 4.99 17.06 90 90 120": 36, "6.375 6.375 6.375 46.1 46.1 46.1": 12} {
		var all []any
		for _, v := range strings.Fields(values) {
			all = append(all, v)
		}
		if r := Read(fmt.Appendf(nil, cell, all...)); r.Properties.Get(Operations) != want {
			t.Errorf("%s: got %+v, want %d operations", values, r, want)
		}
	}
}

// TestSpecialPositions checks a site with rounded coordinates at a threefold axis, which is one atom.
func TestSpecialPositions(t *testing.T) {
	r := Read([]byte("data_x\n_symmetry_space_group_name_H-M 'P 3'\n_cell_length_a 12\n_cell_length_b 12\n_cell_length_c 5\n_cell_angle_gamma 120\n" +
		"_atom_site_label C1\n_atom_site_fract_x 0.333\n_atom_site_fract_y 0.667\n_atom_site_fract_z 0.1\n"))
	if r.Properties.Get(Sites) != int64(1) || r.Properties.Get(CellAtoms) != int64(1) {
		t.Errorf("got %+v, want one atom", r)
	}
}

func TestRepeatedTags(t *testing.T) {
	r := Read([]byte("data_x\n_a 1\n_A 2\n"))
	if v, _ := r.Fields.Get("_a"); v != "1" || r.Properties.Get(Problem) != "line 3: _A is repeated" {
		t.Errorf("got %+v, want the first value and a problem", r)
	}
}

func TestUndeterminedPropertiesAreListed(t *testing.T) {
	for name, test := range map[string]struct{ from, to, missing string }{
		"cell":       {"_cell_length_a 5.6402(2)\n", "", "volume"},
		"operations": {"-x,-y,-z", "-x,-y,-w", "symmetryOperations cellAtoms"},
		"formula":    {"'Cl Na'", "'Cl0.5 Na'", "formula weight"},
	} {
		r := Read([]byte(strings.Replace(halite, test.from, test.to, 1)))
		if got := strings.Join(r.NotDetermined, " "); got != test.missing {
			t.Errorf("%s: got %q, want %q", name, got, test.missing)
		}
	}
}

// TestMacromolecules checks the names of mmCIF, whose dots equal the underscores of core CIF, and Cartesian coordinates. The
// volume is 50 · 60 · 70 · sin 120°.
func TestMacromolecules(t *testing.T) {
	r := Read([]byte("data_1ABC\n_cell.length_a 50\n_cell.length_b 60\n_cell.length_c 70\n_cell.angle_alpha 90\n_cell.angle_beta 90\n" +
		"_cell.angle_gamma 120\n_symmetry.space_group_name_H-M 'P 3'\n_symmetry.Int_Tables_number 143\n" +
		"loop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\nC 10 25.98076211 35\n"))
	if r.Failed() || r.Properties.Get(A) != 50.0 || r.Properties.Get(Volume) != 181865.33 || r.Properties.Get(SpaceGroupNumber) != int64(143) {
		t.Errorf("got %+v, want the cell and the space group", r)
	}
	b, err := Parse(r.Content)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := b.Structure()
	if !ok || len(s.Sites) != 1 {
		t.Fatalf("got %+v, want one site", s)
	}
	// y is half of b · sin 120°, so v is a half; x is 10, and v · b · cos 120° is -15, so u is (10 + 15) / 50.
	if at := s.Sites[0]; math.Abs(at.X-0.5) > 1e-6 || math.Abs(at.Y-0.5) > 1e-6 || math.Abs(at.Z-0.5) > 1e-6 {
		t.Errorf("got the site %+v, want ½, ½, ½", at)
	}
}

// TestVersion2 checks the values that CIF 1.1 does not have: lists, tables and triple quotes (COMCIFS, CIF 2.0, 2016).
func TestVersion2(t *testing.T) {
	r := Read([]byte("data_x\n_a.list [1 'a ]' [2 3]]\n_b.text \"\"\"tri\nple\"\"\"\n_c.table {\"k\":1}\n"))
	want := records.Fields{{Name: "_a.list", Value: "[1 'a ]' [2 3]]"}, {Name: "_b.text", Value: "tri\nple"}, {Name: "_c.table", Value: `{"k":1}`}}
	if r.Failed() || !reflect.DeepEqual(r.Fields, want) {
		t.Errorf("got %+v, want fields %+v", r, want)
	}
	for _, damaged := range []string{"data_x\n_a [1 2\n", "data_x\n_a \"\"\"x\n_b 1\n"} {
		if r := Read([]byte(damaged)); !r.Failed() {
			t.Errorf("%q: got %+v, want an error", damaged, r)
		}
	}
}

func TestDamagedFilesNameLineAndToken(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"orphan":      {strings.Replace(halite, "_cell_volume 179.43", "_cell_volume 179.43 lost", 1), `line 11: "lost" belongs to no tag`},
		"no value":    {strings.Replace(halite, "_cell_volume 179.43", "_cell_volume", 1), `line 11: "_cell_volume" has no value`},
		"quote":       {strings.Replace(halite, "'Cl Na'", "'Cl Na", 1), `line 3: "'Cl Na" has no closing quote`},
		"text":        {strings.Replace(halite, "quote\n;\n", "quote\n", 1), `line 15: ";" begins a text field that has no end`},
		"loop":        {strings.Replace(halite, "H1 ? ? ?", "H1 ? ?", 1), `line 24: "loop_" has 11 values for 4 tags`},
		"no tags":     {"data_x\nloop_\n1 2\n", `line 3: "1" was found instead of the tags`},
		"head":        {"_a 1\n", `line 1: "_a" was found instead of data_`},
		"reserved":    {"data_x\nstop_\n", `line 2: "stop_" belongs to no tag`},
		"other block": {"data_x\ndata_y\n", `line 2: "data_y" begins another block`},
	} {
		if _, err := Parse(test.text); !errors.Is(err, ErrNotCIF) || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: got error %v, want %s", name, err, test.want)
		}
	}
}

func wellFormed(svg []byte) error {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestDrawing(t *testing.T) {
	b, err := Parse(strings.Replace(halite, "Na1 0", "Na<&> 0", 1))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := b.Structure()
	svg, err := s.SVG()
	if err != nil || wellFormed(svg) != nil || bytes.Count(svg, []byte("<circle")) != 8 || bytes.Count(svg, []byte("<path")) != 12 || bytes.Contains(svg, []byte("NaN")) {
		t.Errorf("got %s, error %v, want a cell of 12 edges with 8 atoms", svg, err)
	}
	s.Sites = nil
	if _, err := s.SVG(); !errors.Is(err, ErrNotDrawn) {
		t.Errorf("without sites: got error %v, want ErrNotDrawn", err)
	}
}

func use(data []byte) {
	readAll(data)
	if b, err := Parse(string(data)); err == nil {
		if s, ok := b.Structure(); ok {
			_, _ = s.SVG()
		}
	}
}

func TestDamagedFiles(t *testing.T) { recordstest.Mutate(t, *mutations, [][]byte{[]byte(halite)}, use) }

func FuzzCrystals(f *testing.F) {
	f.Add([]byte(halite))
	f.Add([]byte("data_a _x 'a'b' _y \"\" save_f _z 1 save_ loop_ _t"))
	f.Fuzz(func(t *testing.T, data []byte) {
		use(data)
		b, err := Parse(string(data))
		if err != nil {
			return
		}
		if s, ok := b.Structure(); ok {
			if svg, err := s.SVG(); err == nil && (wellFormed(svg) != nil || bytes.Contains(svg, []byte("NaN"))) {
				t.Errorf("got %s, want well-formed XML without NaN", svg)
			}
		}
	})
}

// TestTables checks the loops of a block as tables. The tags of one category begin with it.
func TestTables(t *testing.T) {
	all, err := tables(halite)
	if err != nil || len(all) != 2 {
		t.Fatalf("got %+v, %v, want two loops", all, err)
	}
	var csv bytes.Buffer
	if err := all[0].WriteCSV(&csv); err != nil || csv.String() != "_symmetry_equiv_pos_as_xyz\r\n\"x,y,z\"\r\n\"x,1/2+y,z+1/2\"\r\n\"x+0.5, y, z+1/2\"\r\n\"x+1/2,y+1/2,z\"\r\n\"-x,-y,-z\"\r\n" {
		t.Errorf("got %q, %v, want the operations unchanged", csv.String(), err)
	}
	if s := all[1]; s.Name != "_atom_site" || s.Rows != 3 || !reflect.DeepEqual(s.Row(1), []string{"Cl1", "0.5000(1)", "0", "0"}) {
		t.Errorf("got %+v, want the sites", s)
	}
	if _, err := tables("no block"); !errors.Is(err, ErrNotCIF) {
		t.Errorf("got error %v, want ErrNotCIF", err)
	}
}
