package office

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/numberformat"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// workbook reads an Excel workbook.
type workbook struct {
	*parts
	shared   sharedStrings
	formats  []numberformat.Format
	date1904 bool
}

// readWorkbook reads the sheets in order: names, cells as displayed, headers and footers, comments, shapes, charts
// and diagrams.
func readWorkbook(p *parts, main string) error {
	w := &workbook{parts: p}
	type sheet struct{ name, id string }
	var sheets []sheet
	err := p.walk(main, events{start: func(name string, a attributes) error {
		switch name {
		case "workbookPr":
			w.date1904 = a.get("date1904") == "1" || a.get("date1904") == "true"
		case "sheet":
			sheets = append(sheets, sheet{a.get("name"), a.get("id")})
			if !p.keep(len(a.get("name")) + len(a.get("id"))) {
				return ErrTooBig.With(reason.SheetsLimit, maxKept)
			}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	if err := p.related(main, map[string]func(string) error{"sharedStrings": w.readShared, "styles": w.readFormats}); err != nil {
		return err
	}
	relations, err := p.relations(main)
	if err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range relations {
		targets[r.id] = r.target
	}
	for _, s := range sheets {
		part := targets[s.id]
		if part == "" || !p.has(part) {
			continue
		}
		if err := p.out.separate('\n'); err != nil {
			return err
		}
		if err := p.out.add(s.name + "\n"); err != nil {
			return err
		}
		if err := w.readSheet(part); err != nil {
			return err
		}
		if err := p.readDrawings(part); err != nil {
			return err
		}
		if err := p.related(part, map[string]func(string) error{"comments": p.readDrawing, "threadedComment": w.readThreaded}); err != nil {
			return err
		}
		if err := p.endPage(); err != nil {
			return err
		}
	}
	return nil
}

// readShared reads the shared strings.
func (w *workbook) readShared(part string) error {
	var b strings.Builder
	var in, phonetic bool
	return w.walk(part, events{
		start: func(name string, _ attributes) error {
			switch name {
			case "si":
				b.Reset()
			case "rPh":
				phonetic = true
			case "t":
				in = true
			}
			return nil
		},
		text: func(s []byte) error {
			if in && !phonetic && b.Len() < maxHeld {
				b.Write(s)
			}
			return nil
		},
		end: func(name string) error {
			switch name {
			case "rPh":
				phonetic = false
			case "t":
				in = false
			case "si":
				if !w.shared.add(unescaped(b.String())) {
					w.unshared++
				}
			}
			return nil
		},
	})
}

const (
	// formatSize is the maximum number of bytes of a parsed number format per byte of its code.
	formatSize = 150
	// maxFormats is the maximum number of cell styles that are kept. Excel allows 65,490.
	maxFormats = 200_000
)

// readFormats reads the number formats of the cell styles.
func (w *workbook) readFormats(part string) error {
	custom, parsed := map[string]string{}, map[string]numberformat.Format{}
	cells := false
	return w.walk(part, events{
		start: func(name string, a attributes) error {
			switch name {
			case "numFmt":
				if w.keep(len(a.get("numFmtId")) + len(a.get("formatCode"))) {
					custom[a.get("numFmtId")] = a.get("formatCode")
				}
			case "cellXfs":
				cells = true
			case "xf":
				if cells {
					id := a.get("numFmtId")
					code, found := custom[id]
					if !found {
						code = builtinFormats[id]
					}
					if _, found := parsed[code]; !found && w.keep(formatSize*len(code)) {
						parsed[code] = numberformat.Parse(code)
					}
					if len(w.formats) < maxFormats {
						w.formats = append(w.formats, parsed[code])
					}
				}
			}
			return nil
		},
		end: func(name string) error {
			if name == "cellXfs" {
				cells = false
			}
			return nil
		},
	})
}

// cell is the cell being read.
type cell struct {
	kind  string
	style int
	value strings.Builder
}

func (w *workbook) readSheet(part string) error {
	var c cell
	var in, header, phonetic bool
	return w.walk(part, events{
		start: func(name string, a attributes) error {
			switch name {
			case "c":
				c.kind, c.style = a.get("t"), count(a.get("s"))
				c.value.Reset()
			case "rPh":
				phonetic = true
			case "v", "t":
				in = true
			case "oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter":
				in, header = true, true
				c.value.Reset()
			}
			return nil
		},
		text: func(s []byte) error {
			if in && !phonetic && c.value.Len() < maxHeld {
				c.value.Write(s)
			}
			return nil
		},
		end: func(name string) error {
			switch name {
			case "rPh":
				phonetic = false
			case "v", "t":
				in = false
			case "c":
				shown := w.show(&c)
				if err := w.out.add(shown); err != nil {
					return err
				}
				if c.kind == "" || c.kind == "n" {
					w.number(c.value.String(), shown)
				}
				return w.out.separate('\t')
			case "row":
				return w.out.separate('\n')
			}
			if header && (strings.HasSuffix(name, "Header") || strings.HasSuffix(name, "Footer")) {
				in, header = false, false
				return w.out.add(pageText(c.value.String()) + "\n")
			}
			return nil
		},
	})
}

// show returns the displayed text of a cell.
func (w *workbook) show(c *cell) string {
	value := c.value.String()
	switch c.kind {
	case "s":
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n >= 0 && n < w.shared.count {
			return w.format(c).Text(w.shared.at(n))
		}
		return ""
	case "b":
		if value == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "inlineStr":
		return w.format(c).Text(unescaped(value))
	case "e":
		return value
	case "d":
		if days, ok := serial(value, w.date1904); ok && c.style < len(w.formats) {
			return w.formats[c.style].Number(days, w.date1904)
		}
		return value
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || c.style >= len(w.formats) {
		return value
	}
	return w.formats[c.style].Number(n, w.date1904)
}

// format returns the number format of a cell.
func (w *workbook) format(c *cell) numberformat.Format {
	if c.style < len(w.formats) {
		return w.formats[c.style]
	}
	return numberformat.Format{}
}

// serial converts an ISO 8601 date, with or without a time, to days.
func serial(value string, date1904 bool) (days float64, ok bool) {
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.Parse(layout, strings.TrimSpace(value)); err == nil {
			return at.Sub(first).Hours() / 24, true
		}
	}
	return 0, false
}

// escape matches the escape sequences of ECMA-376, part 1, section 22.9.2.19.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescaped replaces the escape sequences of a string by their characters. _x005F_ is an underscore, which protects text that
// looks like a sequence.
func unescaped(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escape.ReplaceAllStringFunc(s, func(sequence string) string {
		code, err := strconv.ParseUint(sequence[2:6], 16, 16)
		if err != nil || code >= 0xd800 && code < 0xe000 {
			return sequence
		}
		if code == '\r' {
			return "\n"
		}
		return string(rune(code))
	})
}

// pageText returns the text of a page header or footer without its codes: &L, &"font", &12, &P. &&
// is an ampersand.
func pageText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '&' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == '&':
			b.WriteByte('&')
		case c == '"':
			if end := strings.IndexByte(s[i+1:], '"'); end >= 0 {
				i += end + 1
			}
		case c >= '0' && c <= '9':
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
		case c == 'L' || c == 'C' || c == 'R':
			b.WriteByte('\t')
		}
	}
	return strings.TrimSpace(b.String())
}

// readThreaded reads threaded comments.
func (w *workbook) readThreaded(part string) error {
	var in bool
	return w.walk(part, events{
		start: func(name string, _ attributes) error { in = name == "text"; return nil },
		text: func(s []byte) error {
			if !in {
				return nil
			}
			return w.out.add(string(s))
		},
		end: func(name string) error { in = false; return w.out.separate('\n') },
	})
}
