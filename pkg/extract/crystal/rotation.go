package crystal

import "strings"

// A rotation is one matrix symbol of a Hall symbol.
type rotation struct {
	improper bool
	order    int  // 1, 2, 3, 4 or 6
	axis     byte // x, y, z, ' (a-b), " (a+b) or * (a+b+c)
	about    byte // the axis to which ' and " are perpendicular
	shift    [3]int
}

// directions contains the translations of the symbols of a rotation, in parts of the edges.
var directions = map[byte][3]int{
	'a': {12, 0, 0}, 'b': {0, 12, 0}, 'c': {0, 0, 12}, 'n': {12, 12, 12},
	'u': {6, 0, 0}, 'v': {0, 6, 0}, 'w': {0, 0, 6}, 'd': {6, 6, 6},
}

// parseRotation parses the matrix symbol at a place, counted from 0, after another one. The axis may be omitted: the first
// is z, the second of order 2 is x after 2 or 4 and a-b after 3 or 6, and the third of order 3 is a+b+c.
func parseRotation(word string, place int, before rotation) (r rotation, ok bool) {
	rest := strings.ToLower(word)
	if r.improper = rest[0] == '-'; r.improper {
		rest = rest[1:]
	}
	if rest == "" || !strings.Contains("12346", rest[:1]) {
		return r, false
	}
	r.order, rest = int(rest[0]-'0'), rest[1:]
	if r.about = before.axis; r.about < 'x' {
		r.about = 'z'
	}
	if rest != "" && strings.ContainsRune(`xyz'"*`, rune(rest[0])) {
		r.axis, rest = rest[0], rest[1:]
	}
	switch {
	case r.axis != 0:
	case r.order == 1 || place == 0:
		r.axis = 'z'
	case place == 1 && r.order == 2 && before.order%3 != 0:
		r.axis = 'x'
	case place == 1 && r.order == 2:
		r.axis = '\''
	case place == 2 && r.order == 3:
		r.axis = '*'
	default:
		return r, false
	}
	if r.axis < 'x' && (r.axis == '*') != (r.order == 3) || r.axis < 'x' && r.axis != '*' && r.order != 2 {
		return r, false
	}
	for i := range len(rest) {
		c := rest[i]
		if d, found := directions[c]; found {
			for k := range d {
				r.shift[k] += d[k]
			}
		} else if screw := int(c - '0'); c > '0' && screw < r.order && r.axis >= 'x' {
			r.shift[r.axis-'x'] += screw * parts / r.order
		} else {
			return r, false
		}
	}
	return r, true
}

// about returns the matrix of a rotation of an order about z (International Tables B, tables 1.4.2.3 to 1.4.2.5).
var aboutZ = map[int][3][3]int{
	1: {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	2: {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
	3: {{0, -1, 0}, {1, -1, 0}, {0, 0, 1}},
	4: {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
	6: {{1, -1, 0}, {1, 0, 0}, {0, 0, 1}},
}

// motion returns the rotation as an operation.
func (r rotation) motion() motion {
	m := motion{shift: r.shift}
	axis, matrix := r.axis, aboutZ[r.order]
	switch r.axis {
	case '\'':
		axis, matrix = r.about, [3][3]int{{0, -1, 0}, {-1, 0, 0}, {0, 0, -1}}
	case '"':
		axis, matrix = r.about, [3][3]int{{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}
	case '*':
		axis, matrix = 'z', [3][3]int{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}
	}
	turn := int(axis-'x') + 1 // z stays in place
	for i := range 3 {
		for j := range 3 {
			m.matrix[(i+turn)%3][(j+turn)%3] = matrix[i][j]
		}
	}
	if r.improper {
		m = m.negated()
	}
	for i := range m.shift {
		m.shift[i] %= parts
	}
	return m
}
