package crystal

import (
	"strconv"
	"strings"
)

// parts is the number of parts of a cell edge in which translations of space groups are counted.
const parts = 24

// A motion is a symmetry operation with whole numbers: a matrix, and a translation in parts of the edges.
type motion struct {
	matrix [3][3]int
	shift  [3]int
}

var identity = motion{matrix: [3][3]int{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}

// after returns the operation that applies n and then m, with a translation inside the cell.
func (m motion) after(n motion) (r motion) {
	for i := range 3 {
		r.shift[i] = m.shift[i]
		for j := range 3 {
			r.shift[i] += m.matrix[i][j] * n.shift[j]
			for k := range 3 {
				r.matrix[i][j] += m.matrix[i][k] * n.matrix[k][j]
			}
		}
		r.shift[i] = ((r.shift[i] % parts) + parts) % parts
	}
	return r
}

// negated returns m with the matrix of the opposite sign: the inversion after a rotation.
func (m motion) negated() motion {
	for i := range m.matrix {
		for j := range m.matrix[i] {
			m.matrix[i][j] = -m.matrix[i][j]
		}
	}
	return m
}

func (m motion) operation() (o Operation) {
	for i := range o {
		for j := range 3 {
			o[i][j] = float64(m.matrix[i][j])
		}
		o[i][3] = float64(m.shift[i]) / parts
	}
	return o
}

// maxOperations is the maximum number of operations over all space groups.
const maxOperations = 192

// generate returns all products of generators, the identity first, or nil if they form no space group.
func generate(generators []motion) []motion {
	group := []motion{identity}
	seen := map[motion]bool{identity: true}
	for i := 0; i < len(group); i++ {
		for _, g := range generators {
			m := g.after(group[i])
			if seen[m] {
				continue
			}
			if seen[m] = true; len(group) == maxOperations {
				return nil
			}
			group = append(group, m)
		}
	}
	return group
}

// centerings contains the translations of the lattice symbols, in parts of the edges.
var centerings = map[byte][][3]int{
	'P': nil, 'A': {{0, 12, 12}}, 'B': {{12, 0, 12}}, 'C': {{12, 12, 0}}, 'I': {{12, 12, 12}},
	'R': {{16, 8, 8}, {8, 16, 16}}, 'H': {{16, 8, 0}, {8, 16, 0}}, 'F': {{0, 12, 12}, {12, 0, 12}, {12, 12, 0}},
}

// hallOperations returns the operations of a space group that is named by its Hall symbol (S. R. Hall, Acta Cryst. A37
// (1981) 517; International Tables B, section 1.4), or nil if the symbol is none. A change of basis is read as an
// origin shift in twelfths, such as "(0 0 4)", or as three coordinates, such as "(x-y,x+y,z)".
func hallOperations(symbol string) []motion {
	symbol = strings.ReplaceAll(symbol, "_", " ")
	symbol, change, changed := strings.Cut(symbol, "(")
	words := strings.Fields(symbol)
	if len(words) == 0 {
		return nil
	}
	lattice := strings.ToUpper(words[0])
	var generators []motion
	if centered, found := strings.CutPrefix(lattice, "-"); found {
		lattice = centered
		generators = append(generators, identity.negated())
	}
	if lattice == "" && len(words) > 1 { // "- P 2"
		return nil
	}
	shifts, known := centerings[(lattice + " ")[0]]
	if !known || len(lattice) != 1 || len(words) < 2 || len(words) > 5 {
		return nil
	}
	for _, shift := range shifts {
		generators = append(generators, motion{identity.matrix, shift})
	}
	var before rotation
	for place, word := range words[1:] {
		r, ok := parseRotation(word, place, before)
		if !ok {
			return nil
		}
		generators, before = append(generators, r.motion()), r
	}
	if changed {
		basis, inverse, ok := changeOfBasis(strings.TrimSuffix(strings.TrimSpace(change), ")"))
		if !ok {
			return nil
		}
		for i := range generators {
			generators[i] = basis.after(generators[i]).after(inverse)
		}
	}
	return generate(generators)
}

// changeOfBasis parses the change of basis of a Hall symbol, and returns it with its inverse.
func changeOfBasis(text string) (basis, inverse motion, ok bool) {
	basis = identity
	if strings.Contains(text, ",") {
		o, ok := ParseOperation(text)
		if !ok {
			return basis, inverse, false
		}
		for i := range o {
			for j := range 3 {
				if basis.matrix[i][j] = int(o[i][j]); float64(basis.matrix[i][j]) != o[i][j] {
					return basis, inverse, false
				}
			}
			basis.shift[i] = int(o[i][3] * parts)
		}
	} else {
		numbers := strings.Fields(text)
		if len(numbers) != 3 {
			return basis, inverse, false
		}
		for i, n := range numbers {
			twelfths, err := strconv.Atoi(n)
			if err != nil {
				return basis, inverse, false
			}
			basis.shift[i] = twelfths % 12 * (parts / 12)
		}
	}
	return basis, basis.inverse(), basis.determinant() == 1
}

// minor returns the determinant of the other rows and columns.
func (m motion) minor(row, column int) int {
	a, b := (row+1)%3, (row+2)%3
	c, d := (column+1)%3, (column+2)%3
	return m.matrix[a][c]*m.matrix[b][d] - m.matrix[a][d]*m.matrix[b][c]
}

func (m motion) determinant() (d int) {
	for i := range 3 {
		d += m.matrix[0][i] * m.minor(0, i)
	}
	return d
}

// inverse returns the inverse of an operation whose determinant is 1.
func (m motion) inverse() (r motion) {
	for i := range 3 {
		for j := range 3 {
			r.matrix[i][j] = m.minor(j, i)
		}
	}
	for i := range 3 {
		for j := range 3 {
			r.shift[i] -= r.matrix[i][j] * m.shift[j]
		}
	}
	return r
}
