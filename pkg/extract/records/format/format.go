// Package format lists the text formats of files with many records, with their boundaries, readers,
// drawings and writers. Tables such as CSV are not among them; the analyzer reads their rows.
package format

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/extract/crystal"
	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/spectrum"
)

// A Format is a file format.
type Format struct {
	Name     string                  // also the usual file extension
	Boundary func() records.Boundary // returns a new Boundary for a file or a part of one
	// Read reads one record. It does not retain the bytes. A damaged record has an Error.
	Read func(raw []byte) records.Record
	// Draw returns the drawing of a record as SVG, or ErrNotDrawn.
	Draw func(content string) ([]byte, error)
	// Header is the beginning of a file. Write writes a record with these fields. Formats that cannot
	// store fields with other names write the fields of the content.
	Header string
	Write  func(w *bufio.Writer, r *records.Record, fields records.Fields) error
}

// ErrNotDrawn means that a record has nothing to draw: no coordinates, points or cell.
var ErrNotDrawn = errors.New("the record has no drawing")

// All returns the formats.
func All() []Format {
	return []Format{
		{"sdf", molecule.BoundarySDF, molecule.ReadSDF, drawMolecule, "", molecule.WriteSDF},
		{"mol", molecule.BoundarySDF, molecule.ReadSDF, drawMolecule, "", molecule.WriteSDF},
		{"rdf", molecule.BoundaryRDF, molecule.ReadRDF, drawRDF, molecule.HeaderRDF, molecule.WriteRDF},
		{"rxn", one, molecule.ReadRXN, drawReaction, "", writeContent},
		{"cif", crystal.Boundary, crystal.Read, drawCrystal, "", writeContent},
		{"jdx", spectrum.Boundary, spectrum.Read, drawSpectrum, "", writeContent},
	}
}

// Find returns the format with the given name or file extension, and whether there is one.
func Find(name string) (Format, bool) {
	switch name = strings.ToLower(strings.TrimPrefix(name, ".")); name {
	case "sd":
		name = "sdf"
	case "dx", "jcamp":
		name = "jdx"
	}
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// one returns the Boundary for a file that consists of one record.
func one() records.Boundary { return func([]byte) records.Cut { return records.Inside } }

func drawMolecule(content string) ([]byte, error) {
	m, err := molecule.Parse([]byte(content))
	if err != nil {
		return nil, notDrawn(err)
	}
	return drawn(m.SVG())
}

func drawReaction(content string) ([]byte, error) {
	x, err := molecule.ParseReaction([]byte(content))
	if err != nil {
		return nil, notDrawn(err)
	}
	return drawn(x.SVG())
}

// drawRDF draws the first MOL or RXN block after lines that begin with a dollar sign.
func drawRDF(content string) ([]byte, error) {
	for strings.HasPrefix(content, "$") {
		if strings.HasPrefix(content, "$RXN") {
			return drawReaction(content)
		}
		_, rest, found := strings.Cut(content, "\n")
		if !found {
			break
		}
		content = rest
	}
	return drawMolecule(content)
}

func drawCrystal(content string) ([]byte, error) {
	b, err := crystal.Parse(content)
	if err != nil {
		return nil, notDrawn(err)
	}
	s, ok := b.Structure()
	if !ok {
		return nil, notDrawn(crystal.ErrNotDrawn)
	}
	return drawn(s.SVG())
}

func drawSpectrum(content string) ([]byte, error) {
	s, err := spectrum.Parse(content)
	if err != nil {
		return nil, notDrawn(err)
	}
	return drawn(s.SVG())
}

func drawn(svg []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, notDrawn(err)
	}
	return svg, nil
}

func notDrawn(err error) error { return fmt.Errorf("%w: %w", ErrNotDrawn, err) }

func writeContent(w *bufio.Writer, r *records.Record, _ records.Fields) error {
	if _, err := w.WriteString(strings.TrimRight(r.Content, "\r\n")); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// Spans finds the chunks of a file, and counts its records.
func (f Format) Spans(r io.Reader) (spans []records.Span, found int, err error) {
	return records.Spans(r, f.Boundary())
}

// Chunk reads the records of a span and writes their chunk: it writes the records to lines while it reads,
// and the columns at the end. r is the part of the file that the span describes. Memory does not grow with
// the number of records.
func (f Format) Chunk(ctx context.Context, r io.Reader, span records.Span, lines, columns io.Writer) (*records.Summary, error) {
	w, err := records.NewChunkWriter(lines, span.Chunk)
	if err != nil {
		return nil, err
	}
	scanner := records.NewScanner(io.LimitReader(r, span.Length), f.Boundary(), true)
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			if n != span.Count {
				return nil, fmt.Errorf("chunk %d has %d records, but its span states %d", span.Chunk, n, span.Count)
			}
			return w.Summary(), w.Close(columns)
		}
		if err != nil {
			return nil, err
		}
		record := records.Record{Error: fmt.Sprintf("the record is longer than %d bytes", records.MaxRecordBytes)}
		if raw.Bytes != nil {
			record = f.Read(raw.Bytes)
		}
		if err := w.Add(&record); err != nil {
			return nil, err
		}
	}
}
