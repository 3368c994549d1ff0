package molecule

import (
	"math"
	"strings"
	"testing"
)

const (
	benzene  = "1:2 2:3 3:4 4:5 5:6 6:1"
	aspirin  = "1=2 2-3 3=4 4-5 5=6 6-1 1-7 7=8 7-9 2-10 10-11 11=12 11-13"
	caffeine = "1-2 2=3 3-4 4=5 5-1 5-6 6=7 6-8 8-9 9=10 9-4 1-11 8-12 4-13"
)

// The formulas and masses are those that RDKit 2022.09 determines from SMILES.
func TestKnownMolecules(t *testing.T) {
	for _, test := range []struct {
		name, atoms, bonds string
		formula            string
		weight, exact      float64
	}{
		{"water", "O", "", "H2O", 18.015, 18.010564684},
		{"ethanol", "C C O", "1-2 2-3", "C2H6O", 46.07, 46.041864811},
		{"benzene", "C C C C C C", benzene, "C6H6", 78.11, 78.046950192},
		{"aspirin", "C C C C C C C O O O C O C", aspirin, "C9H8O4", 180.16, 180.04225873},
		{"pyridine", "C C C C C N", benzene, "C5H5N", 79.10, 79.042199164},
		{"azulene", "C C C C C C C C C C", "1:2 2:3 3:4 4:5 5:1 5:6 6:7 7:8 8:9 9:10 10:4", "C10H8", 128.17, 128.062600255},
		{"DMSO", "C S C O", "1-2 2-3 2=4", "C2H6OS", 78.14, 78.013935998},
		{"nitrobenzene with pentavalent nitrogen", "C C C C C C N O O", benzene + " 1-7 7=8 7=9", "C6H5NO2", 123.11, 123.032028402},
		{"heavy water", "D O D", "1-2 2-3", "H2O", 20.028, 20.023118},
		{"sulfuric acid", "O S O O O", "1=2 2=3 2-4 2-5", "H2O4S", 98.08, 97.967379},
		{"silane", "Si", "", "H4Si", 32.117, 32.008227},
		{"perchloric acid", "Cl O O O O", "1=2 1=3 1=4 1-5", "ClHO4", 100.46, 99.956335},
		{"iron", "Fe", "", "Fe", 55.84, 55.93493},
	} {
		t.Run(test.name, func(t *testing.T) {
			for version, text := range map[string]string{"V2000": block(test.atoms, test.bonds), "V3000": blockV3(test.atoms, test.bonds, nil)} {
				r := ReadSDF([]byte(text))
				weight, _ := r.Properties.Get(Weight).(float64)
				exact, _ := r.Properties.Get(ExactMass).(float64)
				if r.Properties.Get(Formula) != test.formula || math.Abs(weight-test.weight) > 0.02 || math.Abs(exact-test.exact) > 1e-5 {
					t.Errorf("%s: got %v %s, want %s, %v, %v", version, r.Properties, r.Error, test.formula, test.weight, test.exact)
				}
			}
		})
	}
}

func formula(t *testing.T, text string) (string, int) {
	t.Helper()
	m, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, _, reason := m.Composition()
	if reason != "" {
		return "? " + reason, 0
	}
	return c.Formula(), c.Charge
}

// The hydrogens are those of the MDL valence model: as many as the neutral element has with the same
// number of outer electrons.
func TestValences(t *testing.T) {
	for _, test := range []struct {
		atoms, bonds, line, want string
		charge                   int
	}{
		{"N", "", "M  CHG  1   1   1", "H4N", 1},
		{"O", "", "M  CHG  1   1  -1", "HO", -1},
		{"B", "", "M  CHG  1   1  -1", "BH4", -1},
		{"C", "", "M  CHG  1   1  -1", "CH3", -1},
		{"C", "", "M  RAD  1   1   2", "CH3", 0},
		{"C", "", "M  RAD  1   1   1", "CH2", 0},
		{"Na Cl", "", "M  CHG  2   1   1   2  -1", "ClNa", 0},
		{"Mg", "", "M  CHG  1   1   2", "Mg", 2},
		{"P O", "1=2", "", "HOP", 0},
		{"S O O", "1=2 1=3", "", "O2S", 0},
		{"I O O", "1=2 1=3", "", "HIO2", 0},
		{"Pt Cl Cl", "1-2 1-3", "", "Cl2Pt", 0},
		{"Sn", "", "", "H2Sn", 0},
		{"Xe", "", "", "Xe", 0},
		{"N B", "1>2", "", "BH6N", 0},
		{"N", "", "M  HYD  1   1   2", "H2N", 0},
	} {
		got, charge := formula(t, block(test.atoms, test.bonds, test.line))
		if got != test.want || charge != test.charge {
			t.Errorf("%s %s %s: got %s, charge %d, want %s, %d", test.atoms, test.bonds, test.line, got, charge, test.want, test.charge)
		}
	}
}

