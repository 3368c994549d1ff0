package office

import (
	"bytes"
	"strings"
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
	case !p.has("content.xml"):
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
	o := &openDocument{parts: p, lists: map[string]*list{}, seen: map[string]bool{}}
	if p.has("styles.xml") {
		if err := o.read("styles.xml"); err != nil {
			return err
		}
	}
	o.divided = d.Format == "ods" || d.Format == "odp"
	if err := o.read("content.xml"); err != nil {
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
	return document.walk("content.xml", events{start: func(name string, _ attributes) error {
		if name == "page" {
			p.Slides++
		}
		return nil
	}})
}

// openDocument reads the parts of an OpenDocument file.
type openDocument struct {
	*parts
	slides int
	lists  map[string]*list // by style name; "" for headings
	define *list            // the style being defined

	nested []*list // the enclosing lists, innermost last
	deeper int     // enclosing lists beyond maxNested
	item   bool    // at the start of a list item whose label is not yet written
	text   int     // number of enclosing paragraphs
	skip   int     // nesting depth of hidden elements
	repeat int     // number of repetitions of the current cell
	from   int     // offset of the text of the current cell
	value  string  // of the current cell; displayed if the cell has no text
	number string  // of the current cell; empty if it is not a number
	rows   int     // number of repetitions of the current row
	row    int     // offset of the text of the current row

	divided bool            // into slides or sheets
	tables  int             // number of enclosing tables
	shown   []string        // the embedded objects of the current slide or sheet
	seen    map[string]bool // the embedded objects of slides and sheets
}

// maxNested is the maximum number of nested lists that are distinguished.
const maxNested = 1000

// maxRepeats is the maximum number of repetitions of a cell or row with text.
const maxRepeats = 100

func (o *openDocument) read(part string) error {
	o.deeper, o.nested, o.item, o.text, o.skip, o.define, o.tables = 0, nil, false, 0, 0, nil, 0
	if err := o.out.separate('\n'); err != nil {
		return err
	}
	return o.walk(part, events{start: o.start, end: o.end, text: func(s []byte) error {
		if o.text == 0 || o.skip > 0 {
			return nil
		}
		if err := o.label(); err != nil {
			return err
		}
		shown := collapse(s)
		if b := o.out.b.Bytes(); len(b) > 0 && strings.IndexByte(" \t\n\f", b[len(b)-1]) >= 0 {
			shown = strings.TrimPrefix(shown, " ")
		}
		return o.out.add(shown)
	}})
}

func (o *openDocument) start(name string, a attributes) error {
	switch name {
	case "tracked-changes", "ruby-text":
		o.skip++
	case "p":
		o.text++
	case "h":
		o.text++
		if headings := o.lists[""]; headings != nil && o.skip == 0 {
			level := min(max(count(a.get("outline-level")), 1), levels) - 1
			if label := headings.next(level, &headings.level); label != "" && headings.level[level].format != "none" {
				return o.out.add(label + " ")
			}
		}
	case "s":
		return o.out.add(strings.Repeat(" ", min(max(count(a.get("c")), 1), 1000)))
	case "tab":
		return o.out.separate('\t')
	case "note", "annotation":
		return o.out.separate(' ')
	case "line-break":
		return o.out.separate('\n')
	case "page":
		o.slides++
	case "table-row":
		o.rows, o.row = min(count(a.get("number-rows-repeated")), maxRepeats), o.out.b.Len()
	case "table-cell", "covered-table-cell":
		o.repeat, o.from, o.value = min(count(a.get("number-columns-repeated")), maxRepeats), o.out.b.Len(), valueOf(a)
		o.number = a.get("value")
	case "object":
		o.show(a.get("href"))
	case "table":
		o.tables++
		if err := o.out.separate('\n'); err != nil || o.text > 0 {
			return err
		}
		if label := a.get("name"); label != "" && o.skip == 0 {
			return o.out.add(label + "\n")
		}
	case "list", "list-header", "list-item", "list-style", "outline-style", "list-level-style-number", "list-level-style-bullet", "outline-level-style":
		o.startList(name, a)
	}
	return nil
}

func (o *openDocument) end(name string) error {
	switch name {
	case "tracked-changes", "ruby-text":
		o.skip--
	case "p", "h":
		o.text--
		return o.out.separate('\n')
	case "note", "annotation", "frame":
		return o.out.separate('\n')
	case "page":
		if o.divided {
			return o.endPage()
		}
	case "table":
		if o.tables--; o.divided && o.tables == 0 && o.slides == 0 {
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

// valueOf returns the value of a cell as its attributes state it.
func valueOf(a attributes) string {
	for _, name := range []string{"string-value", "date-value", "time-value", "boolean-value"} {
		if value := a.get(name); value != "" {
			return value
		}
	}
	return a.get("value")
}

// endCell writes the separator after a cell, and then the repetitions of the cell.
func (o *openDocument) endCell() error {
	o.from = min(o.from, o.out.b.Len())
	shown := strings.TrimRight(string(o.out.b.Bytes()[o.from:]), "\n")
	o.out.b.Truncate(o.from + len(shown))
	if shown == "" && o.value != "" && o.skip == 0 {
		shown = o.value
		if err := o.out.add(shown); err != nil {
			return err
		}
	}
	if o.skip == 0 {
		o.parts.number(o.number, shown)
	}
	if err := o.out.separate('\t'); err != nil {
		return err
	}
	for n := 1; n < o.repeat && shown != ""; n++ {
		if err := o.out.add(shown + "\t"); err != nil {
			return err
		}
	}
	o.repeat = 0
	return nil
}

// endRow ends the line of a row, and writes its repetitions.
func (o *openDocument) endRow() error {
	if err := o.out.separate('\n'); err != nil {
		return err
	}
	shown := string(o.out.b.Bytes()[min(o.row, o.out.b.Len()):])
	for n := 1; n < o.rows && strings.TrimSpace(shown) != ""; n++ {
		if err := o.out.add(shown); err != nil {
			return err
		}
	}
	o.rows = 0
	return nil
}

// startList handles the start tag of a list, an item or a list style.
func (o *openDocument) startList(name string, a attributes) {
	switch name {
	case "list":
		var l *list
		if len(o.nested) > 0 {
			l = o.nested[len(o.nested)-1]
		}
		if named := a.get("style-name"); named != "" {
			if l = o.lists[named]; l != nil && len(o.nested) == 0 && a.get("continue-numbering") != "true" {
				l.begun = [levels]bool{}
			}
		}
		if len(o.nested) == maxNested {
			o.deeper++
			return
		}
		o.nested = append(o.nested, l)
	case "list-item":
		o.item = true
	case "list-header":
		o.item = false
	case "list-style", "outline-style":
		if o.define = nil; !o.keep(listSize + len(a.get("name"))) {
			return
		}
		o.define = &list{}
		for i := range o.define.level {
			o.define.level[i] = listLevel{format: "none", start: 1}
		}
		if name == "list-style" {
			o.lists[a.get("name")] = o.define
		} else {
			o.lists[""] = o.define
		}
	default:
		o.defineLevel(a)
	}
}

// defineLevel reads a level of a list style.
func (o *openDocument) defineLevel(a attributes) {
	n := count(a.get("level"))
	if o.define == nil || n < 1 || n > levels {
		return
	}
	at := &o.define.level[n-1]
	if format := a.get("num-format"); format != "" {
		at.format = format
	}
	if s := a.get("start-value"); s != "" {
		at.start = count(s)
	}
	shown := make([]string, 0, levels)
	for i := n - min(max(count(a.get("display-levels")), 1), n); i < n; i++ {
		shown = append(shown, "%"+string(rune('1'+i)))
	}
	if label := a.get("num-prefix") + strings.Join(shown, ".") + a.get("num-suffix"); len(label) <= maxLabel {
		at.label = label
	}
}

// label writes the label of a list item before its first text.
func (o *openDocument) label() error {
	if !o.item || len(o.nested) == 0 {
		return nil
	}
	o.item = false
	l := o.nested[len(o.nested)-1]
	if l == nil {
		return nil
	}
	if label := l.next(min(len(o.nested), levels)-1, &l.level); label != "" {
		return o.out.add(label + " ")
	}
	return nil
}

// collapse replaces each run of white space with one space, as OpenDocument requires.
func collapse(s []byte) string {
	const space = " \t\r\n"
	var out strings.Builder
	for field := range bytes.FieldsSeq(s) {
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
