package molecule

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
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

func open(b *bytes.Buffer, width, height float64) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f" `+
		`fill="none" stroke="#222" stroke-width="1.6" stroke-linecap="round" font-family="Helvetica,Arial,sans-serif" font-size="15">`+"\n"+
		`<style>text{fill:#222;stroke:none}</style>`+"\n", width, height, width, height)
}

type point struct{ x, y float64 }

func (p point) add(q point) point { return point{p.x + q.x, p.y + q.y} }

// A drawing is a molecule with its positions in the drawing.
type drawing struct {
	m             *Molecule
	at            []point
	brackets      []bracket
	next          [][]int32
	hydrogens     []int // nil if they are not determined
	left          float64
	width, height float64
}

// layout returns a drawing of the molecule, scaled to the usual bond length. All marks are inside its width and height.
func (m *Molecule) layout() (*drawing, error) {
	n := len(m.Atoms)
	if n == 0 || n > maxDrawn {
		return nil, fmt.Errorf("%w: it has %d atoms", ErrNotDrawn, n)
	}
	d := &drawing{m: m, at: make([]point, n), next: make([][]int32, n)}
	if h, _, reason := m.hydrogens(); reason == "" {
		d.hydrogens = h
	}
	atoms := nothing()
	for i := range m.Atoms {
		atoms.include(point{m.Atoms[i].X, m.Atoms[i].Y}, 0)
	}
	var lengths []float64
	for _, b := range m.Bonds {
		p, q := &m.Atoms[b.From], &m.Atoms[b.To]
		lengths = append(lengths, math.Hypot(p.X-q.X, p.Y-q.Y))
		d.next[b.From], d.next[b.To] = append(d.next[b.From], b.To), append(d.next[b.To], b.From)
	}
	if n > 1 && atoms.high.x-atoms.low.x < 1e-6 && atoms.high.y-atoms.low.y < 1e-6 {
		return nil, fmt.Errorf("%w: it has no coordinates", ErrNotDrawn)
	}
	scale := bondLength
	if slices.Sort(lengths); len(lengths) > 0 && lengths[len(lengths)/2] > 1e-6 {
		scale = bondLength / lengths[len(lengths)/2]
	}
	if widest := max(atoms.high.x-atoms.low.x, atoms.high.y-atoms.low.y) * scale; widest > 4_000 {
		scale *= 4_000 / widest
	}
	place := func(x, y float64) point { return point{(x - atoms.low.x) * scale, (atoms.high.y - y) * scale} }
	all := nothing()
	for i := range m.Atoms {
		d.at[i] = place(m.Atoms[i].X, m.Atoms[i].Y)
		all.include(d.at[i], margin)
	}
	d.place(place)
	d.bound(&all)
	d.move(point{-all.low.x, -all.low.y})
	d.width, d.height = all.high.x-all.low.x, all.high.y-all.low.y
	return d, nil
}

// bound extends a box by all labels and brackets.
func (d *drawing) bound(all *box) {
	for i := range d.at {
		for _, l := range d.label(i) {
			l.bound(all)
		}
	}
	for _, b := range d.brackets {
		b.bound(all)
	}
}

func (d *drawing) move(by point) {
	for i := range d.at {
		d.at[i] = d.at[i].add(by)
	}
	for i := range d.brackets {
		d.brackets[i].move(by)
	}
}

func (d *drawing) draw(b *bytes.Buffer) {
	for i := range d.m.Bonds {
		d.bond(b, &d.m.Bonds[i])
	}
	for i := range d.m.Atoms {
		for _, l := range d.label(i) {
			l.write(b)
		}
	}
	for _, bracket := range d.brackets {
		bracket.write(b)
	}
}

// A box is a rectangle that contains marks of a drawing.
type box struct{ low, high point }

func nothing() box { return box{point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}} }

// include extends the box by the points around p up to a distance.
func (b *box) include(p point, distance float64) {
	b.low = point{min(b.low.x, p.x-distance), min(b.low.y, p.y-distance)}
	b.high = point{max(b.high.x, p.x+distance), max(b.high.y, p.y+distance)}
}

func (b *box) contains(p point) bool {
	return p.x >= b.low.x && p.x <= b.high.x && p.y >= b.low.y && p.y <= b.high.y
}
