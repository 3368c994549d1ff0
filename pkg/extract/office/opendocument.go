package office

import (
	"bytes"
	"strings"
)

// Parts of an OpenDocument file.
const (
	contentPart = "content.xml"
	stylesPart  = "styles.xml" // with headers, footers and masters
)

// openDocumentType returns the format of an OpenDocument file according to its mimetype part, or
// "".
func (p *parts) openDocumentType() string {
	if !p.has("mimetype") {
		return ""
	}
	b, err := p.bytes("mimetype", 200)
	kind, isOpen := strings.CutPrefix(strings.TrimSpace(string(b)), "application/vnd.oasis.opendocument.")
	if err != nil || !isOpen {
		return ""
	}
	kind, _, _ = strings.Cut(strings.TrimSuffix(kind, "-template"), "-")
	return map[string]string{"text": "odt", "spreadsheet": "ods", "presentation": "odp", "graphics": "odp"}[kind]
}

// readOpenDocument reads the body with its notes and comments, the headers, footers and master
// pages, and the embedded objects such as charts.
func readOpenDocument(p *parts, d *Document) error {
	locked := false
	err := p.walk("META-INF/manifest.xml", events{start: func(name string, _ attributes) error {
		locked = locked || name == "encryption-data"
		return nil
	}})
	switch {
	case err != nil:
		return err
	case locked:
		return ErrLocked
	case !p.has(contentPart):
		return ErrDamaged
	}
	if err := d.Properties.readMeta(p); err != nil {
		return err
	}
	if d.Thumbnail, err = p.thumbnail("Thumbnails/thumbnail.png"); err != nil {
		return err
	}
	if p.out.most == NoText {
		return d.Properties.countSlides(p, d.Format)
	}
	o := &openDocument{parts: p, format: d.Format, seen: map[string]bool{}, styles: map[string]*list{}, latest: map[string]*list{}, named: map[string]*list{}}
	if p.has(stylesPart) {
		if err := o.read(stylesPart); err != nil {
			return err
		}
	}
	if err := o.read(contentPart); err != nil {
		return err
	}
	if d.Properties.Slides = o.slides; d.Format != "odp" {
		d.Properties.Slides = 0
	}
	return o.readOthers()
}

// countSlides counts the slides of a presentation.
func (p *Properties) countSlides(document *parts, format string) error {
	if format != "odp" {
		return nil
	}
	return document.walk(contentPart, events{start: func(name string, _ attributes) error {
		if name == "page" {
			p.Slides++
		}
		return nil
	}})
}

// openDocument reads the parts of an OpenDocument file.
type openDocument struct {
	*parts
	format string
	part   string // being read
	slides int

	styles map[string]*list // list styles by name; "" for headings
	latest map[string]*list // the last list with a style
	named  map[string]*list // lists by identifier
	define *list            // the style being defined

	nested   []*list // the enclosing lists, innermost last
	deeper   int     // enclosing lists beyond maxNested
	item     bool    // at the start of a list item whose label is not yet counted
	override *list   // the style of the item, if it differs from that of the list
	label    string  // of the current paragraph, not yet written
	citation int     // offset of the number of the current note
	cited    string  // number of the current note

	shapes    []shape         // the enclosing shapes, innermost last
	farther   int             // enclosing shapes beyond maxNested
	described bool            // in the title or description of a shape
	aside     strings.Builder // text of the shapes of the current paragraph, which follows it
	text      int             // number of enclosing paragraphs
	skip      int             // nesting depth of hidden elements

	repeat int    // number of repetitions of the current cell
	from   int    // offset of the text of the current cell
	value  string // of the current cell; displayed if the cell has no text
	number string // of the current cell; empty if it is not a number
	rows   int    // number of repetitions of the current row
	row    int    // offset of the text of the current row

	tables int             // number of enclosing tables
	shown  []string        // the embedded objects of the current slide or sheet
	seen   map[string]bool // the embedded objects of slides and sheets
}

// divided reports whether the part is divided into slides or sheets.
func (o *openDocument) divided() bool {
	return o.part == contentPart && (o.format == "ods" || o.format == "odp")
}

// maxNested is the maximum number of nested lists, and of nested shapes, that are distinguished.
const maxNested = 1000

// maxRepeats is the maximum number of repetitions of a cell or row with text.
const maxRepeats = 100

