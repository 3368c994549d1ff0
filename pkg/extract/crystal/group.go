package crystal

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// A setting is a space group in a choice of axes and origin.
type setting struct {
	number int
	name   string // Hermann-Mauguin symbol, with :1 or :2 for the origin or :H or :R for the axes
	hall   string
}

// settingsText contains the settings of International Tables B, table A1.4.2.7 (S. R. Hall and R. W. Grosse-Kunstleve),
// with further settings that are in use, and the symbols with e of 1992. Each line is a number, a Hermann-Mauguin symbol
// and a Hall symbol. The standard setting of a number is its first, but for groups with two origins the second origin.
//
//go:embed settings.txt
var settingsText string

var settings = sync.OnceValue(func() (all []setting) {
	for line := range strings.Lines(settingsText) {
		number, rest, _ := strings.Cut(strings.TrimSpace(line), ";")
		name, hall, _ := strings.Cut(rest, ";")
		n, _ := strconv.Atoi(number)
		all = append(all, setting{n, name, hall})
	}
	return all
})

// settingsByName contains the settings by their normalized symbols, in order of preference.
var settingsByName = sync.OnceValue(func() map[string][]*setting {
	all := settings()
	names := map[string][]*setting{}
	for i := range all {
		s := &all[i]
		plain, choice, _ := strings.Cut(s.name, ":")
		keys := []string{normalize(s.name)}
		if choice != "" {
			keys = append(keys, normalize(plain))
		}
		if words := strings.Fields(plain); len(words) == 4 && words[1] == "1" && words[3] == "1" {
			keys = append(keys, normalize(words[0]+words[2])) // P 1 21/c 1 as P 21/c
		}
		if i := strings.Index(plain, "-3"); i > 3 && s.number >= 200 {
			keys = append(keys, normalize(plain[:i]+plain[i+1:]+s.name[len(plain):]), normalize(plain[:i]+plain[i+1:])) // before 1983
		}
		for _, key := range keys {
			if choice == "2" {
				names[key] = append([]*setting{s}, names[key]...)
			} else {
				names[key] = append(names[key], s)
			}
		}
	}
	return names
})

// normalize returns a Hermann-Mauguin symbol without spaces and underscores, in lower case.
func normalize(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "\t", "", "(", "", ")", "").Replace(name))
}

// choices contains the ways in which databases append the choice of the origin or the axes to a symbol.
var choices = strings.NewReplacer("originchoice", ":", "s:", ":1", "z:", ":2", "h:", ":h", "r:", ":r")

// named returns the settings with a Hermann-Mauguin symbol. An origin or axes may follow it, also as S, Z, H or R.
func named(name string) []*setting {
	key := normalize(name)
	if strings.HasPrefix(key, "h") {
		key = "r" + key[1:]
	}
	if found := settingsByName()[key]; found != nil || key == "" {
		return found
	}
	return settingsByName()[strings.TrimSuffix(strings.ReplaceAll(choices.Replace(key+":"), "::", ":"), ":")]
}

// numbered returns the settings of a number from 1 to 230, the standard setting first.
func numbered(number int) (found []*setting) {
	all := settings()
	for i := range all {
		if s := &all[i]; s.number != number {
			continue
		} else if strings.HasSuffix(s.name, ":2") && len(found) == 1 {
			found = []*setting{s, found[0]}
		} else {
			found = append(found, s)
		}
	}
	return found
}

// group returns the operations of the space group that the block names, for a cell, and their source. The Hall symbol
// decides, then the Hermann-Mauguin symbol, then the number, which means its standard setting. Of several settings with a
// symbol, the first that preserves the cell is chosen. Without operations, the error states the reason.
func (b *Block) group(cell Cell) (group []motion, source string, err error) {
	number, _ := strconv.Atoi(b.first("_space_group_it_number", "_symmetry_int_tables_number"))
	if hall := b.first("_space_group_name_hall", "_symmetry_space_group_name_hall"); hall != "" {
		if group := hallOperations(hall); group != nil {
			return group, "Hall symbol " + hall, nil
		}
	}
	name := b.name()
	candidates := named(name)
	switch {
	case name != "" && len(candidates) == 0:
		return nil, "", fmt.Errorf("the space group %q is unknown", name)
	case name == "" && number == 0:
		return nil, "", errNoGroup
	case name == "":
		if candidates = numbered(number); len(candidates) == 0 {
			return nil, "", fmt.Errorf("there is no space group %d", number)
		}
		candidates = standard(candidates)
	case number != 0 && candidates[0].number != number:
		return nil, "", fmt.Errorf("%s is space group %d, but %d is stated", name, candidates[0].number, number)
	}
	for _, s := range candidates {
		if group := hallOperations(s.hall); cell.has(group) {
			return group, "setting " + s.name, nil
		}
	}
	return nil, "", fmt.Errorf("the cell does not have the symmetry of space group %s", candidates[0].name)
}

// name returns the Hermann-Mauguin symbol that the block states.
func (b *Block) name() string {
	return b.first("_space_group_name_h-m_alt", "_symmetry_space_group_name_h-m", "_space_group_name_h-m_full")
}

var errNoGroup = errors.New("neither operations nor a space group are stated")

// standard returns the standard settings of a number: the first, and the one with other axes of the same name.
func standard(all []*setting) []*setting {
	plain, _, _ := strings.Cut(all[0].name, ":")
	n := 1
	for n < len(all) && strings.HasPrefix(all[n].name, plain+":") {
		n++
	}
	return all[:n]
}

// has reports whether operations preserve the lengths and angles of the cell, within about 1 %.
func (c Cell) has(group []motion) bool {
	edges := [3]float64{c.A, c.B, c.C}
	metric := [3][3]float64{{1, cos(c.Gamma), cos(c.Beta)}, {cos(c.Gamma), 1, cos(c.Alpha)}, {cos(c.Beta), cos(c.Alpha), 1}}
	for i := range 3 {
		for j := range 3 {
			metric[i][j] *= edges[i] * edges[j]
		}
	}
	for _, m := range group {
		for i := range 3 {
			for j := range 3 {
				sum := 0.0
				for k := range 3 {
					for l := range 3 {
						sum += float64(m.matrix[k][i]*m.matrix[l][j]) * metric[k][l]
					}
				}
				if math.Abs(sum-metric[i][j]) > 0.02*math.Sqrt(metric[i][i]*metric[j][j]) {
					return false
				}
			}
		}
	}
	return true
}
