package molecule

import (
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// A group is an S-group: a repeating unit, a part of a mixture, or a multiple of a part.
type group struct {
	kind    string // such as SRU
	label   string // such as n
	connect string // ht, hh or eu
	lines   [][2]point
}

// marks are the labels of groups without one of their own.
var marks = map[string]string{
	"SRU": "n", "MON": "mon", "MER": "mer", "COP": "co", "CRO": "xl", "MOD": "mod", "GRA": "grf", "COM": "c", "MIX": "mix", "FOR": "f", "ANY": "any",
	"MUL": "", "GEN": "",
}

// groupOf returns the group with a number in the file.
func (m *Molecule) groupOf(number int) *group {
	if m.groups == nil {
		m.groups = map[int]*group{}
	}
	if m.groups[number] == nil {
		m.groups[number] = &group{}
	}
	return m.groups[number]
}

// setGroup sets the kind of a group. Groups whose number of repetitions is not stated leave the composition undetermined.
func (m *Molecule) setGroup(number int, kind string) {
	m.groupOf(number).kind = kind
	switch kind {
	case "SRU", "MON", "MER", "COP", "CRO", "MOD", "GRA", "ANY":
		m.query("it is a polymer (%s)", kind)
	case "COM", "MIX", "FOR":
		m.query("it is a mixture (%s)", kind)
	}
}

// groupV2 parses a line of S-groups: M  STY, SMT, SCN or SDI.
func (m *Molecule) groupV2(line []byte, key string) {
	if key == "SMT" || key == "SDI" {
		number, _ := integer(column(line, 6, 10))
		g := m.groupOf(number)
		if key == "SMT" {
			g.label = records.Decode(column(line, 11, len(line)))
			return
		}
		var ends [4]float64
		for i := range ends {
			v, ok := decimal(column(line, 13+10*i, 23+10*i))
			if !ok {
				return
			}
			ends[i] = v
		}
		g.lines = append(g.lines, [2]point{{ends[0], ends[1]}, {ends[2], ends[3]}})
		return
	}
	for at := 10; at+3 < len(line); at += 8 {
		number, _ := integer(column(line, at, at+3))
		if value := string(column(line, at+4, at+7)); key == "STY" {
			m.setGroup(number, value)
		} else {
			m.groupOf(number).connect = strings.ToLower(value)
		}
	}
}

// groupV3 parses the words of a line of the section SGROUP.
func (m *Molecule) groupV3(words []string) {
	number, ok := integer([]byte(words[0]))
	if !ok {
		return
	}
	m.setGroup(number, words[1])
	g := m.groupOf(number)
	for _, word := range words[2:] {
		switch key, value, _ := strings.Cut(word, "="); key {
		case "LABEL", "MULT":
			g.label = strings.Trim(value, `"`)
		case "CONNECT":
			g.connect = strings.ToLower(value)
		case "BRKXYZ": // two ends with three coordinates each, and three zeros
			if ends := decimals(value); len(ends) >= 6 {
				g.lines = append(g.lines, [2]point{{ends[0], ends[1]}, {ends[3], ends[4]}})
			}
		}
	}
}

// decimals returns the numbers of a V3000 list, (n a b …), or nil.
func decimals(list string) (values []float64) {
	words := strings.Fields(strings.Trim(list, "()"))
	for i, word := range words {
		v, ok := decimal([]byte(word))
		if !ok {
			return nil
		}
		if i > 0 {
			values = append(values, v)
		}
	}
	return values
}

// stereoV3 parses the words of a line of the section COLLECTION: the groups of stereo centers of which the absolute or
// only the relative configuration is stated.
func (m *Molecule) stereoV3(words []string, place map[int]int) {
	name, ours := strings.CutPrefix(words[0], "MDLV30/STE")
	if !ours {
		return
	}
	mark := ""
	switch {
	case name == "ABS":
		mark = "abs"
	case strings.HasPrefix(name, "RAC"):
		mark = "&" + name[3:]
	case strings.HasPrefix(name, "REL"):
		mark = "or" + name[3:]
	}
	for _, word := range words[1:] {
		list, atoms := strings.CutPrefix(word, "ATOMS=")
		if !atoms {
			continue
		}
		for _, number := range decimals(list) {
			if i, found := place[int(number)]; found {
				if m.stereo == nil {
					m.stereo = map[int32]string{}
				}
				m.stereo[int32(i)] = mark
			}
		}
	}
}
