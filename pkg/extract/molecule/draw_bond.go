package molecule

import (
	"bytes"
	"fmt"
	"math"
)

const dashed = ` stroke-dasharray="2.5 3"`

// A stroke is the line of a bond between the labels of its atoms.
type stroke struct {
	from, to      point
	along, across point // of length 1
	length        float64
}

// point returns the point at a share of the length, shifted to the side.
func (s *stroke) point(share, side float64) point {
	return point{s.from.x + s.along.x*s.length*share + s.across.x*side, s.from.y + s.along.y*s.length*share + s.across.y*side}
}

// stroke returns the line of a bond. ok is false if the labels of its atoms cover it.
func (d *drawing) stroke(bond *Bond) (s stroke, ok bool) {
	s = stroke{from: d.at[bond.From], to: d.at[bond.To]}
	length := math.Hypot(s.to.x-s.from.x, s.to.y-s.from.y)
	if length < 1 {
		return s, false
	}
	s.along = point{(s.to.x - s.from.x) / length, (s.to.y - s.from.y) / length}
	s.across = point{-s.along.y, s.along.x}
	first, last := d.covered(int(bond.From), s.along), d.covered(int(bond.To), point{-s.along.x, -s.along.y})
	if s.length = length - first - last; s.length < 2 {
		return s, false
	}
	s.from = s.from.add(point{s.along.x * first, s.along.y * first})
	s.to = s.to.add(point{-s.along.x * last, -s.along.y * last})
	return s, true
}

// covered returns the distance from an atom in a direction at which a bond leaves its label.
func (d *drawing) covered(i int, along point) float64 {
	if !d.labeled(i) {
		return 0
	}
	distance := 0.0
	for _, l := range d.label(i) {
		around := nothing()
		around.include(point{l.at.x, l.at.y - l.size*0.7}, 1.5)
		around.include(point{l.at.x + l.width(), l.at.y}, 1.5)
		for step := 0.0; step < bondLength; step++ {
			if around.contains(d.at[i].add(point{along.x * step, along.y * step})) {
				distance = max(distance, step+1)
			}
		}
	}
	return min(distance, bondLength/2)
}

func (d *drawing) bond(b *bytes.Buffer, bond *Bond) {
	s, ok := d.stroke(bond)
	if !ok {
		return
	}
	line := func(from, to point, style string) {
		fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f"%s/>`, from.x, from.y, to.x, to.y, style)
	}
	parallel := func(side, inset float64, style string) {
		line(s.point(inset/s.length, side), s.point(1-inset/s.length, side), style)
	}
	inset := min(4, s.length/4)
	either := bond.Stereo == 3 || bond.Stereo == 4 // of a double bond; V3000 has one code for both orders
	switch side := d.side(bond, s.across); {
	case bond.Order == Single && bond.Stereo == 1:
		tip, left, right := s.point(0, 0), s.point(1, 3), s.point(1, -3)
		fmt.Fprintf(b, `<path fill="#222" d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ"/>`, tip.x, tip.y, left.x, left.y, right.x, right.y)
	case bond.Order == Single && bond.Stereo == 6:
		for step := 1.0; step <= 6; step++ {
			line(s.point(step/6, step/2), s.point(step/6, -step/2), "")
		}
	case bond.Order == Single && bond.Stereo == 4:
		s.wave(b)
	case bond.Order == Double && either:
		line(s.point(0, gap/2), s.point(1, -gap/2), "")
		line(s.point(0, -gap/2), s.point(1, gap/2), "")
	case bond.Order == Double && side == 0:
		parallel(gap/2, 0, "")
		parallel(-gap/2, 0, "")
	case bond.Order == Double:
		parallel(0, 0, "")
		parallel(side*gap, inset, "")
	case bond.Order == Triple:
		parallel(0, 0, "")
		parallel(gap, 0, "")
		parallel(-gap, 0, "")
	case bond.Order == Aromatic:
		parallel(0, 0, "")
		parallel(max(side, 0)*2*gap-gap, inset, dashed)
	case bond.Order == Coordination: // an arrow to the acceptor
		parallel(0, 0, "")
		head := 1 - min(6/s.length, 0.5)
		line(s.point(head, 3), s.to, "")
		line(s.point(head, -3), s.to, "")
	case bond.Order == Single:
		parallel(0, 0, "")
	default:
		parallel(0, 0, dashed)
	}
	b.WriteByte('\n')
}

// wave draws a wavy line, which IUPAC recommends for a bond of unknown configuration (doi:10.1351/pac200678101897).
func (s *stroke) wave(b *bytes.Buffer) {
	half := max(4, math.Round(s.length/3.5)) // number of half waves
	fmt.Fprintf(b, `<path d="M%.1f %.1f`, s.from.x, s.from.y)
	for i := 1.0; i <= half; i++ {
		side := 5.0
		if int(i)%2 == 0 {
			side = -side
		}
		top, end := s.point((i-0.5)/half, side), s.point(i/half, 0)
		fmt.Fprintf(b, `Q%.1f %.1f %.1f %.1f`, top.x, top.y, end.x, end.y)
	}
	b.WriteString(`"/>`)
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
