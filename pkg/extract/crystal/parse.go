// Package crystal reads crystal structures in CIF 1.1 and 2.0 and in mmCIF: cell, symmetry and atoms. It
// computes the volume of the cell and draws it.
package crystal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// A Block is a data block of a CIF.
type Block struct {
	Name    string
	Items   records.Fields // values outside loops, by tag in lower case
	Loops   []Loop
	Problem string // the first tag that is repeated; its first value counts
}

// A Loop is a table. Its values are stored row by row.
type Loop struct {
	Tags   []string // in lower case
	Values []string
}

// column returns the index of a tag of core CIF in each row, or -1.
func (l *Loop) column(tag string) int {
	for i, t := range l.Tags {
		if core(t) == tag {
			return i
		}
	}
	return -1
}

// core returns the name of core CIF for a tag: mmCIF writes a dot between the category and the item.
func core(tag string) string { return strings.ReplaceAll(tag, ".", "_") }

// get returns the value of a tag of core CIF outside loops or in a loop of one row, and whether there is one.
func (b *Block) get(tag string) (string, bool) {
	for i := range b.Items {
		if core(b.Items[i].Name) == tag {
			return b.Items[i].Value, true
		}
	}
	for i := range b.Loops {
		if l := &b.Loops[i]; len(l.Values) == len(l.Tags) {
			if c := l.column(tag); c >= 0 {
				return l.Values[c], true
			}
		}
	}
	return "", false
}

// tables returns the loops, and the values outside them as a loop of one row: a table of one row may be written as either.
func (b *Block) tables() []Loop {
	var single Loop
	for i := range b.Items {
		single.Tags, single.Values = append(single.Tags, b.Items[i].Name), append(single.Values, b.Items[i].Value)
	}
	return append(b.Loops[:len(b.Loops):len(b.Loops)], single)
}

// ErrNotCIF means that a text is not a data block of a CIF.
var ErrNotCIF = errors.New("not a CIF")

// Boundary returns a records.Boundary that finds the data blocks of a file.
func Boundary() records.Boundary {
	began, inText := false, false
	return func(line []byte) records.Cut {
		if len(line) > 0 && line[0] == ';' {
			inText = !inText
		} else if !inText {
			for len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
				line = line[1:]
			}
			if len(line) >= 5 && strings.EqualFold(string(line[:5]), "data_") {
				began = true
				return records.Begins
			}
		}
		if !began {
			return records.Outside
		}
		return records.Inside
	}
}

// Parse parses a data block of CIF 1.1 or, if it is none, of CIF 2.0. The error wraps ErrNotCIF and names the line and the
// token.
func Parse(text string) (*Block, error) {
	p := &parser{lexer: lexer{text: text, line: 1}, tags: map[string]bool{}}
	b, err := p.block()
	if err == nil {
		return b, nil
	}
	p = &parser{lexer: lexer{text: text, line: 1, two: true}, tags: map[string]bool{}}
	if b, err := p.block(); err == nil {
		return b, nil
	}
	return nil, err
}

type parser struct {
	lexer
	inSave bool
	tags   map[string]bool
	result Block
}

func (p *parser) fail(t token, problem string) error {
	value := t.text
	if len(value) > 40 {
		value = value[:40] + "…"
	}
	return fmt.Errorf("%w: line %d: %q %s", ErrNotCIF, t.line, value, problem)
}

func (p *parser) block() (*Block, error) {
	b := &p.result
	first, err := p.next()
	if err != nil {
		return nil, err
	}
	if first.kind != dataHead {
		return nil, p.fail(first, "was found instead of data_ and a name")
	}
	b.Name = first.text[len("data_"):]
	t, err := p.next()
	for err == nil {
		switch t.kind {
		case end:
			return b, nil
		case tag:
			name := t
			if t, err = p.next(); err != nil {
				break
			}
			if t.kind != value {
				return nil, p.fail(name, "has no value")
			}
			if key := strings.ToLower(name.text); p.first(name, key) {
				b.Items = append(b.Items, records.Field{Name: key, Value: t.text})
			}
			t, err = p.next()
		case loopHead:
			t, err = p.loop(t)
		case saveHead:
			p.inSave = len(t.text) > len("save_")
			t, err = p.next()
		case dataHead:
			return nil, p.fail(t, "begins another block")
		default:
			return nil, p.fail(t, "belongs to no tag")
		}
	}
	return nil, err
}

// first records a tag outside save frames, and reports whether the block does not have it yet.
func (p *parser) first(t token, key string) bool {
	if p.inSave {
		return false
	}
	if !p.tags[key] {
		p.tags[key] = true
		return true
	}
	if p.result.Problem == "" {
		p.result.Problem = fmt.Sprintf("line %d: %.100s is repeated", t.line, t.text)
	}
	return false
}

// loop parses a loop, and returns the token after it.
func (p *parser) loop(head token) (token, error) {
	var l Loop
	t, err := p.next()
	for ; err == nil && t.kind == tag; t, err = p.next() {
		l.Tags = append(l.Tags, strings.ToLower(t.text))
		p.first(t, l.Tags[len(l.Tags)-1])
	}
	if err == nil && len(l.Tags) == 0 {
		return t, p.fail(t, "was found instead of the tags of a loop")
	}
	for ; err == nil && t.kind == value; t, err = p.next() {
		l.Values = append(l.Values, t.text)
	}
	switch {
	case err != nil:
		return t, err
	case len(l.Values)%len(l.Tags) != 0:
		return t, p.fail(head, fmt.Sprintf("has %d values for %d tags", len(l.Values), len(l.Tags)))
	}
	if !p.inSave {
		p.result.Loops = append(p.result.Loops, l)
	}
	return t, nil
}
