package molecule

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"unicode"
)

// A text is a part of a label.
type text struct {
	at    point // left end of the base line
	size  float64
	color string // "" for that of bonds
	value string
}

const (
	symbolSize = 15.0
	indexSize  = 10.0
	chargeSize = 11.0
	descent    = 5.2 // of the base line of a symbol below its atom
)

// width returns the width of the text in Helvetica.
func (t text) width() float64 {
	em := 0.0
	for _, r := range t.value {
		switch {
		case r == 'i' || r == 'l' || r == 'I' || r == 'f' || r == 't' || r == 'r':
			em += 0.3
		case r == 'M' || r == 'W' || r == 'm' || r == 'w':
			em += 0.9
		case r > unicode.MaxLatin1 && r != '−' && r != '•':
			em++
		case unicode.IsUpper(r):
			em += 0.74
		default:
			em += 0.57
		}
	}
	return em * t.size
}

// bound extends a box by the text. Fonts other than Helvetica are up to a third wider.
func (t text) bound(all *box) {
	all.include(point{t.at.x, t.at.y - t.size*0.8}, 2)
	all.include(point{t.at.x + t.width()*1.3, t.at.y + t.size*0.25}, 2)
}

func (t text) write(b *bytes.Buffer) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f"`, t.at.x, t.at.y)
	if t.size != symbolSize {
		fmt.Fprintf(b, ` font-size="%.0f"`, t.size)
	}
	if t.color != "" {
		fmt.Fprintf(b, ` style="fill:%s"`, t.color)
	}
	fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(t.value))
}

var colors = map[Element]string{7: "#1f45c8", 8: "#c62020", 16: "#9a7400", 9: "#1c7c2c", 17: "#1c7c2c", 35: "#8a2f1f", 53: "#5f2a8f", 15: "#b45f06"}

// labeled reports whether an atom is drawn as text: all except carbon in a chain or ring.
func (d *drawing) labeled(i int) bool {
	a := &d.m.Atoms[i]
	return a.Element != 6 || a.Charge != 0 || a.Isotope != 0 || a.Radical != 0 || len(d.next[i]) == 0
}

// label returns the symbol of an atom with its isotope, hydrogens, charge and group of stereo centers. It is empty for
// carbon in a chain or ring.
func (d *drawing) label(i int) (all []text) {
	a, p := &d.m.Atoms[i], d.at[i]
	color := colors[a.Element]
	left, right := p.x, p.x // ends of the label
	before := func(size, rise float64, value string) {
		t := text{point{0, p.y + descent - rise}, size, color, value}
		left -= t.width()
		t.at.x = left
		all = append(all, t)
	}
	after := func(size, rise float64, value string) {
		t := text{point{right, p.y + descent - rise}, size, color, value}
		right += t.width()
		all = append(all, t)
	}
	if d.labeled(i) {
		symbol := text{size: symbolSize, value: a.Symbol}
		if a.Element != 0 {
			symbol.value = a.Element.Symbol()
		}
		right -= symbol.width() / 2
		left = right
		after(symbolSize, 0, symbol.value)
		if a.Isotope != 0 && a.Isotope != unknownIsotope {
			before(indexSize, 6, strconv.Itoa(int(a.Isotope)))
		}
		n := 0
		if d.hydrogens != nil {
			n = d.hydrogens[i]
		}
		crowded := d.crowdedRight(i)
		if n > 1 && crowded {
			before(indexSize, -3, strconv.Itoa(n))
		}
		if n > 0 && crowded {
			before(symbolSize, 0, "H")
		}
		if n > 0 && !crowded {
			after(symbolSize, 0, "H")
		}
		if n > 1 && !crowded {
			after(indexSize, -3, strconv.Itoa(n))
		}
		if charge := chargeText(a); charge != "" {
			after(chargeSize, 7, charge)
		}
	}
	if group := d.m.stereo[int32(i)]; group != "" {
		color = ""
		after(indexSize, 12, group)
	}
	return all
}

// crowdedRight reports whether the bonds of an atom point to the right.
func (d *drawing) crowdedRight(i int) bool {
	sum := 0.0
	for _, j := range d.next[i] {
		sum += d.at[j].x - d.at[i].x
	}
	return sum > 1
}

func chargeText(a *Atom) string {
	text := ""
	switch n := int(a.Charge); {
	case n == 1:
		text = "+"
	case n == -1:
		text = "−"
	case n > 1:
		text = strconv.Itoa(n) + "+"
	case n < -1:
		text = strconv.Itoa(-n) + "−"
	}
	if a.Radical != 0 {
		text += "•"
	}
	return text
}
