package molecule

import "bytes"

// v2000 parses a V2000 block from the line after the counts line.
func (m *Molecule) v2000(s *scan, counts []byte) error {
	atoms, ok1 := integer(column(counts, 0, 3))
	bonds, ok2 := integer(column(counts, 3, 6))
	if !ok1 || !ok2 || atoms < 0 || bonds < 0 || len(counts) < 6 {
		return s.fail("the counts line does not begin with two numbers of 3 columns")
	}
	m.Atoms, m.Bonds = make([]Atom, atoms), make([]Bond, bonds)
	for i := range m.Atoms {
		line, ok := s.next()
		if !ok {
			return s.fail("the block ends after %d of %d atoms", i, atoms)
		}
		if err := m.atomV2(s, i, line); err != nil {
			return err
		}
	}
	for i := range m.Bonds {
		line, ok := s.next()
		if !ok {
			return s.fail("the block ends after %d of %d bonds", i, bonds)
		}
		if err := m.bondV2(s, i, line); err != nil {
			return err
		}
	}
	return m.properties(s)
}

var chargeCodes = [...]int8{0, 3, 2, 1, 0, -1, -2, -3}

func (m *Molecule) atomV2(s *scan, i int, line []byte) error {
	a := &m.Atoms[i]
	a.Valence, a.Hydrogens = -1, -1
	var ok [3]bool
	a.X, ok[0] = decimal(column(line, 0, 10))
	a.Y, ok[1] = decimal(column(line, 10, 20))
	a.Z, ok[2] = decimal(column(line, 20, 30))
	if !ok[0] || !ok[1] || !ok[2] {
		return s.fail("the coordinates of atom %d are not numbers of 10 columns", i+1)
	}
	symbol := column(line, 31, 34)
	if len(symbol) == 0 {
		return s.fail("atom %d has no symbol in columns 32 to 34", i+1)
	}
	m.setSymbol(i, symbol)
	if len(line) <= 34 {
		return nil
	}
	difference, ok1 := integer(column(line, 34, 36))
	code, ok2 := integer(column(line, 36, 39))
	hydrogens, ok3 := integer(column(line, 42, 45))
	valence, ok4 := integer(column(line, 48, 51))
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return s.fail("atom %d has text in place of numbers", i+1)
	}
	switch {
	case code < 0 || code >= len(chargeCodes) || valence < 0 || valence > 15:
		return s.fail("atom %d has the charge code %d and the valence %d", i+1, code, valence)
	case code == 4:
		a.Radical = 2
	default:
		a.Charge = chargeCodes[code]
	}
	switch {
	case valence == 15:
		a.Valence = 0
	case valence > 0:
		a.Valence = int8(valence)
	}
	if hydrogens > 0 {
		m.query("atom %d is a query for hydrogens", i+1)
	}
	if difference != 0 && a.Element != 0 {
		a.Isotope = unknownIsotope
		if info := &elements().info[a.Element]; info.commonA > 0 && info.commonA == int(info.weight+0.5) {
			a.Isotope = uint16(info.commonA + difference) // otherwise the base of the difference is unknown
		}
	}
	return nil
}

func (m *Molecule) bondV2(s *scan, i int, line []byte) error {
	from, ok1 := integer(column(line, 0, 3))
	to, ok2 := integer(column(line, 3, 6))
	order, ok3 := integer(column(line, 6, 9))
	stereo, ok4 := integer(column(line, 9, 12))
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return s.fail("bond %d has text in place of numbers", i+1)
	}
	return m.setBond(s, i, from, to, order, stereo)
}

// setBond sets a bond of atoms counted from 1.
func (m *Molecule) setBond(s *scan, i, from, to, order, stereo int) error {
	if from < 1 || to < 1 || from > len(m.Atoms) || to > len(m.Atoms) || from == to {
		return s.fail("bond %d joins the atoms %d and %d of %d", i+1, from, to, len(m.Atoms))
	}
	switch order {
	case 1, 2, 3, 4, 9, 10:
	default:
		if order < 0 || order > 20 {
			return s.fail("bond %d is of type %d", i+1, order)
		}
		m.query("bond %d is a query of type %d", i+1, order)
		order = 0
	}
	m.Bonds[i] = Bond{int32(from - 1), int32(to - 1), BondOrder(order), uint8(stereo)}
	return nil
}

// properties parses the lines after the bonds, up to M  END.
func (m *Molecule) properties(s *scan) error {
	charges := false
	for {
		line, ok := s.next()
		if !ok || bytes.HasPrefix(line, []byte("$$$$")) {
			return s.fail("M  END is missing")
		}
		if len(line) < 6 || line[0] != 'M' {
			switch {
			case bytes.HasPrefix(line, []byte("A  ")), bytes.HasPrefix(line, []byte("G  ")): // a text line follows
				s.next()
			case bytes.HasPrefix(line, []byte("S  SKP")):
				n, _ := integer(column(line, 6, 9))
				for range n {
					if _, ok := s.next(); !ok {
						break
					}
				}
			case len(line) > 4 && (line[4] == 'T' || line[4] == 'F'): // aaa k n eee …
				m.query("there are lists of alternative elements")
			}
			continue
		}
		switch key := string(line[3:6]); key {
		case "END":
			return nil
		case "CHG", "RAD":
			if !charges { // these lines replace the codes of all atoms
				charges = true
				for i := range m.Atoms {
					m.Atoms[i].Charge, m.Atoms[i].Radical = 0, 0
				}
			}
			if err := m.values(s, line, key); err != nil {
				return err
			}
		case "ISO", "HYD", "ZCH", "ZBO":
			if err := m.values(s, line, key); err != nil {
				return err
			}
		case "ALS", "RGP", "LOG", "SUB", "UNS", "RBC", "LIN", "MRV":
			m.query("it is a query (M  %s)", key)
		case "STY", "SMT", "SCN", "SDI":
			m.groupV2(line, key)
		}
	}
}

// values parses a line of pairs: M  CHG  n aaa vvv …
func (m *Molecule) values(s *scan, line []byte, key string) error {
	n, ok := integer(column(line, 6, 9))
	if !ok {
		return s.fail("M  %s has no count", key)
	}
	for i := range n {
		at := 9 + 8*i
		atom, ok1 := integer(column(line, at, at+4))
		value, ok2 := integer(column(line, at+4, at+8))
		last := len(m.Atoms)
		if key == "ZBO" {
			last = len(m.Bonds)
		}
		if !ok1 || !ok2 || atom < 1 || atom > last {
			return s.fail("M  %s refers to number %d of %d", key, atom, last)
		}
		if key == "ZBO" {
			if value == 0 {
				m.Bonds[atom-1].Order = zeroOrder
			}
		} else if !m.setValue(atom-1, key, value) {
			return s.fail("M  %s of atom %d is %d", key, atom, value)
		}
	}
	return nil
}

// setValue sets a value of an atom. It returns false if the value is invalid.
func (m *Molecule) setValue(i int, key string, value int) bool {
	a := &m.Atoms[i]
	switch key {
	case "CHG", "ZCH":
		if value < -15 || value > 15 {
			return false
		}
		a.Charge = int8(value)
	case "RAD":
		if value < 0 || value > 3 {
			return false
		}
		a.Radical = uint8(value)
	case "ISO", "MASS":
		if value < 0 || value > 400 {
			return false
		}
		a.Isotope = uint16(value)
	case "HYD":
		if value < 0 || value > 20 {
			return false
		}
		a.Hydrogens = int16(value)
	}
	return true
}
