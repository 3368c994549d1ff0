package crystal

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/molecule"
)

// A Structure is the crystal structure that a block describes.
type Structure struct {
	Cell       Cell
	Operations []Operation // empty if they are undetermined
	Symmetry   string      // source of the operations if the block states only a space group
	Unknown    error       // why the operations are undetermined
	Sites      []Site
}

// A Cell contains the edges of a unit cell in angstroms and its angles in degrees.
type Cell struct{ A, B, C, Alpha, Beta, Gamma float64 }

// A Site is an atom of the asymmetric unit in fractional coordinates.
type Site struct {
	Label     string
	Element   molecule.Element // 0 for an unknown symbol
	X, Y, Z   float64
	Occupancy float64
}

// An Operation is a symmetry operation: a matrix and a translation.
type Operation [3][4]float64

// Volume returns the volume of the cell in cubic angstroms. It returns false if the edges and angles do not
// form a cell.
func (c Cell) Volume() (float64, bool) {
	x, y, z := cos(c.Alpha), cos(c.Beta), cos(c.Gamma)
	square := 1 - x*x - y*y - z*z + 2*x*y*z
	v := c.A * c.B * c.C * math.Sqrt(square)
	return v, square > 1e-9 && c.A > 0 && c.B > 0 && c.C > 0 && !math.IsInf(v, 0) && v > 0
}

// fractional returns the fractional coordinates of a point in Cartesian coordinates, in angstroms: edge a is along x, and
// edge b in the plane of x and y, as in the Protein Data Bank.
func (c Cell) fractional(x, y, z float64) (u, v, w float64) {
	o := c.orthogonal()
	w = z / o.zz
	v = (y - w*o.yz) / o.yy
	u = (x - v*o.xy - w*o.xz) / o.xx
	return u, v, w
}

func cos(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }

// number parses a number with an optional standard uncertainty in parentheses.
func number(text string) (v, uncertainty float64, ok bool) {
	digits, rest, uncertain := strings.Cut(text, "(")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, 0, false
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(rest, ")")); uncertain && err == nil {
		decimals := 0
		if i := strings.IndexByte(digits, '.'); i >= 0 {
			decimals = len(digits) - i - 1
		}
		uncertainty = float64(n) * math.Pow10(-decimals)
	}
	return v, uncertainty, true
}

// cellValue returns a length or an angle of the cell. The angles of a block with lengths are 90 degrees if they are not
// stated, as in the CIF dictionary.
func (b *Block) cellValue(tag string) (v float64, ok bool) {
	text, found := b.get(tag)
	if _, cell := b.get("_cell_length_a"); !found && cell && strings.Contains(tag, "angle") {
		return 90, true
	}
	v, _, ok = number(text)
	return v, ok
}

// Structure returns the structure of the block, or false if the block has no cell.
func (b *Block) Structure() (*Structure, bool) {
	s := &Structure{}
	for tag, target := range map[string]*float64{
		"_cell_length_a": &s.Cell.A, "_cell_length_b": &s.Cell.B, "_cell_length_c": &s.Cell.C,
		"_cell_angle_alpha": &s.Cell.Alpha, "_cell_angle_beta": &s.Cell.Beta, "_cell_angle_gamma": &s.Cell.Gamma,
	} {
		var ok bool
		if *target, ok = b.cellValue(tag); !ok {
			return nil, false
		}
	}
	if _, ok := s.Cell.Volume(); !ok {
		return nil, false
	}
	stated := false
	for _, l := range b.tables() {
		for _, tag := range []string{"_space_group_symop_operation_xyz", "_symmetry_equiv_pos_as_xyz"} {
			if c := l.column(tag); c >= 0 && !stated {
				stated = l.has(c)
				s.Operations, s.Unknown = operations(&l, c)
			}
		}
		if len(s.Sites) == 0 {
			s.sites(&l)
		}
	}
	if !stated {
		var group []motion
		group, s.Symmetry, s.Unknown = b.group(s.Cell)
		s.Operations = nil
		for _, m := range group {
			s.Operations = append(s.Operations, m.operation())
		}
	}
	return s, true
}

// has reports whether a column has a value that is known.
func (l *Loop) has(column int) bool {
	for at := column; at < len(l.Values); at += len(l.Tags) {
		if v := l.Values[at]; v != "?" && v != "." {
			return true
		}
	}
	return false
}

// operations parses the operations of a column.
func operations(l *Loop, column int) (all []Operation, err error) {
	for at := column; at < len(l.Values); at += len(l.Tags) {
		o, ok := ParseOperation(l.Values[at])
		if !ok {
			return nil, fmt.Errorf("the symmetry operation %.40q cannot be read", l.Values[at])
		}
		if all = append(all, o); len(all) > maxOperations {
			return nil, fmt.Errorf("there are more than %d symmetry operations", maxOperations)
		}
	}
	return all, nil
}

