package office

import (
	"strconv"
	"strings"
)

// readWord reads a Word document: headers, body, footers, notes, comments and drawings.
func readWord(p *parts, main string) error {
	w := &word{parts: p}
	if err := w.readNumbering(main); err != nil {
		return err
	}
	if err := p.related(main, map[string]func(string) error{"header": w.read}); err != nil {
		return err
	}
	if err := w.read(main); err != nil {
		return err
	}
	if err := p.related(main, map[string]func(string) error{"footer": w.read, "footnotes": w.read, "endnotes": w.read, "comments": w.read}); err != nil {
		return err
	}
	return p.readDrawings(main)
}

// word reads the parts of a Word document.
type word struct {
	*parts
	numbering

	text   bool // inside w:t
	skip   int  // nesting depth of hidden or duplicate elements
	inList struct {
		list, style string
		level       int
	}
	numbered bool // whether the number of the paragraph has been written
	choices  *choices
}

// choices are the entries of a drop-down field.
type choices struct {
	entries []string
	chosen  int
}

func (w *word) read(part string) error {
	if err := w.out.separate('\n'); err != nil {
		return err
	}
	w.text, w.skip = false, 0
	return w.walk(part, events{start: w.start, end: w.end, text: func(s []byte) error {
		if !w.text || w.skip > 0 {
			return nil
		}
		if err := w.number(); err != nil {
			return err
		}
		return w.out.add(string(s))
	}})
}

func (w *word) start(name string, a attributes) error {
	switch name {
	case "Fallback", "moveFrom", "rt": // rt is the reading of a ruby text
		w.skip++
	case "docPr":
		if description := a.get("descr"); description != "" && w.skip == 0 {
			if err := w.out.separate(' '); err != nil {
				return err
			}
			return w.out.add(description + " ")
		}
	case "ddList":
		w.choices = &choices{}
	case "listEntry":
		if w.choices != nil && w.keep(len(a.get("val"))) {
			w.choices.entries = append(w.choices.entries, a.get("val"))
		}
	case "result", "default":
		if w.choices != nil {
			w.choices.chosen = count(a.get("val"))
		}
	case "txbxContent":
		return w.out.separate('\n')
	case "p":
		w.inList.list, w.inList.style, w.inList.level, w.numbered = "", "", -1, false
	case "pStyle":
		w.inList.style = a.get("val")
	case "numId":
		w.inList.list = a.get("val")
	case "ilvl":
		if n, err := strconv.Atoi(a.get("val")); err == nil {
			w.inList.level = n
		}
	case "t":
		w.text = true
	case "tab", "ptab":
		return w.out.separate('\t') // tab stops in paragraph properties match too, which is harmless
	case "br", "cr":
		return w.out.separate('\n')
	case "noBreakHyphen":
		return w.out.add("-")
	case "sym":
		code, err := strconv.ParseUint(a.get("char"), 16, 16)
		if err == nil && w.skip == 0 {
			return w.out.add(symbol(a.get("font"), rune(code)))
		}
	}
	return nil
}

func (w *word) end(name string) error {
	switch name {
	case "Fallback", "moveFrom", "rt":
		w.skip--
	case "ddList":
		if c := w.choices; c != nil && c.chosen < len(c.entries) && w.skip == 0 {
			w.choices = nil
			return w.out.add(c.entries[c.chosen])
		}
	case "t":
		w.text = false
	case "p", "tr", "txbxContent":
		return w.out.separate('\n')
	case "tc":
		return w.out.separate('\t')
	}
	return nil
}

// number writes the list label of a paragraph before its first text.
func (w *word) number() error {
	if w.numbered {
		return nil
	}
	w.numbered = true
	label := w.next(w.inList.style, w.inList.list, w.inList.level)
	if label == "" {
		return nil
	}
	return w.out.add(strings.TrimSpace(label) + " ")
}
