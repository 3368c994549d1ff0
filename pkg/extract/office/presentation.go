package office

import "github.com/assay-project/assay/pkg/extract/reason"

// readPresentation reads the slides in their order, each with its notes, comments, charts and diagrams, and the
// text on the slide masters.
func readPresentation(p *parts, main string) error {
	relations, err := p.relations(main)
	if err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range relations {
		targets[r.id] = r.target
	}
	var slides []string
	err = p.walk(main, events{start: func(name string, a attributes) error {
		if name != "sldId" {
			return nil
		}
		for _, attr := range a { // id identifies the slide, r:id its relation
			if target := targets[attr.Value]; attr.Name.Local == "id" && target != "" && p.has(target) {
				slides = append(slides, target)
				if !p.keep(0) {
					return ErrTooBig.With(reason.SlidesLimit, maxKept)
				}
			}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	slide := func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		if err := p.out.separate('\n'); err != nil {
			return err
		}
		return p.readDrawing(name)
	}
	layout := func(name string) error {
		if seen[name] {
			return nil
		}
		seen[name] = true
		master := func(name string) error {
			if seen[name] {
				return nil
			}
			seen[name] = true
			return p.readMaster(name)
		}
		if err := p.readMaster(name); err != nil {
			return err
		}
		return p.related(name, map[string]func(string) error{"slideMaster": master})
	}
	for _, name := range slides {
		if err := slide(name); err != nil {
			return err
		}
		if err := p.readDrawings(name); err != nil {
			return err
		}
		if err := p.related(name, map[string]func(string) error{"notesSlide": slide, "comments": slide, "slideLayout": layout}); err != nil {
			return err
		}
		if err := p.endPage(); err != nil {
			return err
		}
	}
	return nil
}

// readMaster reads the shapes of a slide layout or master that slides show unchanged: all except placeholders.
func (p *parts) readMaster(name string) error {
	if err := p.out.separate('\n'); err != nil {
		return err
	}
	var in, placeholder bool
	return p.walk(name, events{
		start: func(name string, _ attributes) error {
			switch name {
			case "sp":
				placeholder = false
			case "ph":
				placeholder = true
			case "t":
				in = true
			}
			return nil
		},
		text: func(s []byte) error {
			if !in || placeholder {
				return nil
			}
			return p.out.add(string(s))
		},
		end: func(name string) error {
			switch name {
			case "t":
				in = false
			case "p":
				return p.out.separate('\n')
			}
			return nil
		},
	})
}
