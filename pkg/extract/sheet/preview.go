package sheet

import (
	"bytes"
	"errors"
	"io"

	"github.com/assay-project/assay/pkg/extract/plaintext"
)

// A Preview is the beginning of a delimited table.
type Preview struct {
	Columns   []string // names
	Rows      []PreviewRow
	Delimiter byte
	Charset   plaintext.Charset
	Remarks   []string // as in Text
	Preamble  string   // as in Text
}

// A PreviewRow has a cell for each column, or an Error.
type PreviewRow struct {
	Cells []string
	Error string // why the row cannot be read
}

// NewPreview returns up to the given number of rows of the table that begins with head, as the options and the content type
// state it. whole means that head is all of the table; otherwise its last row may be cut, and is left out. The errors are
// those of plaintext.Text.Read and of NewText.
func NewPreview(head []byte, whole bool, contentType string, options Options, rows int) (p Preview, err error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(head)), nil }
	coding, err := plaintext.Text{ContentType: contentType, Open: open}.ReadDetected(func(text io.Reader) error {
		t, err := NewText(text, options)
		if err != nil {
			return err
		}
		p = Preview{Columns: t.Columns(), Delimiter: t.Delimiter, Remarks: t.Remarks, Preamble: t.Preamble}
		return p.read(t, whole, rows)
	})
	p.Charset, p.Remarks = coding.Charset, append(coding.Remarks(), p.Remarks...)
	return p, err
}

// read reads up to the given number of rows.
func (p *Preview) read(t *Text, whole bool, rows int) error {
	for len(p.Rows) < rows {
		r, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			if !whole && len(p.Rows) > 0 {
				p.Rows = p.Rows[:len(p.Rows)-1]
			}
			return nil
		case err != nil:
			return err
		}
		row := PreviewRow{Cells: []string{}, Error: r.Error}
		if !r.Failed() {
			values := map[string]string{}
			for _, field := range r.Fields {
				values[field.Name] = field.Value
			}
			for _, name := range p.Columns {
				row.Cells = append(row.Cells, values[name])
			}
		}
		p.Rows = append(p.Rows, row)
	}
	return nil
}
