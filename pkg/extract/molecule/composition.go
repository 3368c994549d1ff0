package molecule

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// The names of properties.
const (
	Formula    = "formula"    // Hill order, without charge; isotopes count as their elements
	Weight     = "weight"     // relative molecular mass, 3 decimals
	ExactMass  = "exactMass"  // mass of the stated or most abundant isotopes, corrected for the electrons of the charge; 6 decimals
	Charge     = "charge"     // sum of the charges
	Atoms      = "atoms"      // number of atoms in the file
	HeavyAtoms = "heavyAtoms" // number of atoms other than hydrogen
	Bonds      = "bonds"      // number of bonds in the file
	Components = "components" // number of parts without a bond between them
	Valid      = "valid"      // false if an atom has more bonds than its element allows
	Problem    = "problem"    // why Valid is false
	Reason     = "reason"     // why a property is not determined
)

// electron is the relative mass of the electron (CODATA 2018).
const electron = 0.000548579909065

// A Composition contains the charge and the number of atoms of each element and isotope, including implicit hydrogens.
type Composition struct {
	Elements [119]int
	Charge   int
	labels   map[label]int
}

type label struct {
	element Element
	isotope uint16
}

func (c *Composition) add(e Element, isotope uint16, n int) {
	c.Elements[e] += n
	if isotope != 0 {
		if c.labels == nil {
			c.labels = map[label]int{}
		}
		c.labels[label{e, isotope}] += n
	}
}

// Formula returns the formula in Hill order: carbon, hydrogen, then by symbol; without carbon, all by
// symbol.
func (c *Composition) Formula() string {
	order := elements().inorganic
	if c.Elements[6] > 0 {
		order = elements().organic
	}
	b := make([]byte, 0, 32)
	for _, e := range order {
		if n := c.Elements[e]; n > 0 {
			b = append(b, e.Symbol()...)
			if n > 1 {
				b = strconv.AppendInt(b, int64(n), 10)
			}
		}
	}
	return string(b)
}

// order sets the Hill orders.
func (t *elementTable) order() {
	for z := 1; z < len(t.info); z++ {
		t.inorganic = append(t.inorganic, Element(z))
	}
	compare := func(a, b Element) int {
		if t.info[a].symbol < t.info[b].symbol {
			return -1
		}
		return 1
	}
	slices.SortFunc(t.inorganic, compare)
	t.organic = []Element{6, 1}
	for _, e := range t.inorganic {
		if e != 6 && e != 1 {
			t.organic = append(t.organic, e)
		}
	}
}

// Masses returns the relative molecular mass and the exact mass. Both are 0 if the mass of an element or
// isotope is unknown; reason then names it.
func (c *Composition) Masses() (weight, exact float64, reason string) {
	t := elements()
	var plain [119]int
	copy(plain[:], c.Elements[:])
	known := true
	for l, n := range c.labels {
		plain[l.element] -= n
		mass := t.isotope(l.element, int(l.isotope))
		if mass == 0 {
			known = false
			if reason == "" {
				reason = "the mass of an isotope of " + l.element.Symbol() + " is unknown"
			}
		}
		weight += float64(n) * mass
		exact += float64(n) * mass
	}
	for z, n := range plain {
		if n == 0 {
			continue
		}
		info := &t.info[z]
		if info.weight == 0 {
			known = false
			if reason == "" {
				reason = info.symbol + " has no standard atomic weight"
			}
		}
		weight += float64(n) * info.weight
		exact += float64(n) * info.common
	}
	if !known {
		return 0, 0, reason
	}
	return weight, exact - float64(c.Charge)*electron, ""
}