func (o *openDocument) read(part string) error {
	o.deeper, o.nested, o.item, o.override, o.label, o.define = 0, nil, false, nil, "", nil
	o.part, o.farther, o.shapes, o.described, o.text, o.skip, o.cited, o.tables = part, 0, nil, false, 0, 0, "", 0
	o.aside.Reset()
	held := o.out.held
	defer func() { o.out.held = held }() // a damaged part ends inside of elements
	if err := o.out.separate('\n'); err != nil {
		return err
	}
	return o.walk(part, events{start: o.start, end: o.end, text: func(s []byte) error {
		if o.text <= o.outside() || o.skip > 0 {
			return nil
		}
		return o.write(collapse(s))
	}})
}

// write adds text, after the label of its paragraph.
func (o *openDocument) write(shown string) error {
	if o.skip > 0 {
		return nil
	}
	if b := o.out.b.Bytes(); o.out.len() == 0 || len(b) > 0 && strings.IndexByte(" \t\n\f", b[len(b)-1]) >= 0 {
		shown = strings.TrimPrefix(shown, " ")
	}
	if o.label != "" && shown != "" {
		shown, o.label = o.label+" "+shown, ""
	}
	return o.out.add(shown)
}

// separate adds a separator outside hidden elements.
func (o *openDocument) separate(by byte) error {
	if o.skip > 0 {
		return nil
	}
	return o.out.separate(by)
}

func (o *openDocument) start(name string, a attributes) error {
	if isShape[name] {
		o.startShape(name, a)
		return nil
	}
	switch name {
	case "tracked-changes", "ruby-text":
		o.skip++
	case "p", "h":
		return o.startParagraph(name, a)
	case "s":
		if o.skip == 0 {
			return o.out.add(strings.Repeat(" ", min(max(count(a.get("c")), 1), 1000)))
		}
	case "tab":
		return o.separate('\t')
	case "note":
		return o.separate(' ')
	case "note-citation":
		o.citation = o.out.len()
		o.out.held++
	case "line-break":
		return o.separate('\n')
	case "page":
		o.slides++
	case "page-number":
		return o.pageNumber()
	case "title", "desc", "creator":
		if o.described = o.describes(); o.described {
			return o.startParagraph(name, a)
		}
	case "footer-decl", "header-decl", "date-time-decl":
		return o.startParagraph(name, a)
	case "table-row":
		o.rows, o.row = min(count(a.get("number-rows-repeated")), maxRepeats), o.out.len()
		o.out.held++
	case "table-cell", "covered-table-cell":
		o.startCell(a)
	case "object":
		o.show(a.get("href"))
	case "table":
		o.tables++
		if err := o.separate('\n'); err != nil || o.text > 0 || o.format != "ods" || o.part != contentPart {
			return err
		}
		if label := a.get("name"); label != "" { // of the sheet
			return o.write(label + "\n")
		}
	case "list", "list-header", "list-item", "list-style", "outline-style", "list-level-style-number", "list-level-style-bullet", "outline-level-style":
		o.startList(name, a)
	}
	return nil
}

func (o *openDocument) end(name string) error {
	if isShape[name] {
		return o.endShape()
	}
	switch name {
	case "tracked-changes", "ruby-text":
		o.skip--
	case "p", "h", "footer-decl", "header-decl", "date-time-decl":
		return o.endParagraph()
	case "title", "desc", "creator":
		if o.described {
			o.described = false
			o.text--
			return o.separate('\n')
		}
	case "page-number":
		if o.format == "odp" {
			o.skip--
		}
	case "note-citation":
		o.cited = strings.TrimSpace(string(o.out.since(o.citation)))
		o.out.held--
	case "page":
		if o.divided() {
			return o.endPage()
		}
	case "table":
		if o.tables--; o.divided() && o.tables == 0 && o.slides == 0 {
			return o.endPage()
		}
	case "table-row":
		return o.endRow()
	case "table-cell", "covered-table-cell":
		return o.endCell()
	case "list-style", "outline-style":
		o.define = nil
	case "list":
		if o.deeper > 0 {
			o.deeper--
		} else if len(o.nested) > 0 {
			o.nested = o.nested[:len(o.nested)-1]
		}
	}
	return nil
}

// collapse replaces each run of white space with one space, as OpenDocument requires.
func collapse(s []byte) string {
	const space = " \t\r\n"
	var out strings.Builder
	for field := range bytes.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(space, r) }) {
		if out.Len() > 0 || strings.IndexByte(space, s[0]) >= 0 {
			out.WriteByte(' ')
		}
		out.Write(field)
	}
	if out.Len() == 0 || strings.IndexByte(space, s[len(s)-1]) >= 0 {
		out.WriteByte(' ')
	}
	return out.String()
}
