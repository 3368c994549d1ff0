package office

import (
	"strconv"
	"strings"
)

// levels is the number of levels of a list: 10 in OpenDocument, and 9 in other formats.
const levels = 10

// numbering contains the list definitions and counters of a Word document.
type numbering struct {
	abstract map[string]*list    // by abstractNumId
	lists    map[string]*listUse // by numId
	styles   map[string]paragraphStyle
}

const (
	// maxLabel is the maximum length of the text of a list level, in bytes; longer ones are ignored.
	maxLabel = 200
	// listSize is the maximum size of a list definition, in bytes.
	listSize = 1000 + levels*maxLabel
)

// list is an abstract list definition with its counters. Several list instances can share it.
type list struct {
	level  [levels]listLevel
	count  [levels]int
	begun  [levels]bool
	styles map[string]int // level by paragraph style
}

type listLevel struct {
	format, label string // for example decimal and "%1.%2"
	start         int
}

type listUse struct {
	*list
	own   [levels]listLevel // the levels with the overrides of this instance
	start map[int]int       // start values of the levels that this instance restarts
}

type paragraphStyle struct {
	list  string
	level int // −1 if the style sets none
	basis string
}

// readNumbering reads the list definitions and the paragraph styles.
func (w *word) readNumbering(main string) error {
	w.abstract, w.lists, w.styles = map[string]*list{}, map[string]*listUse{}, map[string]paragraphStyle{}
	return w.related(main, map[string]func(string) error{"numbering": w.readLists, "styles": w.readStyles})
}

func (w *word) readLists(part string) error {
	var abstract *list
	var use *listUse
	var id string
	level := 0
	return w.walk(part, events{
		start: func(name string, a attributes) error {
			value := a.get("val")
			switch name {
			case "abstractNum":
				if abstract = nil; !w.keep(listSize) {
					return nil
				}
				abstract = &list{styles: map[string]int{}}
				for i := range abstract.level {
					abstract.level[i] = listLevel{format: "decimal", start: 1}
				}
				w.abstract[a.get("abstractNumId")] = abstract
			case "num":
				id, abstract, use = a.get("numId"), nil, nil
			case "abstractNumId":
				if shared := w.abstract[value]; shared != nil && w.keep(listSize) {
					use = &listUse{list: shared, own: shared.level, start: map[int]int{}}
					w.lists[id] = use
				}
			case "lvl", "lvlOverride":
				level = min(count(a.get("ilvl")), levels-1)
			case "startOverride":
				if use != nil {
					use.start[level] = count(value)
				}
			}
			at := &listLevel{}
			if abstract != nil {
				at = &abstract.level[level]
			} else if use != nil {
				at = &use.own[level]
			}
			switch name {
			case "numFmt":
				at.format = value
			case "lvlText":
				if len(value) <= maxLabel {
					at.label = value
				}
			case "start":
				at.start = count(value)
			case "pStyle":
				if abstract != nil && w.keep(len(value)) {
					abstract.styles[value] = level
				}
			}
			return nil
		},
		end: func(name string) error {
			if name == "abstractNum" {
				abstract = nil
			}
			return nil
		},
	})
}

func (w *word) readStyles(part string) error {
	var id string
	var style paragraphStyle
	return w.walk(part, events{
		start: func(name string, a attributes) error {
			switch name {
			case "style":
				id, style = a.get("styleId"), paragraphStyle{level: -1}
			case "basedOn":
				style.basis = a.get("val")
			case "numId":
				style.list = a.get("val")
			case "ilvl":
				if n, err := strconv.Atoi(a.get("val")); err == nil {
					style.level = n
				}
			}
			return nil
		},
		end: func(name string) error {
			if name == "style" && w.keep(len(id)+len(style.list)+len(style.basis)) {
				w.styles[id] = style
			}
			return nil
		},
	})
}

