package office

import "strings"

// officeType returns the document format, derived from the folder of the main part, or "".
func (p *parts) officeType() string {
	main := p.mainPart()
	dir, _, _ := strings.Cut(partName(main), "/")
	return map[string]string{"word": "docx", "xl": "xlsx", "ppt": "pptx"}[dir]
}

// mainPart returns the name of the main part, or "".
func (p *parts) mainPart() string {
	relations, err := p.relations("")
	if err == nil {
		for _, r := range relations {
			if r.kind == "officeDocument" && p.has(r.target) {
				return r.target
			}
		}
	}
	for _, name := range []string{"word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"} { // fallbacks for damaged documents
		if p.has(name) {
			return name
		}
	}
	return ""
}

func readOffice(p *parts, d *Document) error {
	relations, err := p.relations("")
	if err != nil {
		return err
	}
	for _, r := range relations {
		if !p.has(r.target) {
			continue
		}
		switch r.kind {
		case "core-properties":
			err = d.Properties.readCore(p, r.target)
		case "extended-properties":
			err = d.Properties.readExtended(p, r.target)
		case "thumbnail":
			d.Thumbnail, err = p.thumbnail(r.target)
		}
		if err != nil {
			return err
		}
	}
	if p.out.most == NoText {
		return nil
	}
	main := p.mainPart()
	switch d.Format {
	case "docx":
		return readWord(p, main)
	case "xlsx":
		return readWorkbook(p, main)
	}
	return readPresentation(p, main)
}

// related calls read[kind] for each part that the given part links to.
func (p *parts) related(part string, read map[string]func(name string) error) error {
	relations, err := p.relations(part)
	if err != nil {
		return err
	}
	for _, r := range relations {
		if f := read[r.kind]; f != nil && p.has(r.target) {
			if err := f(r.target); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDrawing reads the text of a DrawingML part: shapes with their tables, and diagrams.
func (p *parts) readDrawing(name string) error {
	var in bool
	skip := 0
	numbers := bulletNumbers{}
	return p.walk(name, events{
		start: func(name string, a attributes) error {
			switch name {
			case "Fallback": // duplicates the content for older programs
				skip++
			case "t", "v":
				in = true
			case "br":
				return p.out.separate('\n')
			case "cNvPr": // the description of a picture or shape
				if description := a.get("descr"); description != "" && skip == 0 {
					if err := p.out.separate('\n'); err != nil {
						return err
					}
					return p.out.add(description + "\n")
				}
			case "pPr":
				numbers.level(a.get("lvl"))
			case "buAutoNum":
				if skip == 0 {
					return p.out.add(numbers.next(a.get("type"), a.get("startAt")))
				}
			case "txBody":
				numbers = bulletNumbers{}
			}
			return nil
		},
		text: func(s []byte) error {
			if !in || skip > 0 {
				return nil
			}
			return p.out.add(string(s))
		},
		end: func(name string) error {
			switch name {
			case "Fallback":
				skip--
			case "t":
				in = false
			case "v":
				in = false
				return p.out.separate(' ')
			case "p", "sp", "tr", "ser", "pt", "title", "text":
				if name == "pt" {
					return p.out.separate(' ')
				}
				return p.out.separate('\n')
			case "tc":
				return p.out.separate('\t')
			}
			return nil
		},
	})
}

// readDrawings reads the charts, diagrams and drawings that a part links to.
func (p *parts) readDrawings(part string) error {
	read := func(name string) error {
		if err := p.out.separate('\n'); err != nil {
			return err
		}
		return p.readDrawing(name)
	}
	chart := func(name string) error {
		if err := p.out.separate('\n'); err != nil {
			return err
		}
		if err := p.readChart(name); err != nil {
			return err
		}
		return p.related(name, map[string]func(string) error{"chartUserShapes": read})
	}
	return p.related(part, map[string]func(string) error{
		"chart": chart, "chartEx": read, "diagramData": read, "image": p.readMetafile, "vmlDrawing": p.readVML,
		"drawing": func(name string) error { // drawing of a sheet
			if err := read(name); err != nil {
				return err
			}
			return p.related(name, map[string]func(string) error{"chart": chart, "chartEx": read, "diagramData": read, "image": p.readMetafile})
		},
	})
}

// readVML reads the pictures and texts of a VML drawing. It skips the text of sheet comments, which
// is read from the comment parts.
func (p *parts) readVML(part string) error {
	inside := 0
	err := p.walk(part, events{
		start: func(name string, a attributes) error {
			if name == "textbox" {
				inside++
			}
			if s := a.get("string"); name == "textpath" && s != "" {
				return p.out.add(s + "\n")
			}
			return nil
		},
		text: func(s []byte) error {
			if inside == 0 {
				return nil
			}
			return p.out.add(collapse(s))
		},
		end: func(name string) error {
			if name == "textbox" {
				inside--
				return p.out.separate('\n')
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	return p.related(part, map[string]func(string) error{"image": p.readMetafile})
}
