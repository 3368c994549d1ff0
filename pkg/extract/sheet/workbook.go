package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/offcrypto"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/zipxml"
)

// Limits of a workbook.
const (
	maxParts    = 10_000
	maxInflated = 512 << 20 // decompressed bytes of all parts
	maxShared   = 64 << 20  // bytes of the shared strings
	maxStyles   = 200_000   // cell styles, and number formats; Excel allows 65,490 styles
	maxDepth    = 100       // nesting depth of elements

	// The shared strings of all cells may have spare bytes, and perByte bytes for each byte that the sheets have: a small
	// workbook can refer to a long string many times.
	spare   = 64 << 20
	perByte = 3
)

// Memory returns the maximum memory in bytes for reading a workbook of size bytes, including the workbook. TestHostileFiles
// in package hostile measures it.
func Memory(size int64) int64 { return size + maxShared + 96<<20 }

// Errors of NewWorkbook and Next.
var (
	// ErrRepeated means that the remaining rows cannot be read, because the cells refer to too much text.
	ErrRepeated = errors.New("sheet: the cells refer to too much text")

	ErrLocked      error = reason.WorkbookLocked
	ErrNotWorkbook error = reason.WorkbookDamaged
)

// A Workbook reads the sheets of an XLSX file in order.
type Workbook struct {
	Sheets   []string          // sheet names, in workbook order
	Preamble string            // the rows before the tables of the sheets read so far
	Remarks  []string          // what was guessed or skipped in these sheets and could be read otherwise
	Units    map[string]string // units by column, in rows below the headers of these sheets

	ctx      context.Context
	parts    map[string]*zip.File
	targets  []string // part names of the sheets
	shared   []string
	dates    []dateKind // by cell style index
	from1904 bool
	left     int64 // remaining budget of decompressed bytes
	sheets   int64 // value of left before the first sheet
	text     int64 // bytes of the shared strings that cells have referred to

	current int
	rows    *rowReader
	header  header
	ahead   []numberedRow // rows of values that have been read to find the header
	failed  error         // after these rows
}

// NewWorkbook opens a workbook of the given size. It returns ErrLocked or ErrNotWorkbook. The reader
// must remain open while the workbook is used. A workbook need not be closed. After ctx is done, the methods of the
// workbook return its error.
func NewWorkbook(ctx context.Context, r io.ReaderAt, size int64) (*Workbook, error) {
	magic := make([]byte, 8)
	if n, err := r.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if string(magic[:n]) == "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" { // encrypted workbooks are OLE files
		content, err := offcrypto.Decrypt(r, size)
		if err != nil {
			return nil, ErrLocked
		}
		r, size = bytes.NewReader(content), int64(len(content))
	}
	z, err := zipxml.Open(r, size, maxParts)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrNotWorkbook)
	}
	w := &Workbook{ctx: ctx, parts: map[string]*zip.File{}, left: maxInflated, current: -1}
	for _, f := range z.File {
		w.parts[strings.TrimPrefix(f.Name, "/")] = f
	}
	if err := w.readIndex(); err != nil {
		return nil, err
	}
	if err := w.readStyles(); err != nil {
		return nil, err
	}
	err = w.readShared()
	w.sheets = w.left
	return w, err
}

// part opens a part as XML. It returns ErrNotWorkbook if the part is missing, too large or damaged.
func (w *Workbook) part(name string) (*partReader, error) {
	f := w.parts[name]
	if f == nil {
		return nil, fmt.Errorf("%w: the part %s is missing", ErrNotWorkbook, name)
	}
	if f.UncompressedSize64 > uint64(max(w.left, 0)) { // package zip reads no more than the stated size
		return nil, fmt.Errorf("%w: %s: %w", ErrNotWorkbook, name, errTooLarge)
	}
	if err := zipxml.CheckRatio(f); err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrNotWorkbook)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotWorkbook, name, err)
	}
	p := &partReader{name: name, source: r, book: w}
	p.decoder = zipxml.NewDecoder(p, charset.NewReader)
	return p, nil
}

// partReader reads one part and counts it against the budget of the workbook.
type partReader struct {
	name    string
	source  io.ReadCloser
	book    *Workbook
	decoder *zipxml.Decoder
	depth   int
}

var errTooLarge = fmt.Errorf("it has more than %d bytes", maxInflated)

