package office

import (
	"bytes"
	"strconv"
)

// shape is an element that is drawn, such as a frame, or text beside that of the document: a note or a comment.
type shape struct {
	hidden bool
	text   int  // number of paragraphs that enclose it
	from   int  // offset of its text
	before byte // the byte before its text

	// The state outside of the shape.
	nested   []*list
	item     bool
	override *list
	label    string
}

var isShape = map[string]bool{
	"frame": true, "custom-shape": true, "g": true, "rect": true, "line": true, "polyline": true, "polygon": true,
	"regular-polygon": true, "path": true, "circle": true, "ellipse": true, "connector": true, "caption": true,
	"measure": true, "control": true, "scene": true, "note-body": true, "annotation": true,
}

// isField contains the classes of the shapes on a master whose text slides show.
var isField = map[string]bool{"": true, "header": true, "footer": true, "date-time": true, "page-number": true}

// onMaster reports whether the part that is read contains the masters of slides.
func (o *openDocument) onMaster() bool { return o.format == "odp" && o.part == stylesPart }

// outside returns the number of paragraphs that enclose the current shape.
func (o *openDocument) outside() int {
	if len(o.shapes) == 0 {
		return 0
	}
	return o.shapes[len(o.shapes)-1].text
}

// startShape handles the start tag of a shape. Placeholders, and the prompts on masters, are hidden.
func (o *openDocument) startShape(name string, a attributes) {
	if len(o.shapes) == maxNested {
		o.farther++
		return
	}
	s := shape{text: o.text, from: o.out.len(), nested: o.nested, item: o.item, override: o.override, label: o.label}
	if last := o.out.since(s.from - 1); len(last) > 0 {
		s.before = last[0]
	}
	if s.hidden = !isField[a.get("class")] && (o.onMaster() || a.get("placeholder") == "true"); s.hidden {
		o.skip++
	}
	o.shapes = append(o.shapes, s)
	o.out.held++
	o.nested, o.item, o.override, o.label = nil, false, nil, ""
	if name == "note-body" && len(o.cited) <= maxLabel {
		o.label = o.cited
	}
}

// endShape separates the text of a shape from what follows. The text of a shape in a paragraph follows the paragraph,
// because its anchor can be inside a word.
func (o *openDocument) endShape() error {
	if o.farther > 0 {
		o.farther--
		return nil
	}
	if len(o.shapes) == 0 {
		return nil
	}
	defer func() { o.out.held-- }()
	s := o.shapes[len(o.shapes)-1]
	o.shapes = o.shapes[:len(o.shapes)-1]
	o.nested, o.item, o.override, o.label = s.nested, s.item, s.override, s.label
	if s.hidden {
		o.skip--
	}
	shown := o.out.since(s.from)
	switch {
	case len(shown) == 0:
		return nil
	case o.text == 0:
		return o.separate('\n')
	case o.outside() > 0 || o.aside.Len()+len(shown) > maxHeld:
		return o.separate(' ')
	}
	o.aside.Write(bytes.TrimSpace(shown))
	o.aside.WriteByte('\n')
	o.out.truncate(s.from)
	if last := o.out.since(s.from - 1); len(last) > 0 {
		last[0] = s.before
	}
	return nil
}

// describes reports whether an element that describes something describes the current shape. Other elements have the
// same names.
func (o *openDocument) describes() bool {
	return len(o.shapes) > 0 && o.farther == 0 && o.text == o.outside()
}

// startParagraph handles the start tag of a paragraph or a heading, or of other text that is separated like one.
func (o *openDocument) startParagraph(name string, a attributes) error {
	if o.text++; o.skip > 0 {
		return nil
	}
	if name == "p" || name == "h" {
		if label := o.numbered(name == "h", a); label != "" {
			o.label = label
		}
	}
	if o.text > 1 {
		return o.separate(' ')
	}
	return nil
}

// endParagraph ends the line of a paragraph, and writes the text of its shapes. Only texts show the number of an empty
// paragraph.
func (o *openDocument) endParagraph() error {
	o.text--
	label := o.label
	if o.label = ""; label != "" && o.format == "odt" {
		if err := o.write(label); err != nil {
			return err
		}
	}
	if err := o.separate('\n'); err != nil || o.text > 0 || o.aside.Len() == 0 {
		return err
	}
	aside := o.aside.String()
	o.aside.Reset()
	return o.out.add(aside)
}

// pageNumber writes the number of a slide instead of the stored text, which is a placeholder.
func (o *openDocument) pageNumber() error {
	if o.format != "odp" {
		return nil
	}
	var err error
	if !o.onMaster() && o.text > 0 {
		err = o.write(strconv.Itoa(o.slides))
	}
	o.skip++
	return err
}
