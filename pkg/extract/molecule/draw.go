package molecule

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"sort"
	"strconv"
)

// ErrNotDrawn means that a structure has no coordinates in the plane or too many atoms.
var ErrNotDrawn = errors.New("the structure cannot be drawn")

const (
	maxDrawn   = 2_000 // atoms
	bondLength = 30.0  // in units of the drawing
	margin     = 22.0
	gap        = 5.0 // between the lines of a double bond
)

// SVG draws the molecule with the coordinates in the file, viewed along z. It returns ErrNotDrawn if there are none or
// the molecule has too many atoms.
func (m *Molecule) SVG() ([]byte, error) {
	d, err := m.layout()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	open(&b, d.width, d.height)
	d.draw(&b)
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// SVG draws the reaction: the reactants, an arrow below the agents, and the products. It returns the errors of
// Molecule.SVG.
func (x *Reaction) SVG() ([]byte, error) {
	var body bytes.Buffer
	at, height := 0.0, 60.0
	var all []*drawing
	var pluses []float64
	place := func(molecules []*Molecule) error {
		for i, m := range molecules {
			d, err := m.layout()
			if err != nil {
				return err
			}
			if i > 0 {
				pluses = append(pluses, at+8)
				at += 16
			}
			all = append(all, d)
			d.left = at
			at += d.width
			height = max(height, d.height)
		}
		return nil
	}
	if err := place(x.Reactants); err != nil {
		return nil, err
	}
	arrow := at + 10
	at += 80
	if err := place(x.Products); err != nil {
		return nil, err
	}
	open(&body, at, height)
	for _, d := range all {
		fmt.Fprintf(&body, `<g transform="translate(%.1f %.1f)">`, d.left, (height-d.height)/2)
		d.draw(&body)
		body.WriteString("</g>\n")
	}
	for _, plus := range pluses {
		fmt.Fprintf(&body, `<text x="%.1f" y="%.1f" font-size="20">+</text>`, plus, height/2+7)
	}
	fmt.Fprintf(&body, `<path d="M%.1f %.1fh60m-8 -5l8 5l-8 5"/>`, arrow, height/2)
	for i, m := range x.Agents {
		c, _, reason := m.Composition()
		if reason == "" && i < 3 {
			fmt.Fprintf(&body, `<text x="%.1f" y="%.1f" font-size="10">%s</text>`, arrow+30, height/2-8-11*float64(i), html.EscapeString(c.Formula()))
		}
	}
	body.WriteString("</svg>\n")
	return body.Bytes(), nil
}

func open(b *bytes.Buffer, width, height float64) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f" `+
		`fill="none" stroke="#222" stroke-width="1.6" stroke-linecap="round" font-family="Helvetica,Arial,sans-serif" font-size="15" text-anchor="middle">`+"\n"+
		`<style>text{fill:#222;stroke:none}</style>`+"\n", width, height, width, height)
}

type point struct{ x, y float64 }

type drawing struct {
	m             *Molecule
	at            []point
	next          [][]int32
	hydrogens     []int // nil if they are not determined
	left          float64
	width, height float64
}

// layout returns a drawing of the molecule, scaled to the usual bond length.
func (m *Molecule) layout() (*drawing, error) {
	n := len(m.Atoms)
	if n == 0 || n > maxDrawn {
		return nil, fmt.Errorf("%w: it has %d atoms", ErrNotDrawn, n)
	}
	d := &drawing{m: m, at: make([]point, n), next: make([][]int32, n)}
	if h, _, reason := m.hydrogens(); reason == "" {
		d.hydrogens = h
	}
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for i := range m.Atoms {
		x, y := m.Atoms[i].X, m.Atoms[i].Y
		low, high = point{min(low.x, x), min(low.y, y)}, point{max(high.x, x), max(high.y, y)}
	}
	var lengths []float64
	for _, b := range m.Bonds {
		p, q := &m.Atoms[b.From], &m.Atoms[b.To]
		lengths = append(lengths, math.Hypot(p.X-q.X, p.Y-q.Y))
		d.next[b.From], d.next[b.To] = append(d.next[b.From], b.To), append(d.next[b.To], b.From)
	}
	if n > 1 && high.x-low.x < 1e-6 && high.y-low.y < 1e-6 {
		return nil, fmt.Errorf("%w: it has no coordinates", ErrNotDrawn)
	}
	scale := bondLength
	if sort.Float64s(lengths); len(lengths) > 0 && lengths[len(lengths)/2] > 1e-6 {
		scale = bondLength / lengths[len(lengths)/2]
	}
	if widest := max(high.x-low.x, high.y-low.y) * scale; widest > 4_000 {
		scale *= 4_000 / widest
	}
	d.width, d.height = (high.x-low.x)*scale+2*margin, (high.y-low.y)*scale+2*margin
	for i := range m.Atoms {
		d.at[i] = point{(m.Atoms[i].X-low.x)*scale + margin, (high.y-m.Atoms[i].Y)*scale + margin}
	}
	return d, nil
}