// Composition returns the composition, or the reason why the connection table does not determine it. excess is
// the number, counted from 1, of the first atom with more bonds than its element allows, or 0.
func (m *Molecule) Composition() (c Composition, excess int, reason string) {
	if m.queries != "" {
		return c, 0, m.queries
	}
	if len(m.Atoms) == 0 {
		return c, 0, "there are no atoms"
	}
	hydrogens, excess, reason := m.hydrogens()
	if reason != "" {
		return c, 0, reason
	}
	for i := range m.Atoms {
		c.add(m.Atoms[i].Element, m.Atoms[i].Isotope, 1)
		c.add(1, 0, hydrogens[i])
		c.Charge += int(m.Atoms[i].Charge)
	}
	return c, excess, ""
}

// describe sets the properties of the record of a molecule.
func describe(r *records.Record, m *Molecule) {
	set := func(name string, value any) {
		r.Properties = append(r.Properties, records.Property{Name: name, Value: value})
	}
	c, excess, reason := m.Composition()
	var problem string
	if reason != "" {
		r.NotDetermined = append(r.NotDetermined, Formula, Weight, ExactMass, Valid)
	} else {
		set(Formula, c.Formula())
		weight, exact, why := c.Masses()
		if reason = why; why != "" {
			r.NotDetermined = append(r.NotDetermined, Weight, ExactMass)
		} else {
			set(Weight, round(weight, 1e3))
			set(ExactMass, round(exact, 1e6))
		}
		if excess > 0 {
			problem = m.Atoms[excess-1].Element.Symbol() + ", atom " + strconv.Itoa(excess) + ", has more bonds than its valence allows"
		}
	}
	heavy, charge := 0, 0
	for i := range m.Atoms {
		charge += int(m.Atoms[i].Charge)
		if m.Atoms[i].Element != 1 {
			heavy++
		}
	}
	set(Charge, int64(charge))
	set(Atoms, int64(len(m.Atoms)))
	set(HeavyAtoms, int64(heavy))
	set(Bonds, int64(len(m.Bonds)))
	set(Components, int64(m.components()))
	if c.Elements != [119]int{} || reason == "" {
		set(Valid, problem == "")
	}
	if problem != "" {
		set(Problem, problem)
	}
	if reason != "" {
		set(Reason, reason)
	}
}

func round(v, scale float64) float64 { return math.Round(v*scale) / scale }

// components returns the number of parts without a bond between them.
func (m *Molecule) components() int {
	root := make([]int32, len(m.Atoms))
	for i := range root {
		root[i] = int32(i)
	}
	find := func(i int32) int32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	n := len(m.Atoms)
	for _, b := range m.Bonds {
		if from, to := find(b.From), find(b.To); from != to {
			root[from] = to
			n--
		}
	}
	return n
}

// ParseFormula parses a formula of elements and counts, such as "C2 H6 O" or "C2H6O". It returns false
// for anything else, including fractional counts.
func ParseFormula(formula string) (c Composition, ok bool) {
	for at := 0; at < len(formula); {
		if formula[at] == ' ' {
			at++
			continue
		}
		end := at + 1
		for end < len(formula) && end < at+2 && formula[end] >= 'a' && formula[end] <= 'z' {
			end++
		}
		element := elements().lookup([]byte(formula[at:end]))
		if formula[at:end] == "D" {
			element = 1
		}
		first := end
		for end < len(formula) && end < first+7 && formula[end] >= '0' && formula[end] <= '9' {
			end++
		}
		n := 1
		if end > first {
			n, _ = strconv.Atoi(formula[first:end])
		}
		if element == 0 || n == 0 || formula[at] < 'A' || formula[at] > 'Z' || end < len(formula) && formula[end] == '.' {
			return Composition{}, false
		}
		isotope := uint16(0)
		if formula[at] == 'D' && first == at+1 {
			isotope = 2
		}
		c.add(element, isotope, n)
		at = end
	}
	return c, c.Elements != [119]int{}
}

// ElementOf returns the element at the beginning of a symbol such as "Si4+" or "O12", or 0.
func ElementOf(symbol string) Element {
	for n := min(2, len(symbol)); n > 0; n-- {
		if e := elements().lookup([]byte(symbol[:n])); e != 0 {
			return e
		}
	}
	if strings.HasPrefix(symbol, "D") {
		return 1
	}
	return 0
}