func (s *Structure) sites(l *Loop) {
	x, y, z := l.column("_atom_site_fract_x"), l.column("_atom_site_fract_y"), l.column("_atom_site_fract_z")
	cartesian := x < 0 && y < 0 && z < 0
	if cartesian {
		x, y, z = l.column("_atom_site_cartn_x"), l.column("_atom_site_cartn_y"), l.column("_atom_site_cartn_z")
	}
	if x < 0 || y < 0 || z < 0 {
		return
	}
	label, symbol, occupancy := l.column("_atom_site_label"), l.column("_atom_site_type_symbol"), l.column("_atom_site_occupancy")
	for row := 0; row < len(l.Values); row += len(l.Tags) {
		site := Site{Occupancy: 1}
		var ok [3]bool
		for i, c := range []int{x, y, z} {
			*[]*float64{&site.X, &site.Y, &site.Z}[i], _, ok[i] = number(l.Values[row+c])
		}
		if !ok[0] || !ok[1] || !ok[2] { // for example a calculated hydrogen without coordinates
			continue
		}
		if cartesian {
			site.X, site.Y, site.Z = s.Cell.fractional(site.X, site.Y, site.Z)
		}
		if label >= 0 {
			site.Label = l.Values[row+label]
		}
		if symbol >= 0 {
			site.Element = molecule.ElementOf(l.Values[row+symbol])
		} else {
			site.Element = molecule.ElementOf(site.Label)
		}
		if occupancy >= 0 {
			if v, _, ok := number(l.Values[row+occupancy]); ok {
				site.Occupancy = v
			}
		}
		s.Sites = append(s.Sites, site)
	}
}

// ParseOperation parses an operation such as "-y+1/2, x-y, z".
func ParseOperation(text string) (o Operation, ok bool) {
	rows := strings.Split(strings.ToLower(strings.ReplaceAll(text, " ", "")), ",")
	if len(rows) != 3 {
		return o, false
	}
	for i, row := range rows {
		if row == "" {
			return o, false
		}
		for at := 0; at < len(row); {
			sign := 1.0
			switch row[at] {
			case '-':
				sign = -1
				at++
			case '+':
				at++
			}
			if at == len(row) {
				return o, false
			}
			if c := row[at]; c >= 'x' && c <= 'z' {
				o[i][c-'x'] += sign
				at++
				continue
			}
			from := at
			for at < len(row) && (row[at] >= '0' && row[at] <= '9' || row[at] == '.' || row[at] == '/') {
				at++
			}
			above, below, fraction := strings.Cut(row[from:at], "/")
			v, err := strconv.ParseFloat(above, 64)
			if err != nil {
				return o, false
			}
			if fraction {
				divisor, err := strconv.ParseFloat(below, 64)
				if err != nil || divisor == 0 {
					return o, false
				}
				v /= divisor
			}
			if v > 100 {
				return o, false
			}
			o[i][3] += sign * v
		}
	}
	return o, true
}

// MaxCellAtoms is the maximum number of atoms that Atoms generates.
const MaxCellAtoms = 5_000

// nearest is the distance in angstroms below which two images of a site are one atom at a special position, as in gemmi.
const nearest = 0.4

// Atoms returns the sites of the complete cell, with coordinates in the interval [0, 1). It returns false
// if the block has no operations or the cell has more than MaxCellAtoms.
func (s *Structure) Atoms() ([]Site, bool) {
	if len(s.Operations) == 0 || len(s.Sites)*len(s.Operations) > 50*MaxCellAtoms {
		return nil, false
	}
	orthogonal := s.Cell.orthogonal()
	var all []Site
	for _, site := range s.Sites {
		first := len(all)
		for _, o := range s.Operations {
			atom := site.image(o)
			if slices.ContainsFunc(all[first:], func(other Site) bool {
				return orthogonal.length(atom.X-other.X, atom.Y-other.Y, atom.Z-other.Z) < nearest
			}) {
				continue
			}
			if all = append(all, atom); len(all) > MaxCellAtoms {
				return nil, false
			}
		}
	}
	return all, true
}

// image returns the site that an operation generates, inside the cell.
func (s Site) image(o Operation) Site {
	at := [3]float64{s.X, s.Y, s.Z}
	for row, target := range []*float64{&s.X, &s.Y, &s.Z} {
		v := o[row][0]*at[0] + o[row][1]*at[1] + o[row][2]*at[2] + o[row][3]
		if *target = v - math.Floor(v); *target > 1-5e-4 {
			*target = 0
		}
	}
	return s
}

// An orthogonal is the upper triangle of the matrix that maps fractional to Cartesian coordinates in angstroms.
type orthogonal struct{ xx, xy, xz, yy, yz, zz float64 }

func (c Cell) orthogonal() orthogonal {
	volume, _ := c.Volume()
	sine := math.Sin(c.Gamma * math.Pi / 180)
	return orthogonal{
		c.A, c.B * cos(c.Gamma), c.C * cos(c.Beta),
		c.B * sine, c.C * (cos(c.Alpha) - cos(c.Beta)*cos(c.Gamma)) / sine, volume / (c.A * c.B * sine),
	}
}

// length returns the length of a fractional vector, shortened by whole edges.
func (o orthogonal) length(x, y, z float64) float64 {
	x, y, z = x-math.Round(x), y-math.Round(y), z-math.Round(z)
	x, y, z = o.xx*x+o.xy*y+o.xz*z, o.yy*y+o.yz*z, o.zz*z
	return math.Sqrt(x*x + y*y + z*z)
}