// next counts a paragraph and returns its label, or "" if it has none. The list and level of the
// paragraph override those of its style. level is −1 if the paragraph sets none.
func (n *numbering) next(style, id string, level int) string {
	for basis, depth := style, 0; depth < 10 && basis != "" && (id == "" || level < 0); depth++ {
		s := n.styles[basis]
		if id == "" {
			id = s.list
		}
		if use := n.lists[id]; level < 0 && use != nil {
			if at, found := use.styles[basis]; found {
				level = at
			} else {
				level = s.level
			}
		}
		basis = s.basis
	}
	use := n.lists[id]
	if use == nil {
		return ""
	}
	level = min(max(level, 0), levels-1)
	if start, restarts := use.start[level]; restarts {
		use.count[level], use.begun[level] = start-1, true
		delete(use.start, level)
	}
	return use.next(level, &use.own)
}

// next counts a paragraph at a level and returns its label in the format of the level.
func (l *list) next(level int, shown *[levels]listLevel) string {
	for i := range level + 1 {
		if !l.begun[i] {
			l.begun[i], l.count[i] = true, shown[i].start
			if i == level {
				l.count[i]--
			}
		}
	}
	l.count[level]++
	for i := level + 1; i < levels; i++ {
		l.begun[i] = false
	}
	at := shown[level]
	if at.format == "bullet" || at.format == "none" {
		return ""
	}
	label := at.label
	for i := level; i >= 0; i-- { // %10 is replaced before %1
		label = strings.ReplaceAll(label, "%"+strconv.Itoa(i+1), ordinal(shown[i].format, l.count[i]))
	}
	return label
}

// ordinal formats a number in a number format of Word, PowerPoint or OpenDocument lists.
func ordinal(format string, n int) string {
	switch {
	case n <= 0 || n > 5000:
		return strconv.Itoa(n)
	case format == "lowerLetter" || format == "a" || strings.HasPrefix(format, "alphaLc"):
		return strings.ToLower(letters(n))
	case format == "upperLetter" || format == "A" || strings.HasPrefix(format, "alphaUc"):
		return letters(n)
	case format == "lowerRoman" || format == "i" || strings.HasPrefix(format, "romanLc"):
		return strings.ToLower(roman(n))
	case format == "upperRoman" || format == "I" || strings.HasPrefix(format, "romanUc"):
		return roman(n)
	case format == "decimalZero" && n < 10:
		return "0" + strconv.Itoa(n)
	case format == "ordinal":
		return strconv.Itoa(n) + suffix(n)
	}
	return strconv.Itoa(n)
}

// letters returns A to Z for 1 to 26, then AA, BB and so on.
func letters(n int) string { return strings.Repeat(string(rune('A'+(n-1)%26)), (n-1)/26+1) }

// suffix returns the suffix of an English ordinal number.
func suffix(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return "st"
	case n%10 == 2 && n%100 != 12:
		return "nd"
	case n%10 == 3 && n%100 != 13:
		return "rd"
	}
	return "th"
}

func roman(n int) string {
	var b strings.Builder
	for _, digit := range []struct {
		value int
		sign  string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
		for ; n >= digit.value; n -= digit.value {
			b.WriteString(digit.sign)
		}
	}
	return b.String()
}

// bulletNumbers counts the numbered paragraphs of a PowerPoint text box.
type bulletNumbers struct {
	at    int
	count [levels]int
	kind  [levels]string
}

func (b *bulletNumbers) level(s string) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n >= levels {
		n = 0
	}
	b.at = n
}

func (b *bulletNumbers) next(kind, start string) string {
	if b.kind[b.at] != kind {
		b.kind[b.at], b.count[b.at] = kind, 0
		if n, err := strconv.Atoi(start); err == nil {
			b.count[b.at] = n - 1
		}
	}
	b.count[b.at]++
	clear(b.kind[b.at+1:])
	label := ordinal(kind, b.count[b.at])
	switch {
	case strings.HasSuffix(kind, "ParenBoth"):
		return "(" + label + ") "
	case strings.HasSuffix(kind, "ParenR"):
		return label + ") "
	case strings.HasSuffix(kind, "Plain"):
		return label + " "
	}
	return label + ". "
}