func (d *drawing) draw(b *bytes.Buffer) {
	for i := range d.m.Bonds {
		d.bond(b, &d.m.Bonds[i])
	}
	for i := range d.m.Atoms {
		if d.labeled(i) {
			d.label(b, i)
		}
	}
}

// labeled reports whether an atom is drawn as text: all except carbon in a chain or ring.
func (d *drawing) labeled(i int) bool {
	a := &d.m.Atoms[i]
	return a.Element != 6 || a.Charge != 0 || a.Isotope != 0 || a.Radical != 0 || len(d.next[i]) == 0
}

func (d *drawing) bond(b *bytes.Buffer, bond *Bond) {
	p, q := d.at[bond.From], d.at[bond.To]
	length := math.Hypot(q.x-p.x, q.y-p.y)
	if length < 1 {
		return
	}
	along := point{(q.x - p.x) / length, (q.y - p.y) / length}
	across := point{-along.y, along.x}
	if d.labeled(int(bond.From)) {
		p = point{p.x + along.x*9, p.y + along.y*9}
	}
	if d.labeled(int(bond.To)) {
		q = point{q.x - along.x*9, q.y - along.y*9}
	}
	line := func(shift, inset float64, dash string) {
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f"%s/>`, p.x+across.x*shift+along.x*inset, p.y+across.y*shift+along.y*inset,
			q.x+across.x*shift-along.x*inset, q.y+across.y*shift-along.y*inset, dash)
	}
	const dashed = ` stroke-dasharray="2.5 3"`
	switch side := d.side(bond, across); {
	case bond.Order == Single && bond.Stereo == 1:
		fmt.Fprintf(b, `<path fill="#222" d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ"/>`, p.x, p.y, q.x+across.x*3, q.y+across.y*3, q.x-across.x*3, q.y-across.y*3)
	case bond.Order == Single && bond.Stereo == 6:
		for step := 1.0; step <= 6; step++ {
			x, y, w := p.x+(q.x-p.x)*step/6, p.y+(q.y-p.y)*step/6, step/2
			fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f"/>`, x+across.x*w, y+across.y*w, x-across.x*w, y-across.y*w)
		}
	case bond.Order == Double && side == 0:
		line(gap/2, 0, "")
		line(-gap/2, 0, "")
	case bond.Order == Double:
		line(0, 0, "")
		line(side*gap, 4, "")
	case bond.Order == Triple:
		line(0, 0, "")
		line(gap, 0, "")
		line(-gap, 0, "")
	case bond.Order == Aromatic:
		line(0, 0, "")
		line(max(side, 0)*2*gap-gap, 4, dashed)
	case bond.Order == Single:
		line(0, 0, "")
	default:
		line(0, 0, dashed)
	}
	b.WriteByte('\n')
}

// side returns the side of a bond with more of the adjacent atoms: 1 in the direction of across, -1 on the
// other side, 0 if neither has more.
func (d *drawing) side(bond *Bond, across point) float64 {
	balance, p := 0.0, d.at[bond.From]
	for _, end := range [2]int32{bond.From, bond.To} {
		for _, i := range d.next[end] {
			if i == bond.From || i == bond.To {
				continue
			}
			switch v := (d.at[i].x-p.x)*across.x + (d.at[i].y-p.y)*across.y; {
			case v > 1:
				balance++
			case v < -1:
				balance--
			}
		}
	}
	switch {
	case balance > 0:
		return 1
	case balance < 0:
		return -1
	default:
		return 0
	}
}

// label writes the symbol of an atom with its isotope, hydrogens and charge.
func (d *drawing) label(b *bytes.Buffer, i int) {
	a, p := &d.m.Atoms[i], d.at[i]
	symbol := a.Element.Symbol()
	if a.Element == 0 {
		symbol = a.Symbol
	}
	color := map[Element]string{7: "#1f45c8", 8: "#c62020", 16: "#9a7400", 9: "#1c7c2c", 17: "#1c7c2c", 35: "#8a2f1f", 53: "#5f2a8f", 15: "#b45f06"}[a.Element]
	if color != "" {
		color = ` style="fill:` + color + `"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f"%s>%s</text>`, p.x, p.y+5.2, color, html.EscapeString(symbol))
	half := 5.2 * float64(len(symbol))
	if a.Isotope != 0 && a.Isotope != unknownIsotope {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="10" text-anchor="end"%s>%d</text>`, p.x-half+1, p.y-1, color, a.Isotope)
	}
	at := p.x + half
	if d.hydrogens != nil && d.hydrogens[i] > 0 {
		anchor, x := "start", p.x+half
		if d.crowdedRight(i) {
			anchor, x = "end", p.x-half
		} else {
			at += 11
		}
		count := ""
		if n := d.hydrogens[i]; n > 1 {
			count = fmt.Sprintf(`<tspan font-size="10" dy="3">%d</tspan>`, n)
			if anchor == "start" {
				at += 6
			}
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>H%s</text>`, x, p.y+5.2, anchor, color, count)
	}
	if text := chargeText(a); text != "" {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="11" text-anchor="start"%s>%s</text>`, at, p.y-2, color, text)
	}
	b.WriteByte('\n')
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
