package molecule

import (
	"bytes"
	"strings"
)

// v3000 parses a V3000 block from the line after the counts line.
func (m *Molecule) v3000(s *scan) error {
	section := ""
	place := map[int]int{} // position of each atom by its index in the file
	bonds := 0
	counted, done := false, false
	for {
		words, ok, err := s.v30()
		if err != nil {
			return err
		}
		switch {
		case !ok:
			if !counted {
				return s.fail("the V30 COUNTS line is missing")
			}
			if len(place) != len(m.Atoms) || bonds != len(m.Bonds) {
				return s.fail("found %d of %d atoms and %d of %d bonds", len(place), len(m.Atoms), bonds, len(m.Bonds))
			}
			return nil
		case len(words) == 0:
		case done: // templates and definitions of R groups
			m.query("there are R groups or templates")
		case words[0] == "COUNTS":
			if counted {
				return s.fail("there are two COUNTS lines")
			}
			if err := m.counts(s, words); err != nil {
				return err
			}
			counted = true
		case words[0] == "BEGIN" && len(words) > 1:
			section = words[1]
		case words[0] == "END":
			section = ""
			if len(words) > 1 && words[1] == "CTAB" {
				done = true
			}
		case section == "ATOM":
			if err := m.atomV3(s, len(place), words, place); err != nil {
				return err
			}
		case section == "BOND":
			if bonds == len(m.Bonds) {
				return s.fail("there are more than %d bonds", bonds)
			}
			if err := m.bondV3(s, bonds, words, place); err != nil {
				return err
			}
			bonds++
		case section == "SGROUP" && len(words) > 1:
			m.groupV3(words)
		case section == "COLLECTION" && len(words) > 1:
			m.stereoV3(words, place)
		}
	}
}

func (m *Molecule) counts(s *scan, words []string) error {
	if len(words) < 3 {
		return s.fail("COUNTS has no numbers")
	}
	atoms, ok1 := integer([]byte(words[1]))
	bonds, ok2 := integer([]byte(words[2]))
	if !ok1 || !ok2 || atoms < 0 || bonds < 0 {
		return s.fail("COUNTS has no numbers")
	}
	if atoms > MaxAtoms || bonds > MaxBonds || (atoms+bonds)*8 > len(s.rest) {
		return s.fail("%d atoms and %d bonds do not fit in the block or exceed the limits", atoms, bonds)
	}
	m.Atoms, m.Bonds = make([]Atom, atoms), make([]Bond, bonds)
	return nil
}

// v30 returns the words of the next V30 line with its continuations, or false at M  END.
func (s *scan) v30() (words []string, ok bool, err error) {
	var joined []byte
	for {
		line, ok := s.next()
		if !ok || bytes.HasPrefix(line, []byte("$$$$")) {
			return nil, false, s.fail("M  END is missing")
		}
		rest, ours := bytes.CutPrefix(line, []byte("M  V30 "))
		if !ours {
			if bytes.HasPrefix(line, []byte("M  END")) {
				return nil, false, nil
			}
			continue
		}
		rest = bytes.TrimRight(rest, " ")
		if more, continued := bytes.CutSuffix(rest, []byte("-")); continued {
			joined = append(joined, more...)
			continue
		}
		return v30Words(string(append(joined, rest...))), true, nil
	}
}

// v30Words splits a line at whitespace outside quotes and parentheses.
func v30Words(line string) []string {
	var words []string
	start, depth, quote := -1, 0, false
	for i := range len(line) {
		c := line[i]
		switch {
		case c == '"':
			quote = !quote
		case quote:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		}
		if (c == ' ' || c == '\t') && !quote && depth <= 0 {
			if start >= 0 {
				words = append(words, line[start:i])
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		words = append(words, line[start:])
	}
	return words
}

func (m *Molecule) atomV3(s *scan, i int, words []string, place map[int]int) error {
	if i >= len(m.Atoms) {
		return s.fail("there are more than %d atoms", i)
	}
	if len(words) < 5 {
		return s.fail("atom %d has no coordinates", i+1)
	}
	index, ok := integer([]byte(words[0]))
	if _, twice := place[index]; !ok || twice {
		return s.fail("the atom index %q is not a number, or occurs twice", words[0])
	}
	place[index] = i
	a := &m.Atoms[i]
	a.Valence, a.Hydrogens = -1, -1
	for j, target := range []*float64{&a.X, &a.Y, &a.Z} {
		if *target, ok = decimal([]byte(words[2+j])); !ok {
			return s.fail("the coordinate %q of atom %d is not a number", words[2+j], index)
		}
	}
	m.setSymbol(i, []byte(strings.Trim(words[1], `"`)))
	for _, word := range words[5:] {
		key, value, assigned := strings.Cut(word, "=")
		if !assigned {
			continue
		}
		n, number := integer([]byte(value))
		switch key {
		case "CHG", "RAD", "MASS":
			if !number || !m.setValue(i, key, n) {
				return s.fail("%s of atom %d is %q", key, index, value)
			}
		case "VAL":
			if !number || n < -1 || n > 15 {
				return s.fail("VAL of atom %d is %q", index, value)
			}
			if n == -1 {
				a.Valence = 0
			} else if n > 0 {
				a.Valence = int8(n)
			}
		case "HCOUNT", "SUBST", "UNSAT", "RBCNT", "INVRET", "EXACHG":
			if n != 0 || !number {
				m.query("atom %d is a query (%s)", index, key)
			}
		case "RGROUPS":
			m.query("there are R groups")
		}
	}
	return nil
}

func (m *Molecule) bondV3(s *scan, i int, words []string, place map[int]int) error {
	if len(words) < 4 {
		return s.fail("bond %d has no atoms", i+1)
	}
	var n [3]int
	for j := range n {
		var ok bool
		if n[j], ok = integer([]byte(words[1+j])); !ok {
			return s.fail("bond %d has %q in place of a number", i+1, words[1+j])
		}
	}
	from, found := place[n[1]]
	to, found2 := place[n[2]]
	if !found || !found2 {
		return s.fail("bond %d joins the atoms %d and %d", i+1, n[1], n[2])
	}
	stereo := 0
	for _, word := range words[4:] {
		switch word {
		case "CFG=1":
			stereo = 1
		case "CFG=2":
			stereo = 4
		case "CFG=3":
			stereo = 6
		}
		if strings.HasPrefix(word, "ENDPTS=") && strings.Contains(words[len(words)-1], "ANY") {
			m.query("bond %d has alternative ends", i+1)
		}
	}
	return m.setBond(s, i, from+1, to+1, n[0], stereo)
}