// The formulas are those of RDKit 2022.09: Chem.rdMolDescriptors.CalcMolFormula, except NH3→BH3 above, for which RDKit
// does not add the third hydrogen of boron. The second one is methylmagnesium chloride as in grignard_1.mol of RDKit's
// test data.
func TestCoordinationBonds(t *testing.T) {
	for _, test := range []struct {
		atoms, bonds string
		properties   map[int]string
		want         string
	}{
		{"C Mg Cl", "1-2 3>2", nil, "CH4ClMg"},
		{"C Mg Cl", "1>2 3>2", map[int]string{1: "CHG=-1", 2: "CHG=2 VAL=2", 3: "CHG=-1"}, "CH3ClMg"},
		{"N Pt Cl Cl N", "1>2 5>2 2-3 2-4", map[int]string{2: "VAL=4"}, "Cl2H6N2Pt"},
		{"O Al Cl Cl Cl", "1>2 2-3 2-4 2-5", nil, "AlCl3H2O"},
		{"C C F", "1-2 2>3", nil, "C2H6F"},
		{"N Zn", "1>2", nil, "H3NZn"},
	} {
		text := blockV3(test.atoms, test.bonds, test.properties)
		if got, _ := formula(t, text); got != test.want {
			t.Errorf("%s %s %v: got %s, want %s", test.atoms, test.bonds, test.properties, got, test.want)
		}
	}
	valence := strings.Replace(block("C Mg Cl", "1>2 3>2", "M  CHG  3   1  -1   2   2   3  -1"), "Mg  0  0  0  0  0  0", "Mg  0  0  0  0  0  2", 1)
	if got, _ := formula(t, valence); got != "CH3ClMg" {
		t.Errorf("V2000: got %s, want CH3ClMg", got)
	}
}

func TestAtomBlockValues(t *testing.T) {
	water := block("O", "")
	for _, test := range []struct{ from, to, want string }{
		{" O   0  0", " O   0  5", "HO"},                                            // a charge code
		{" O   0  0  0  0  0  0", " O   0  0  0  0  0 15", "O"},                     // valence 0
		{" O   0  0  0  0  0  0", " O   0  0  0  0  0  3", "H3O"},                   // valence 3
		{" O   0  0  0  0", " O   0  0  0  2", "? atom 1 is a query for hydrogens"}, // a query
	} {
		text := strings.Replace(water, test.from, test.to, 1)
		if text == water {
			t.Fatalf("got a block without %q, want one that contains it", test.from)
		}
		if got, _ := formula(t, text); got != test.want {
			t.Errorf("%q: got %s, want %s", test.to, got, test.want)
		}
	}
	text := strings.Replace(block("C", ""), " C   0", " C   1", 1)
	r := ReadSDF([]byte(text))
	if mass := r.Properties.Get(ExactMass); mass != 17.034655 { // NIST: 13.00335483507 + 4 × 1.00782503223
		t.Errorf("13C methane: got exact mass %v, want 17.034655", mass)
	}
}

