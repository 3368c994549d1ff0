package molecule

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// The names of properties of reactions, in addition to those of molecules.
const (
	Reactants        = "reactants" // number of reactants
	Products         = "products"
	Agents           = "agents"
	ReactantFormulas = "reactantFormulas" // joined by " + "
	ProductFormulas  = "productFormulas"
	Balanced         = "balanced" // whether both sides have the same atoms and charge
)

// A Reaction is the content of an RXN block.
type Reaction struct {
	Name                        string
	Reactants, Products, Agents []*Molecule
}

// ErrNotReaction means that a text is not an RXN block.
var ErrNotReaction = errors.New("not an RXN block")

// ParseReaction parses an RXN block, V2000 or V3000. The error wraps ErrNotReaction or ErrNotMolecule.
func ParseReaction(block []byte) (*Reaction, error) {
	x, _, err := parseReaction(block)
	return x, err
}

// parseReaction is like ParseReaction, but also returns the text after the block.
func parseReaction(block []byte) (*Reaction, []byte, error) {
	s := &scan{rest: block}
	first, _ := s.next()
	if !bytes.HasPrefix(first, []byte("$RXN")) {
		return nil, nil, fmt.Errorf("%w: line 1 is not $RXN", ErrNotReaction)
	}
	x := &Reaction{}
	for i := range 3 {
		line, ok := s.next()
		if !ok {
			return nil, nil, fmt.Errorf("%w: the header is cut off", ErrNotReaction)
		}
		if i == 0 {
			x.Name = records.Decode(bytes.TrimSpace(line))
		}
	}
	if bytes.Contains(first, []byte("V3000")) {
		return x, s.rest, x.v3000(s)
	}
	err := x.v2000(s)
	return x, s.rest, err
}

const maxComponents = 1_000

func (x *Reaction) v2000(s *scan) error {
	line, _ := s.next()
	var n [3]int
	total := 0
	for i := range n {
		var ok bool
		if n[i], ok = integer(column(line, 3*i, 3*i+3)); !ok || n[i] < 0 || len(line) < 6 {
			return fmt.Errorf("%w: line 5 does not begin with two numbers of 3 columns", ErrNotReaction)
		}
		total += n[i]
	}
	for i := range total {
		line, ok := s.next()
		for ok && len(bytes.TrimSpace(line)) == 0 {
			line, ok = s.next()
		}
		if !bytes.HasPrefix(line, []byte("$MOL")) {
			return fmt.Errorf("%w: line %d: found %d of %d molecules", ErrNotReaction, s.line, i, total)
		}
		m, rest, err := parse(s.rest)
		if err != nil {
			return fmt.Errorf("molecule %d, which begins in line %d: %w", i+1, s.line+1, err)
		}
		s.line += bytes.Count(s.rest[:len(s.rest)-len(rest)], []byte("\n"))
		s.rest = rest
		switch {
		case i < n[0]:
			x.Reactants = append(x.Reactants, m)
		case i < n[0]+n[1]:
			x.Products = append(x.Products, m)
		default:
			x.Agents = append(x.Agents, m)
		}
	}
	return nil
}

func (x *Reaction) v3000(s *scan) error {
	list := (*[]*Molecule)(nil)
	for {
		line, ok := s.next()
		if !ok {
			return fmt.Errorf("%w: M  END is missing", ErrNotReaction)
		}
		if bytes.HasPrefix(line, []byte("M  END")) {
			return nil
		}
		switch words := strings.Fields(string(line)); {
		case len(words) < 4 || words[1] != "V30" || words[2] != "BEGIN":
		case words[3] == "REACTANT":
			list = &x.Reactants
		case words[3] == "PRODUCT":
			list = &x.Products
		case words[3] == "AGENT":
			list = &x.Agents
		case words[3] == "CTAB":
			if list == nil || len(*list) >= maxComponents {
				return fmt.Errorf("%w: line %d: the molecule is outside a list, or there are too many molecules", ErrNotReaction, s.line)
			}
			end := bytes.Index(s.rest, []byte("M  V30 END CTAB"))
			if end < 0 {
				return fmt.Errorf("%w: line %d: the molecule has no END", ErrNotReaction, s.line)
			}
			m := &Molecule{}
			table := append(bytes.Clone(s.rest[:end]), "M  END\n"...)
			if err := m.v3000(&scan{rest: table, line: s.line}); err != nil {
				return err
			}
			s.line += bytes.Count(s.rest[:end], []byte("\n"))
			s.rest = s.rest[end:]
			*list = append(*list, m)
		}
	}
}

// ReadRXN reads an RXN file. A damaged record has an Error.
func ReadRXN(raw []byte) records.Record {
	x, _, err := parseReaction(raw)
	if err != nil {
		return records.Record{Error: err.Error(), Content: records.Decode(raw)}
	}
	r := records.Record{Name: x.Name, Content: records.Decode(raw)}
	x.describe(&r)
	return r
}

