package office

import (
	"strconv"
	"strings"
)

// numbered counts a paragraph that begins an item of a list, or a heading, and returns its label.
func (o *openDocument) numbered(heading bool, a attributes) string {
	if n := len(o.nested); o.item && n > 0 {
		o.item = false
		l := o.nested[n-1]
		if l == nil && o.override != nil {
			l = &list{level: o.override.level}
			o.nested[n-1] = l
		}
		if l != nil {
			shown := &l.level
			if o.override != nil {
				shown = &o.override.level
			}
			return l.next(min(n, levels)-1, shown)
		}
	}
	headings := o.styles[""]
	if !heading || headings == nil || a.get("is-list-header") == "true" {
		return ""
	}
	level := min(max(count(a.get("outline-level")), 1), levels) - 1
	if a.get("restart-numbering") == "true" {
		headings.restart(level, max(count(a.get("start-value")), 1))
	}
	return headings.next(level, &headings.level)
}

// restart makes n the next number at a level.
func (l *list) restart(level, n int) { l.begun[level], l.count[level] = true, n-1 }

// startList handles the start tag of a list, an item or a list style.
func (o *openDocument) startList(name string, a attributes) {
	switch name {
	case "list":
		if len(o.nested) == maxNested {
			o.deeper++
			return
		}
		o.nested = append(o.nested, o.listOf(a))
	case "list-item":
		o.item, o.override = true, nil
		if style := a.get("style-override"); style != "" {
			o.override = o.styles[style]
		}
		if n := len(o.nested); n > 0 && o.nested[n-1] != nil && a.get("start-value") != "" {
			o.nested[n-1].restart(min(n, levels)-1, count(a.get("start-value")))
		}
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
			o.styles[a.get("name")] = o.define
		} else {
			o.styles[""] = o.define
		}
	default:
		o.defineLevel(a)
	}
}

// listOf returns the counters of a list: those of the list that it continues or is a part of, or new ones. It is nil if the
// style of the list is not known.
func (o *openDocument) listOf(a attributes) *list {
	style, id, continues := a.get("style-name"), a.get("id"), a.get("continue-list")
	defined := o.styles[style]
	if style == "" {
		defined = nil // the name of headings
	}
	var l *list
	switch continued := o.named[continues]; {
	case continued != nil && defined != nil && continued.level != defined.level:
		l = &list{level: defined.level, count: continued.count, begun: continued.begun}
		o.named[continues] = l
	case continued != nil:
		l = continued
	case len(o.nested) > 0:
		l = o.innerList(style, defined)
	case a.get("continue-numbering") == "true" && o.latest[style] != nil:
		l = o.latest[style]
	case defined != nil:
		l = &list{level: defined.level}
	}
	if l != nil && defined != nil {
		o.latest[style] = l
	}
	if l != nil && id != "" && o.keep(listSize+len(id)) {
		o.named[id] = l
	}
	return l
}

// innerList returns the counters of a list in an item of another list. With a style of its own, its numbers begin again, and
// can contain those of the enclosing lists.
func (o *openDocument) innerList(style string, defined *list) *list {
	outer := o.nested[len(o.nested)-1]
	switch {
	case style == "":
		return outer
	case defined == nil:
		return nil
	case outer == nil:
		return &list{level: defined.level}
	}
	l := &list{level: defined.level}
	above := min(len(o.nested), levels)
	copy(l.count[:above], outer.count[:])
	copy(l.begun[:above], outer.begun[:])
	return l
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
		if i == n-1 || o.define.level[i].format != "none" {
			shown = append(shown, "%"+strconv.Itoa(i+1))
		}
	}
	if label := a.get("num-prefix") + strings.Join(shown, ".") + a.get("num-suffix"); len(label) <= maxLabel {
		at.label = label
	}
}
