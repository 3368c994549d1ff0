package office

import (
	"path"
	"strings"
)

// objects yields the content parts of the embedded objects, such as charts.
func (p *parts) objects() func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, name := range p.names {
			if strings.HasSuffix(name, "/"+contentPart) && !yield(name) {
				return
			}
		}
	}
}

// readOthers reads the embedded objects that no slide or sheet has shown. They belong to the last one.
func (o *openDocument) readOthers() error {
	divided := o.divided()
	if divided {
		o.out.continuePage()
	}
	for name := range o.objects() {
		if o.seen[name] {
			continue
		}
		if err := o.read(name); err != nil {
			return err
		}
	}
	if divided {
		return o.out.endPage()
	}
	return nil
}

// endPage reads the embedded objects of a slide or a sheet, and ends it.
func (o *openDocument) endPage() error {
	shown := o.shown
	o.shown = nil
	for _, name := range shown {
		embedded := &openDocument{parts: o.parts, format: o.format, styles: map[string]*list{}, latest: map[string]*list{}, named: map[string]*list{}}
		if err := embedded.read(name); err != nil {
			return err
		}
	}
	return o.parts.endPage()
}

// show schedules an embedded object of the present slide or sheet.
func (o *openDocument) show(href string) {
	name := partName(path.Join(href, contentPart))
	if !o.divided() || !o.has(name) || o.seen[name] || !o.keep(len(name)) {
		return
	}
	o.seen[name], o.shown = true, append(o.shown, name)
}