func (x *Reaction) describe(r *records.Record) {
	set := func(name string, value any) {
		r.Properties = append(r.Properties, records.Property{Name: name, Value: value})
	}
	left, lefts, reason := sum(x.Reactants)
	right, rights, reason2 := sum(x.Products)
	if reason == "" {
		reason = reason2
	}
	set(Reactants, int64(len(x.Reactants)))
	set(Products, int64(len(x.Products)))
	set(Agents, int64(len(x.Agents)))
	if reason != "" {
		r.NotDetermined = append(r.NotDetermined, ReactantFormulas, ProductFormulas, Balanced)
		set(Reason, reason)
		return
	}
	set(ReactantFormulas, strings.Join(lefts, " + "))
	set(ProductFormulas, strings.Join(rights, " + "))
	set(Balanced, left.Elements == right.Elements && left.Charge == right.Charge)
}

func sum(molecules []*Molecule) (total Composition, formulas []string, reason string) {
	for _, m := range molecules {
		c, _, why := m.Composition()
		if why != "" {
			return total, nil, why
		}
		for e, n := range c.Elements {
			total.Elements[e] += n
		}
		total.Charge += c.Charge
		formulas = append(formulas, c.Formula())
	}
	return total, formulas, ""
}

// BoundaryRDF returns a Boundary that finds the records of an RDF file. The header before the first record
// belongs to no record.
func BoundaryRDF() records.Boundary {
	began, empty := false, false // empty: only the registry number of the record was read so far
	return func(line []byte) records.Cut {
		if len(line) == 0 || line[0] != '$' {
			empty = empty && len(bytes.TrimSpace(line)) == 0
			if began {
				return records.Inside
			}
			return records.Outside
		}
		switch {
		case hasAny(line, "$RFMT", "$MFMT"), !empty && hasAny(line, "$RIREG", "$REREG", "$MIREG", "$MEREG"):
			began, empty = true, true
			return records.Begins
		case began:
			empty = false
			return records.Inside
		default:
			return records.Outside
		}
	}
}

func hasAny(line []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}

// ReadRDF reads one record of an RDF: a reaction or a molecule, and its data. A damaged record has an Error.
func ReadRDF(raw []byte) records.Record {
	var r records.Record
	s := &scan{rest: raw}
	head, _ := s.next()
	for hasAny(s.rest, "$RIREG", "$REREG", "$MIREG", "$MEREG") {
		s.next()
	}
	if hasAny(s.rest, "$MOL") { // Marvin writes it between the registry number and the molfile
		s.next()
	}
	block := s.rest
	var rest []byte
	switch {
	case hasAny(block, "$RXN"):
		x, after, err := parseReaction(block)
		if err != nil {
			return records.Record{Error: err.Error(), Content: records.Decode(raw)}
		}
		r.Name, rest = x.Name, after
		x.describe(&r)
	case hasAny(head, "$MFMT", "$MIREG", "$MEREG") && !hasAny(block, "$DTYPE"):
		m, after, err := parse(block)
		if err != nil {
			return records.Record{Error: err.Error(), Content: records.Decode(raw)}
		}
		r.Name, rest = m.Title, after
		describe(&r, m)
	default:
		return records.Record{Error: "there is neither a reaction nor a molecule", Content: records.Decode(raw)}
	}
	r.Content = records.Decode(raw[:len(raw)-len(rest)])
	readDatums(&r.Fields, rest)
	return r
}

// readDatums reads the $DTYPE and $DATUM lines.
func readDatums(fields *records.Fields, rest []byte) {
	s := &scan{rest: rest}
	name, inside := "", false
	var value strings.Builder
	joined := false // the next line continues the value
	flush := func() {
		if name != "" && inside {
			fields.Set(name, strings.TrimSpace(value.String()))
		}
		inside = false
	}
	for {
		line, ok := s.next()
		if !ok {
			flush()
			return
		}
		switch text := records.Decode(line); {
		case strings.HasPrefix(text, "$DTYPE"):
			flush()
			name = strings.TrimSpace(strings.TrimPrefix(text, "$DTYPE"))
		case strings.HasPrefix(text, "$DATUM"):
			text, joined = continued(strings.TrimPrefix(text, "$DATUM"), len(line))
			value.Reset()
			value.WriteString(text)
			inside = true
		case inside:
			if !joined {
				value.WriteByte('\n')
			}
			text, joined = continued(text, len(line))
			value.WriteString(text)
		}
	}
}

// continued removes the plus in column 81, which means that the next line continues this one.
func continued(text string, length int) (string, bool) {
	if length == 81 && strings.HasSuffix(text, "+") {
		return text[:len(text)-1], true
	}
	return text, false
}

// WriteRDF writes a record of an RDF with these data fields. The header of the file is HeaderRDF.
func WriteRDF(w *bufio.Writer, r *records.Record, fields records.Fields) error {
	if err := writeLine(w, strings.TrimRight(r.Content, "\r\n")); err != nil {
		return err
	}
	for _, f := range fields {
		name := strings.NewReplacer("\n", " ", "\r", "").Replace(f.Name)
		value := strings.ReplaceAll(strings.ReplaceAll(f.Value, "\r", ""), "\n$", "\n $")
		if _, err := fmt.Fprintf(w, "$DTYPE %s\n$DATUM %s\n", name, value); err != nil {
			return err
		}
	}
	return nil
}

// HeaderRDF is the beginning of an RDF.
const HeaderRDF = "$RDFILE 1\n$DATM\n"
