package molecule

import (
	"fmt"
	"strconv"
)

// valences returns the valences of an element with a charge in the MDL valence model, in ascending
// order: those of the neutral element with the same number of outer electrons. Metals of the other
// groups, noble gases and bare ions have none.
func (t *elementTable) valences(e Element, charge int8) []int8 {
	info := &t.info[e]
	if info.outer == 0 {
		return nil
	}
	metal := info.outer <= 2 && e != 1
	switch electrons := info.outer - int(charge); {
	case metal && charge < 0, e == 1 && charge != 0, metal && info.outer == 1 && charge != 0:
		return nil
	case electrons == 1:
		return []int8{1}
	case electrons == 2 && (info.row <= 3 || info.outer == 2):
		return []int8{2}
	case electrons == 3:
		return []int8{3}
	case electrons == 4 && info.row <= 4:
		return []int8{4}
	case electrons == 4:
		return []int8{2, 4}
	case electrons == 5:
		return []int8{3, 5}
	case electrons == 6 && info.row == 2:
		return []int8{2}
	case electrons == 6:
		return []int8{2, 4, 6}
	case electrons == 7 && info.row == 2:
		return []int8{1}
	case electrons == 7:
		return []int8{1, 3, 5, 7}
	default:
		return nil
	}
}

// A bonding summarizes the bonds of an atom.
type bonding struct {
	order    int // sum of the orders; an aromatic bond counts as 1
	aromatic int // number of aromatic bonds
	accepted int // number of coordination bonds from other atoms
	double   bool
}

// hydrogens returns the number of implicit hydrogens of each atom, and the number, counted from 1, of the
// first atom with more bonds than its element allows, or 0. If the hydrogens are not determined, it returns
// the reason.
//
// A coordination bond uses no valence of the donor, its first atom, and one of the acceptor, as in RDKit. It uses none of
// an acceptor in group 13 without a stated valence, which has an empty orbital, as boron in NH3→BH3.
func (m *Molecule) hydrogens() (counts []int, excess int, reason string) {
	bonds := make([]bonding, len(m.Atoms))
	aromatic := false
	for _, b := range m.Bonds {
		if b.Order == Coordination {
			bonds[b.To].accepted++
		}
		for _, at := range [2]int32{b.From, b.To} {
			switch b.Order {
			case Single, Double, Triple:
				bonds[at].order += int(b.Order)
				bonds[at].double = bonds[at].double || b.Order == Double
			case Aromatic:
				aromatic = true
				bonds[at].order++
				bonds[at].aromatic++
			}
		}
	}
	if aromatic {
		if at := m.kekulize(bonds); at >= 0 {
			return nil, 0, "the aromatic bonds cannot be arranged as single and double bonds at atom " + strconv.Itoa(at+1)
		}
	}
	t := elements()
	counts = make([]int, len(m.Atoms))
	for i := range m.Atoms {
		a := &m.Atoms[i]
		if a.Element == 0 {
			continue
		}
		used := bonds[i].order
		switch {
		case a.Hydrogens >= 0:
			counts[i] = int(a.Hydrogens)
		case a.Valence >= 0:
			counts[i] = max(0, int(a.Valence)-used-bonds[i].accepted)
		default:
			var over bool
			counts[i], over = implicit(t.valences(a.Element, a.Charge), used, a.Radical)
			if over && excess == 0 {
				excess = i + 1
			}
			if t.info[a.Element].outer != 3 {
				counts[i] = max(0, counts[i]-bonds[i].accepted)
			}
			if counts[i] > 0 && t.doubtful(a, used) {
				return nil, 0, fmt.Sprintf("%s, atom %d, has no usual valence with %d bonds and the charge %d", a.Element.Symbol(), i+1, used, a.Charge)
			}
		}
	}
	return counts, excess, ""
}

// doubtful reports whether the hydrogens of an atom follow from the valence model, but are unusual in
// chemistry: the magnitude of its charge is 2 or more, or it is in row 2 and has more bonds than its lowest
// valence allows, such as uncharged nitrogen with 4 bonds.
func (t *elementTable) doubtful(a *Atom, used int) bool {
	return a.Charge > 1 || a.Charge < -1 || t.info[a.Element].row == 2 && used > int(t.valences(a.Element, a.Charge)[0])
}

// implicit returns the number of hydrogens that complete the lowest valence that allows the bonds. over reports
// whether no valence allows them.
func implicit(valences []int8, used int, radical uint8) (hydrogens int, over bool) {
	unpaired := [...]int{0, 2, 1, 2}[radical]
	for _, v := range valences {
		if used <= int(v) {
			return max(0, int(v)-used-unpaired), false
		}
	}
	return 0, len(valences) > 0
}

// kekulize arranges the aromatic bonds as single and double bonds, and increments the order of both atoms of
// each double bond. It returns the index of the first atom for which this is impossible, or -1.
func (m *Molecule) kekulize(bonds []bonding) int {
	partner := make([]int32, len(m.Atoms)) // index of the partner plus 1; 0 if there is none
	needs := make([]bool, len(m.Atoms))
	next := make([][]int32, len(m.Atoms))
	for i := range m.Atoms {
		if bonds[i].aromatic == 0 {
			continue
		}
		a := &m.Atoms[i]
		v := elements().valences(a.Element, a.Charge)
		free := 0
		if len(v) > 0 {
			free = int(v[0]) - bonds[i].order
		}
		switch {
		case a.Valence >= 0:
			free = int(a.Valence) - bonds[i].order - bonds[i].accepted
		case a.Hydrogens >= 0:
			free -= int(a.Hydrogens)
		}
		if a.Radical != 0 || len(v) == 0 {
			return i
		}
		needs[i] = free > 0 && !bonds[i].double
	}
	for _, b := range m.Bonds {
		if b.Order == Aromatic && needs[b.From] && needs[b.To] {
			next[b.From] = append(next[b.From], b.To)
			next[b.To] = append(next[b.To], b.From)
		}
	}
	seen, round := make([]int32, len(m.Atoms)), int32(0) // seen contains the last round that visited each atom
	steps := 0
	var augment func(from int32) bool // searches for a path of alternating bonds to an atom without a partner
	augment = func(from int32) bool {
		seen[from] = round
		for _, to := range next[from] {
			if steps++; steps > 100_000 {
				return false
			}
			if seen[to] == round {
				continue
			}
			seen[to] = round
			if partner[to] == 0 || seen[partner[to]-1] != round && augment(partner[to]-1) {
				partner[to], partner[from] = from+1, to+1
				return true
			}
		}
		return false
	}
	for i := range needs {
		if needs[i] && partner[i] == 0 {
			round++
			if !augment(int32(i)) {
				return i
			}
		}
	}
	for i := range needs {
		if needs[i] {
			bonds[i].order++
		}
	}
	return -1
}
