package molecule

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A bracket is one of the brackets around a group.
type bracket struct {
	ends   [2]point
	inside point // direction to the group, of length 1
	texts  []text
}

// place sets the brackets of the groups. page converts coordinates of the file to those of the drawing.
func (d *drawing) place(page func(x, y float64) point) {
	atoms := nothing()
	for _, p := range d.at {
		atoms.include(p, 300) // brackets further away are not drawn
	}
	for _, number := range slices.Sorted(maps.Keys(d.m.groups)) {
		g := d.m.groups[number]
		mark, drawn := marks[g.kind]
		if !drawn {
			continue
		}
		first := len(d.brackets)
		middle := point{(atoms.low.x + atoms.high.x) / 2, (atoms.low.y + atoms.high.y) / 2}
		for _, line := range g.lines {
			b := bracket{ends: [2]point{page(line[0].x, line[0].y), page(line[1].x, line[1].y)}}
			if atoms.contains(b.ends[0]) && atoms.contains(b.ends[1]) && b.ends[0] != b.ends[1] {
				d.brackets = append(d.brackets, b)
			}
		}
		own := d.brackets[first:]
		if len(own) > 1 {
			middle = point{}
			for _, b := range own {
				middle = middle.add(point{b.middle().x / float64(len(own)), b.middle().y / float64(len(own))})
			}
		}
		for i := range own {
			own[i].turn(middle)
		}
		if len(own) > 0 {
			last := &own[0] // the rightmost one
			for i := range own {
				if own[i].middle().x > last.middle().x {
					last = &own[i]
				}
			}
			last.mark(cmp.Or(g.label, mark), g.connect)
		}
	}
}

func (b *bracket) middle() point {
	return point{(b.ends[0].x + b.ends[1].x) / 2, (b.ends[0].y + b.ends[1].y) / 2}
}

// turn turns the bracket towards a point.
func (b *bracket) turn(to point) {
	length := math.Hypot(b.ends[1].x-b.ends[0].x, b.ends[1].y-b.ends[0].y)
	b.inside = point{(b.ends[0].y - b.ends[1].y) / length, (b.ends[1].x - b.ends[0].x) / length}
	if (to.x-b.middle().x)*b.inside.x+(to.y-b.middle().y)*b.inside.y < 0 {
		b.inside = point{-b.inside.x, -b.inside.y}
	}
}

// mark writes a label at the lower end of the bracket, and the kind of connection at the upper end.
func (b *bracket) mark(label, connect string) {
	top, bottom := b.ends[0], b.ends[1]
	if top.y > bottom.y {
		top, bottom = bottom, top
	}
	if label != "" {
		b.texts = append(b.texts, text{at: bottom.add(point{4, 4}), size: chargeSize, value: label})
	}
	if connect != "" {
		b.texts = append(b.texts, text{at: top.add(point{4, 4}), size: indexSize, value: connect})
	}
}

// tick returns the end of the short line at an end of the bracket.
func (b *bracket) tick(end point) point { return end.add(point{b.inside.x * 5, b.inside.y * 5}) }

func (b *bracket) bound(all *box) {
	for _, end := range b.ends {
		all.include(end, 2)
		all.include(b.tick(end), 2)
	}
	for _, t := range b.texts {
		t.bound(all)
	}
}

func (b *bracket) move(by point) {
	b.ends = [2]point{b.ends[0].add(by), b.ends[1].add(by)}
	for i := range b.texts {
		b.texts[i].at = b.texts[i].at.add(by)
	}
}

func (b *bracket) write(w *bytes.Buffer) {
	from, to := b.tick(b.ends[0]), b.tick(b.ends[1])
	fmt.Fprintf(w, `<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1f"/>`+"\n", from.x, from.y, b.ends[0].x, b.ends[0].y, b.ends[1].x, b.ends[1].y, to.x, to.y)
	for _, t := range b.texts {
		t.write(w)
	}
}
