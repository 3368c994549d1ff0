// Package office reads office documents: Word, Excel and PowerPoint since 2007 (docx, xlsx,
// pptx and their templates and macro forms) and OpenDocument (odt, ods, odp), which are XML
// in zip archives, and the properties of the older formats (doc, xls, ppt).
package office

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assay-project/assay/pkg/extract/offcrypto"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/zipxml"
)

// Errors that describe a document. They are permanent: a retry with the same bytes fails again.
const (
	ErrFormat  = reason.DocumentFormat
	ErrLocked  = reason.DocumentLocked
	ErrDamaged = reason.DocumentDamaged
	ErrTooBig  = zipxml.ErrTooBig
)

// Limits bound what Read decompresses and returns. Zero fields select the defaults.
type Limits struct {
	Inflated int64 // decompressed bytes of all parts; default 256 MiB
	Parts    int   // parts of the archive; default 10,000
	Text     int   // bytes of text, or NoText; default 8 MiB
	// To, unless it is nil, receives the text, of which Read then keeps at most 8 MiB; Document.Text is empty. An error of To ends Read.
	To io.Writer
}

// Memory returns the maximum memory in bytes for reading a document of size bytes, including the document. TestHostileFiles in
// package hostile measures it.
func Memory(size int64) int64 {
	const (
		fixed = 160 << 20 // an element, the text, and what is kept of other parts
		index = 10        // per byte: the index of a compound file
	)
	return size + min(index*size, fixed) + fixed
}

// NoText is a value of Limits.Text that makes Read skip the text and the parts that contain only text.
const NoText = -1

func (l Limits) withDefaults() Limits {
	if l.Inflated == 0 {
		l.Inflated = 256 << 20
	}
	if l.Parts == 0 {
		l.Parts = 10_000
	}
	if l.Text == 0 {
		l.Text = 8 << 20
	}
	return l
}

// Document is the result of Read.
type Document struct {
	Format string // "docx", "xlsx", "pptx", "odt", "ods", "odp", "doc", "xls" or "ppt"
	// Text is the text of the body, tables, notes, headers, footers, comments, charts and diagrams. A form feed separates slides, and
	// sheets, which begin with a line with their name. It is "" for doc, xls and ppt.
	Text string
	Cut  string // why the text is truncated, as a user-facing message; "" if it is complete
	// Numbers are the whole numbers of at least 12 digits that the text abbreviates, such as 4.00638E+12, or groups, at most 250,000.
	Numbers    []Number
	Properties Properties
	Thumbnail  []byte // the JPEG or PNG embedded in the document, unverified; nil if there is none
	Damaged    int    // parts that could not be read completely
}

// Number is a whole number.
type Number struct {
	Digits string
	Sheet  int // index of its sheet; 0 in documents without sheets
}

// Read reads the document in r, which has size bytes. It stops when ctx is done. It keeps one decompressed part and
// the text in memory. It returns ErrFormat, ErrLocked, ErrDamaged, ErrTooBig, or an error of r or ctx.
func Read(ctx context.Context, r io.ReaderAt, size int64, l Limits) (*Document, error) {
	l = l.withDefaults()
	head := make([]byte, min(8, size))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		d, err := readCompound(r, size)
		if !errors.Is(err, ErrLocked) {
			return d, err
		}
		// A document that opens without a password may be encrypted nevertheless.
		content, decryptErr := offcrypto.Decrypt(r, size)
		if decryptErr != nil || !bytes.HasPrefix(content, []byte("PK\x03\x04")) {
			return nil, err
		}
		return Read(ctx, bytes.NewReader(content), int64(len(content)), l)
	case !bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, ErrFormat
	}
	archive, err := zipxml.Open(r, size, l.Parts)
	if errors.Is(err, ErrTooBig) {
		return nil, err
	}
	if errors.Is(err, zip.ErrFormat) {
		return nil, ErrDamaged.With(reason.NoDirectory)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	p := newParts(ctx, archive, l)
	d := &Document{}
	var read func(*parts, *Document) error
	if kind := p.openDocumentType(); kind != "" {
		d.Format, read = kind, readOpenDocument
	} else if kind := p.officeType(); kind != "" {
		d.Format, read = kind, readOffice
	} else {
		return nil, ErrFormat
	}
	if err := read(p, d); err != nil && !errors.Is(err, errTextEnds) {
		return nil, err
	}
	if err := p.out.end(); err != nil {
		return nil, err
	}
	d.Text, d.Numbers, d.Damaged = p.out.String(), p.numbers, p.damaged
	switch {
	case p.out.full:
		d.Cut = fmt.Sprintf("only the first %d bytes of the text are stored", l.Text)
	case p.unshared > 0:
		d.Cut = fmt.Sprintf("the distinct texts of cells have more than %d bytes; %d of them are missing", maxShared, p.unshared)
	case len(p.numbers) == maxNumbers:
		d.Cut = fmt.Sprintf("only the first %d numbers of %d and more digits are searched by all of their digits", maxNumbers, longNumber)
	}
	return d, nil
}