func (p *partReader) Read(b []byte) (int, error) {
	if p.book.ctx.Err() != nil {
		return 0, context.Cause(p.book.ctx)
	}
	if p.book.left <= 0 {
		return 0, errTooLarge
	}
	n, err := p.source.Read(b)
	p.book.left -= int64(n)
	return n, err
}

// token returns the next token, or io.EOF.
func (p *partReader) token() (xml.Token, error) {
	t, err := p.decoder.Token()
	if err != nil && p.book.ctx.Err() != nil {
		return nil, context.Cause(p.book.ctx)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w: %s", err, ErrNotWorkbook, p.name)
	}
	switch t.(type) {
	case xml.StartElement:
		p.depth++
	case xml.EndElement:
		p.depth--
	}
	if p.depth > maxDepth {
		return nil, fmt.Errorf("%w: %s has more than %d nested elements", ErrNotWorkbook, p.name, maxDepth)
	}
	return t, err
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// each calls element for each start tag of a part. A missing part has none.
func (w *Workbook) each(name string, element func(xml.StartElement)) error {
	if w.parts[name] == nil {
		return nil
	}
	p, err := w.part(name)
	if err != nil {
		return err
	}
	defer p.source.Close()
	for {
		t, err := p.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := t.(xml.StartElement); ok {
			element(e)
		}
	}
}

// readIndex finds the sheets.
func (w *Workbook) readIndex() error {
	book := "xl/workbook.xml"
	if err := w.each("_rels/.rels", func(e xml.StartElement) {
		if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), "/officeDocument") {
			book = strings.TrimPrefix(path.Clean(attribute(e, "Target")), "/")
		}
	}); err != nil {
		return err
	}
	if w.parts[book] == nil {
		return fmt.Errorf("%w: the part %s is missing", ErrNotWorkbook, book)
	}
	targets := map[string]string{}
	folder := path.Dir(book)
	err := w.each(path.Join(folder, "_rels", path.Base(book)+".rels"), func(e xml.StartElement) {
		if e.Name.Local == "Relationship" {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			if len(targets) == maxParts {
				return
			}
			targets[attribute(e, "Id")] = strings.TrimPrefix(path.Clean(target), "/")
		}
	})
	if err != nil {
		return err
	}
	err = w.each(book, func(e xml.StartElement) {
		switch e.Name.Local {
		case "workbookPr":
			value := attribute(e, "date1904")
			w.from1904 = value == "1" || value == "true"
		case "sheet":
			if target := targets[attribute(e, "id")]; w.parts[target] != nil && len(w.Sheets) < maxParts && strings.Contains(target, "worksheet") {
				w.Sheets, w.targets = append(w.Sheets, attribute(e, "name")), append(w.targets, target)
			}
		}
	})
	if err == nil && len(w.Sheets) == 0 {
		err = fmt.Errorf("%w: it has no sheets", ErrNotWorkbook)
	}
	return err
}

// readShared reads the shared strings, without phonetic guides.
func (w *Workbook) readShared() error {
	const name = "xl/sharedStrings.xml"
	if w.parts[name] == nil {
		return nil
	}
	p, err := w.part(name)
	if err != nil {
		return err
	}
	defer p.source.Close()
	var text bytes.Buffer
	size, inText, phonetic := 0, false, 0
	for {
		t, err := p.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "si":
				text.Reset()
			case "t":
				inText = true
			case "rPh":
				phonetic++
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "si":
				if size += text.Len() + 16; size > maxShared {
					return fmt.Errorf("%w: its shared strings have more than %d bytes", ErrNotWorkbook, maxShared)
				}
				w.shared = append(w.shared, text.String())
			case "t":
				inText = false
			case "rPh":
				phonetic--
			}
		case xml.CharData:
			if inText && phonetic == 0 && text.Len() < maxRow {
				text.Write(t)
			}
		}
	}
}

// columnOf returns the zero-based column of a reference such as AB12, or -1.
func columnOf(reference string) int {
	n := 0
	for i := range len(reference) {
		c := reference[i] | 0x20
		if c < 'a' || c > 'z' {
			if i == 0 {
				return -1
			}
			return n - 1
		}
		if n = n*26 + int(c-'a') + 1; n > 16_384 {
			return -1
		}
	}
	return n - 1
}

// plainNumber formats a number without the rounding error of its binary form. A number beyond the range of a float64 is
// returned unchanged.
func plainNumber(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v == 0 && strings.ContainsAny(text, "123456789") {
		return text
	}
	if v == float64(int64(v)) && v > -1e15 && v < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', 15, 64)
}
