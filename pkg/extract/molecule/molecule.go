// Package molecule reads molecules and reactions: MOL blocks (V2000 and V3000), SDF, RXN and RDF. It
// determines composition, masses and charge, and draws structures from their coordinates.
package molecule

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Limits of one molecule.
const (
	MaxAtoms = 50_000
	MaxBonds = 100_000
)

// A Molecule is the connection table of a MOL block.
type Molecule struct {
	Title string
	Atoms []Atom
	Bonds []Bond

	groups  map[int]*group   // S-groups by their number in the file
	stereo  map[int32]string // marks of groups of stereo centers, by atom
	queries string           // the first reason why the composition is not determined
}

// An Atom is an atom of a connection table. Element is 0 for anything other than an element.
type Atom struct {
	X, Y, Z   float64
	Symbol    string // the symbol in the file if Element is 0
	Element   Element
	Isotope   uint16 // mass number; 0 for the natural mixture
	Charge    int8
	Radical   uint8 // 1 singlet, 2 doublet, 3 triplet
	Valence   int8  // as stated in the file, or -1
	Hydrogens int16 // as stated in the file, or -1
}

// A Bond joins two atoms, by their index.
type Bond struct {
	From, To int32
	Order    BondOrder
	Stereo   uint8 // 1 up, 6 down, 4 either, 3 either double
}

// A BondOrder is a bond type of the MOL format.
type BondOrder uint8

// The bond types, except those of queries.
const (
	Single       BondOrder = 1
	Double       BondOrder = 2
	Triple       BondOrder = 3
	Aromatic     BondOrder = 4
	Coordination BondOrder = 9
	HydrogenBond BondOrder = 10
	zeroOrder    BondOrder = 11 // of M  ZBO
)

// unknownIsotope is the mass number of an isotope that the file does not identify.
const unknownIsotope = 0xffff

// ErrNotMolecule means that a text is not a MOL block.
var ErrNotMolecule = errors.New("not a MOL block")

// lineError is an error in a line of a block.
type lineError struct {
	line    int
	problem string
}

func (e *lineError) Error() string        { return fmt.Sprintf("line %d: %s", e.line, e.problem) }
func (e *lineError) Is(target error) bool { return target == ErrNotMolecule }

// Parse parses a MOL block. It ignores the text after M  END. The error matches ErrNotMolecule and names
// the line.
func Parse(block []byte) (*Molecule, error) {
	m, _, err := parse(block)
	return m, err
}

// parse is like Parse, but also returns the text after the block.
func parse(block []byte) (*Molecule, []byte, error) {
	s := &scan{rest: block}
	m := &Molecule{}
	for i := range 3 {
		line, ok := s.next()
		if !ok {
			return nil, nil, s.fail("the header of 3 lines and the counts line are missing")
		}
		if i == 0 {
			m.Title = records.Decode(bytes.TrimSpace(line))
		}
	}
	counts, ok := s.next()
	if !ok {
		return nil, nil, s.fail("the counts line is missing")
	}
	var err error
	if bytes.Contains(counts, []byte("V3000")) {
		err = m.v3000(s)
	} else {
		err = m.v2000(s, counts)
	}
	if err != nil {
		return nil, nil, err
	}
	return m, s.rest, nil
}

// query records why the composition is not determined. Only the first reason is recorded.
func (m *Molecule) query(format string, args ...any) {
	if m.queries == "" {
		m.queries = fmt.Sprintf(format, args...)
	}
}

// setSymbol sets the element of an atom, or records why there is none.
func (m *Molecule) setSymbol(i int, symbol []byte) {
	a := &m.Atoms[i]
	if a.Element = elements().lookup(symbol); a.Element != 0 {
		return
	}
	switch string(symbol) {
	case "D":
		a.Element, a.Isotope = 1, 2
	case "T":
		a.Element, a.Isotope = 1, 3
	default:
		a.Symbol = records.Decode(symbol)
		m.query("atom %d is %q, which is not an element", i+1, a.Symbol)
	}
}

// scan reads lines.
type scan struct {
	rest []byte
	line int
}

func (s *scan) fail(format string, args ...any) error {
	return &lineError{s.line, fmt.Sprintf(format, args...)}
}

// next returns the next line without its line break.
func (s *scan) next() ([]byte, bool) {
	if len(s.rest) == 0 {
		return nil, false
	}
	s.line++
	line := s.rest
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line, s.rest = line[:i], line[i+1:]
	} else {
		s.rest = nil
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, true
}

// column returns the text between two columns without surrounding spaces.
func column(line []byte, from, to int) []byte {
	if from >= len(line) {
		return nil
	}
	line = line[from:min(to, len(line))]
	for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
	}
	for n := len(line); n > 0 && (line[n-1] == ' ' || line[n-1] == '\t'); n-- {
		line = line[:n-1]
	}
	return line
}

// integer parses an integer; an empty text yields 0.
func integer(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, true
	}
	negative := b[0] == '-'
	if negative || b[0] == '+' {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// decimal parses a coordinate; an empty text yields 0.
func decimal(b []byte) (float64, bool) {
	if len(b) == 0 {
		return 0, true
	}
	digits, negative := b, b[0] == '-'
	if negative {
		digits = b[1:]
	}
	mantissa, scale, fraction := int64(0), 1.0, false
	plain := len(digits) > 0 && len(digits) <= 16
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			mantissa = mantissa*10 + int64(c-'0')
			if fraction {
				scale *= 10
			}
		case c == '.' && !fraction:
			fraction = true
		default:
			plain = false
		}
		if !plain {
			break
		}
	}
	if !plain || len(digits) == 1 && fraction {
		v, err := strconv.ParseFloat(string(b), 64)
		return v, err == nil && v-v == 0 // finite
	}
	v := float64(mantissa) / scale
	if negative {
		v = -v
	}
	return v, true
}
