package molecule

import (
	_ "embed" // the table of elements
	"strconv"
	"strings"
	"sync"
)

//go:embed elements.txt
var elementsText string

// An Element is an atomic number; 0 means none.
type Element uint8

type elementInfo struct {
	symbol  string
	weight  float64 // 0 for an element without a characteristic isotopic composition
	common  float64 // mass of the most abundant isotope, or 0
	first   int     // mass number of masses[0]
	masses  []float64
	row     int // in the periodic table
	outer   int // outer electrons of a main group element, or 0
	commonA int // mass number of the most abundant isotope, or 0
}

type elementTable struct {
	info  [119]elementInfo
	place [26][27]Element // by letters; [1][0] is B, [1][5] Be

	organic, inorganic []Element // in Hill order
}

// elements returns the table of elements.
var elements = sync.OnceValue(func() *elementTable {
	t := &elementTable{}
	for line := range strings.Lines(elementsText) {
		part := strings.Fields(line)
		if part[0] == "#" {
			continue
		}
		z := int(number(part[0]))
		e := elementInfo{symbol: part[1], weight: number(part[2]), commonA: int(number(part[3]))}
		if len(part) > 4 {
			e.first = int(number(part[4]))
			for _, mass := range part[5:] {
				e.masses = append(e.masses, number(mass))
			}
		}
		if e.commonA > 0 {
			e.common = e.masses[e.commonA-e.first]
		}
		e.row, e.outer = mainGroup(z)
		t.info[z] = e
		second := 0
		if len(e.symbol) > 1 {
			second = int(e.symbol[1]-'a') + 1
		}
		t.place[e.symbol[0]-'A'][second] = Element(z)
	}
	t.order()
	return t
})

// number parses a number in elements.txt. It returns 0 for any other text.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return n
}

// mainGroup returns the row of an element, and the number of its outer electrons if it is in a main group.
func mainGroup(z int) (row, outer int) {
	noble := [...]int{0, 2, 10, 18, 36, 54, 86, 118}
	for row = 1; z > noble[row]; row++ {
	}
	before, after := z-noble[row-1], noble[row]-z // after is 0 for noble gases
	switch {
	case z == 2:
		return row, 8
	case before <= 2:
		return row, before
	case after <= 5:
		return row, 8 - after
	default:
		return row, 0
	}
}

// lookup returns the element with a symbol, ignoring case, or 0.
func (t *elementTable) lookup(symbol []byte) Element {
	if len(symbol) == 0 || len(symbol) > 2 {
		return 0
	}
	first, second := symbol[0]&^0x20, byte('a'-1)
	if first < 'A' || first > 'Z' {
		return 0
	}
	if len(symbol) == 2 {
		if second = symbol[1] | 0x20; second < 'a' || second > 'z' {
			return 0
		}
	}
	return t.place[first-'A'][second-'a'+1]
}

// isotope returns the mass of an isotope, or 0.
func (t *elementTable) isotope(e Element, massNumber int) float64 {
	info := &t.info[e]
	if i := massNumber - info.first; i >= 0 && i < len(info.masses) {
		return info.masses[i]
	}
	return 0
}

// Symbol returns the symbol of the element.
func (e Element) Symbol() string {
	if int(e) >= len(elements().info) {
		return ""
	}
	return elements().info[e].symbol
}
