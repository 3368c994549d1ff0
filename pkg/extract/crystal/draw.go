package crystal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"math"
	"sort"

	"github.com/assay-project/assay/pkg/extract/molecule"
)

// ErrNotDrawn means that a structure has no sites, or no cell.
var ErrNotDrawn = errors.New("the crystal has no cell or no sites")

type point struct{ x, y, z float64 }

// SVG draws the cell and its atoms, slightly rotated from the view along c. Without operations it
// draws only the sites. The attributes data-z are the positions toward the viewer, in units of the drawing, so that a viewer can
// rotate the cell. It returns ErrNotDrawn if there is nothing to draw.
func (s *Structure) SVG() ([]byte, error) {
	atoms, all := s.Atoms()
	if !all {
		atoms = s.Sites
	}
	if len(atoms) == 0 || len(atoms) > MaxCellAtoms {
		return nil, ErrNotDrawn
	}
	project := s.Cell.projection()
	low, high := point{math.Inf(1), math.Inf(1), 0}, point{math.Inf(-1), math.Inf(-1), 0}
	reach := func(p point) {
		low, high = point{min(low.x, p.x), min(low.y, p.y), 0}, point{max(high.x, p.x), max(high.y, p.y), 0}
	}
	var corners [8]point
	for i := range corners {
		corners[i] = project(float64(i&1), float64(i>>1&1), float64(i>>2))
		reach(corners[i])
	}
	type ball struct {
		point
		site Site
	}
	balls := make([]ball, 0, len(atoms))
	for _, a := range atoms {
		p := project(a.X, a.Y, a.Z)
		reach(p)
		balls = append(balls, ball{p, a})
	}
	const size, margin = 500.0, 30.0
	scale := size / max(high.x-low.x, high.y-low.y)
	if math.IsNaN(scale) || math.IsInf(scale, 0) || scale <= 0 {
		return nil, ErrNotDrawn
	}
	place := func(p point) (x, y float64) { return (p.x-low.x)*scale + margin, (high.y-p.y)*scale + margin }
	sort.SliceStable(balls, func(i, j int) bool { return balls[i].z < balls[j].z })

	var b bytes.Buffer
	width, height := (high.x-low.x)*scale+2*margin, (high.y-low.y)*scale+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %.1f" width="%.0f" height="%.0f" stroke="#222" font-family="Helvetica,Arial,sans-serif" font-size="14">`+"\n", width, height, width, height)
	for i := range corners {
		for axis := range 3 {
			if j := i | 1<<axis; j != i {
				x1, y1 := place(corners[i])
				x2, y2 := place(corners[j])
				fmt.Fprintf(&b, `<path d="M%.1f %.1fL%.1f %.1f" data-z="%.1f %.1f"/>`, x1, y1, x2, y2, corners[i].z*scale, corners[j].z*scale)
			}
		}
	}
	for axis, name := range []string{"a", "b", "c"} {
		x, y := place(corners[1<<axis])
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" fill="#222" stroke="none">%s</text>`, x+6, y-6, name)
	}
	b.WriteByte('\n')
	for _, a := range balls {
		x, y := place(a.point)
		radius := 0.45
		if a.site.Element == 1 {
			radius = 0.25
		}
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" data-z="%.1f" r="%.1f" fill="%s" stroke-width="0.7"><title>%s</title></circle>`+"\n",
			x, y, a.z*scale, min(max(radius*scale, 2), 24), color(a.site.Element), html.EscapeString(printable(a.site.Label)))
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// projection returns a function that maps fractional coordinates to positions in angstroms: x to the right,
// y up, z toward the viewer.
func (c Cell) projection() func(x, y, z float64) point {
	o := c.orthogonal()
	tilt, turn := 15*math.Pi/180, 20*math.Pi/180
	return func(x, y, z float64) point {
		px := o.xx*x + o.xy*y + o.xz*z
		py := o.yy*y + o.yz*z
		pz := o.zz * z
		px, pz = px*math.Cos(turn)+pz*math.Sin(turn), pz*math.Cos(turn)-px*math.Sin(turn)
		py, pz = py*math.Cos(tilt)-pz*math.Sin(tilt), pz*math.Cos(tilt)+py*math.Sin(tilt)
		return point{px, py, pz}
	}
}

// color returns the usual color of common elements, and a distinct one for each other element.
func color(e molecule.Element) string {
	known := map[molecule.Element]string{1: "#ffffff", 6: "#606060", 7: "#3050f8", 8: "#e03020", 9: "#70d050", 11: "#ab5cf2", 12: "#6ab000",
		13: "#bfa6a6", 14: "#d8b070", 15: "#ff8000", 16: "#e6c830", 17: "#1fd01f", 20: "#3dbb00", 22: "#9fa2a8", 26: "#c8602a", 29: "#c07040"}
	if c, found := known[e]; found {
		return c
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte{byte(e), 7})
	return fmt.Sprintf("#%06x", h.Sum32()&0x7f7f7f|0x606060)
}

func printable(label string) string {
	var b bytes.Buffer
	for _, r := range label {
		if r >= ' ' && r != 0xfffe && r != 0xffff && b.Len() < 40 {
			b.WriteRune(r)
		}
	}
	return b.String()
}
