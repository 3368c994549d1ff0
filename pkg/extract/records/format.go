package records

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/assay-project/assay/pkg/extract/charset"
)

// Format is a text format of files with many records: their boundaries, reader, drawing and writer. Tables such as CSV
// are not among them, because their rows depend on the header.
type Format struct {
	Name  string // also the usual file name extension
	Media string // media type of an export
	// Begins is the text that a file begins with, after white space. It is needed only if formats of the same type differ
	// in it. Signature reports the same for formats that no fixed text begins; it may be nil.
	Begins    string
	Signature func(head []byte) bool
	Boundary  func() Boundary // returns a new Boundary for a file or a part of one
	// Read reads one record. It does not retain the bytes. A damaged record has an Error.
	Read func(raw []byte) Record
	// Draw returns the drawing of a record as SVG, or an error that is ErrNotDrawn.
	Draw func(content string) ([]byte, error)
	// Tables returns the tables that a record contains; nil means none.
	Tables func(content string) ([]Table, error)
	// Header is the beginning of a file. Write writes a record with these fields. Formats that cannot
	// store fields with other names write the fields of the content.
	Header string
	Write  func(w *bufio.Writer, r *Record, fields Fields) error
	// Example is a small file in the format.
	Example string
	// Declares is true if the values of a record can declare their charsets.
	Declares bool
}

// In returns the format of a file that is in a charset: its records are decoded before they are read. The charset must extend
// ASCII.
func (f Format) In(c charset.Charset) Format {
	if c == charset.UTF8 {
		return f
	}
	read := f.Read
	f.Read = func(raw []byte) Record {
		text, err := c.Encoding.NewDecoder().Bytes(raw)
		if err != nil {
			text = raw
		}
		return read(text)
	}
	return f
}

// ErrNotDrawn means that a record has nothing to draw: no coordinates, points or cell.
var ErrNotDrawn = errors.New("the record has no drawing")

// NotDrawn returns an error that is ErrNotDrawn because of err.
func NotDrawn(err error) error { return fmt.Errorf("%w: %w", ErrNotDrawn, err) }

// Drawing returns the result of drawing a record. An error becomes ErrNotDrawn.
func Drawing(svg []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, NotDrawn(err)
	}
	return svg, nil
}

// BeginsWith reports whether a file that begins with head begins with a text after a byte order mark and white
// space.
func BeginsWith(head []byte, text string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(WithoutMark(head), " \t\r\n"), []byte(text))
}

// Undrawn is the Draw of formats without drawings.
func Undrawn(string) ([]byte, error) { return nil, ErrNotDrawn }

// Matches reports whether a file that begins with head is in the format, rather than in another one of the same type.
func (f Format) Matches(head []byte) bool {
	if f.Signature != nil {
		return f.Signature(head)
	}
	return BeginsWith(head, f.Begins)
}

// Single returns the Boundary for a file that consists of one record.
func Single() Boundary { return func([]byte) Cut { return Inside } }

// WriteContent writes the content of a record. It is the Write of formats that cannot store other fields.
func WriteContent(w *bufio.Writer, r *Record, _ Fields) error {
	if _, err := w.WriteString(strings.TrimRight(r.Content, "\r\n")); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// All yields the records of a file in order. It stops after an error of r.
func (f Format) All(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for scanner := NewScanner(r, f.Boundary(), true); ; {
			raw, err := scanner.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			record := f.read(raw)
			record.Index = raw.Index
			if !yield(record, nil) {
				return
			}
		}
	}
}

// read returns the record in raw, or a record with an error if it is too long.
func (f Format) read(raw Raw) Record {
	if raw.Bytes == nil {
		return Record{Error: fmt.Sprintf("the record is longer than %d bytes", MaxRecordBytes)}
	}
	return f.Read(raw.Bytes)
}

// Spans finds the chunks of a file, and counts its
func (f Format) Spans(r io.Reader) (spans []Span, found int, err error) {
	return Spans(r, f.Boundary())
}

// Chunk reads the records of a span and writes their chunk: it writes the records to lines while it reads,
// and the columns at the end. r is the part of the file that the span describes. Memory does not grow with
// the number of
func (f Format) Chunk(ctx context.Context, r io.Reader, span Span, lines, columns io.Writer) (*Summary, error) {
	w, err := NewChunkWriter(lines, span.Chunk, span.Chunk*ChunkSize)
	if err != nil {
		return nil, err
	}
	scanner := NewScanner(io.LimitReader(r, span.Length), f.Boundary(), true)
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
		record := f.read(raw)
		if err := w.Add(&record); err != nil {
			return nil, err
		}
	}
}