func TestUndeterminedPropertiesAreListed(t *testing.T) {
	for name, test := range map[string]struct{ text, missing, reason string }{
		"R group":                {block("C R#", "1-2"), Formula, `atom 2 is "R#"`},
		"query bond":             {block("C C", "1?2"), Formula, "query of type 8"},
		"any atom":               {block("C A", "1-2"), Formula, `atom 2 is "A"`},
		"polymer":                {block("C C", "1-2", "M  STY  1   1 SRU"), Formula, "polymer (SRU)"},
		"imidazole":              {block("C N C N C", "1:2 2:3 3:4 4:5 5:1"), Formula, "aromatic bonds"},
		"odd aromatic ring":      {block("C C C C C", "1:2 2:3 3:4 4:5 5:1", "M  CHG  1   1  -1"), Formula, "aromatic bonds"},
		"aromatic iron":          {block("Fe C", "1:2"), Formula, "aromatic bonds"},
		"nitrogen with charge 2": {block("C N", "1-2", "M  CHG  1   2   2"), Formula, "charge 2"},
		"nitrogen with 4 bonds":  {block("N C C C C", "1-2 1-3 1-4 1-5"), Formula, "N, atom 1"},
		"technetium":             {block("Tc", ""), Weight, "Tc has no standard atomic weight"},
		"isotope":                {block("C", "", "M  ISO  1   1 300"), ExactMass, "mass of an isotope of C is unknown"},
		"no atoms":               {block("", ""), Formula, "no atoms"},
		"V3 list":                {blockV3("C [C,N]", "1-2", nil), Formula, "not an element"},
		"V3 R group":             {blockV3("C C", "1-2", map[int]string{2: "RGROUPS=(1 1)"}), Formula, "R groups"},
	} {
		r := ReadSDF([]byte(test.text))
		reason, _ := r.Properties.Get(Reason).(string)
		if r.Failed() || !strings.Contains(strings.Join(r.NotDetermined, " "), test.missing) || !strings.Contains(reason, test.reason) {
			t.Errorf("%s: got error %q, undetermined %v, properties %v, want undetermined %s, reason %q", name, r.Error, r.NotDetermined, r.Properties, test.missing, test.reason)
		}
		for _, name := range r.NotDetermined {
			if r.Properties.Get(name) != nil {
				t.Errorf("%s: got value %v of the undetermined property %s, want none", test.text, r.Properties.Get(name), name)
			}
		}
	}
}

func TestTooManyBonds(t *testing.T) {
	r := ReadSDF([]byte(block("C C C C C C", "1-2 1-3 1-4 1-5 1-6")))
	if r.Properties.Get(Valid) != false || !strings.Contains(r.Properties.Get(Problem).(string), "C, atom 1") {
		t.Errorf("five bonds of carbon: got properties %v, want valid = false because of C, atom 1", r.Properties)
	}
	if r := ReadSDF([]byte(block("C C . O", "1-2"))); r.Properties.Get(Valid) != nil {
		t.Errorf("an unknown symbol: got properties %v, want no property valid", r.Properties)
	}
	r = ReadSDF([]byte(block("C C O", "1-2")))
	if r.Properties.Get(Valid) != true || r.Properties.Get(Components) != int64(2) || r.Properties.Get(HeavyAtoms) != int64(3) {
		t.Errorf("two components: got properties %v, want valid = true, 2 components, 3 heavy atoms", r.Properties)
	}
}

// The element table is complete, and its weights are near the masses of its isotopes.
func TestElements(t *testing.T) {
	table := elements()
	for z := 1; z < len(table.info); z++ {
		e := &table.info[z]
		if table.lookup([]byte(e.symbol)) != Element(z) || table.lookup([]byte(strings.ToUpper(e.symbol))) != Element(z) {
			t.Errorf("lookup(%q): got another element, want %d", e.symbol, z)
		}
		if e.weight > 0 && (e.weight < e.masses[0] || e.weight > e.masses[len(e.masses)-1] || math.Abs(e.common-e.weight) > 3) {
			t.Errorf("%s: got weight %v and most abundant isotope %v, want consistent values", e.symbol, e.weight, e.common)
		}
		for i, mass := range e.masses {
			if math.Abs(mass-float64(e.first+i)) > 0.5 {
				t.Errorf("isotope %d of %s: got mass %v, want one within 0.5", e.first+i, e.symbol, mass)
			}
		}
	}
	if groups := []int{table.info[1].outer, table.info[20].outer, table.info[26].outer, table.info[31].outer, table.info[54].outer, table.info[81].row}; groups[0] != 1 ||
		groups[1] != 2 || groups[2] != 0 || groups[3] != 3 || groups[4] != 8 || groups[5] != 6 {
		t.Errorf("got outer electrons and row %v, want [1 2 0 3 8 6]", groups)
	}
}
