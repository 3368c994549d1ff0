package pdf

import (
	"strings"
	"unicode"
)

// arrangement is how the characters of a page are arranged.
type arrangement struct {
	count    int   // number of characters
	breaks   []int // characters before which a word begins although PDFium found no space
	segments []segment
	toLeft   int   // number of characters of scripts that are written from right to left
	boxes    []box // of the first maxBoxes characters; zero for those without
	frame    box   // of the page
}

// arrange reads the boxes of the count characters of an open page. Boxes are those of the page as displayed.
func (d *Document) arrange(page, chars uint64, count int) (arrangement, error) {
	rectangle := d.allocate(16)
	if rectangle == 0 {
		return arrangement{}, d.err(ErrPage)
	}
	defer d.free(rectangle)
	rotation := d.instance.Call("FPDFPage_GetRotation", page)
	a := arrangement{count: count, boxes: make([]box, min(count, maxBoxes))}
	if d.instance.Call("FPDF_GetPageBoundingBox", page, rectangle) != 0 {
		a.frame = boxOf(d.instance.Bytes(rectangle, 16)).rotate(rotation)
	}
	var w word
	ended := true // the next character begins a segment
	for i := range count {
		u := rune(d.instance.Call("FPDFText_GetUnicode", chars, uint64(i)))
		if u <= ' ' || unicode.IsSpace(u) {
			a.breaks = append(a.breaks, w.end()...)
			ended = ended || u == '\n' || u == '\r'
			continue
		}
		if d.instance.Call("FPDFText_GetLooseCharBox", chars, uint64(i), rectangle) == 0 {
			w.last = box{}
			continue
		}
		b := boxOf(d.instance.Bytes(rectangle, 16)).rotate(rotation)
		if i < len(a.boxes) {
			a.boxes[i] = b
		}
		if unicode.In(u, unicode.Hebrew, unicode.Arabic) {
			a.toLeft++
		}
		w.add(i, b)
		a.add(i, b, ended)
		ended = false
	}
	a.breaks = append(a.breaks, w.end()...)
	if n := len(a.segments); n > 0 {
		a.segments[0].from, a.segments[n-1].to = 0, count
	}
	return a, d.err(nil)
}

// add adds a character to the last segment, or to a new one if the character begins a line or a column.
func (a *arrangement) add(char int, b box, begins bool) {
	height, continues := b.top-b.bottom, false
	if n := len(a.segments); n > 0 {
		s := &a.segments[n-1]
		below := s.last.overlap(b) < 0 && min(s.last.top, b.top) < max(s.last.bottom, b.bottom)
		gap := max(b.left-s.last.right, s.last.left-b.right)
		if begins = begins || below; !begins && gap <= column*max(height, s.height) {
			s.box, s.last, s.height = s.union(b), b, max(s.height, height)
			return
		}
		s.to = char
		continues = b.left >= s.right && min(s.last.top, b.top) > max(s.last.bottom, b.bottom)
	}
	a.segments = append(a.segments, segment{box: b, last: b, height: height, from: char, continues: continues})
}

// ordered returns the text of a page in reading order, and its runs if placed. units is the text in UTF-16LE in the order of the content.
func (d *Document) ordered(chars uint64, units []byte, a arrangement, placed bool) (string, []Run) {
	end := len(units) / 2
	index := func(char int) int { // in units
		switch char {
		case 0:
			return 0
		case a.count:
			return end
		}
		return min(max(int(int32(d.instance.Call("FPDFText_GetTextIndexFromCharIndex", chars, uint64(char)))), 0), end)
	}
	breaks := make([]int, len(a.breaks))
	for i, char := range a.breaks {
		breaks[i] = index(char)
	}
	var reading []segment
	if 2*a.toLeft < a.count { // else columns are read from right to left, as the content usually is
		reading = order(a.segments)
	}
	var runs []Run
	if reading == nil {
		if placed {
			runs = d.runs(chars, units, []piece{{to: end, breaks: breaks}}, a, false)
		}
		return utf16Text(units, breaks), runs
	}
	var out strings.Builder
	var pieces []piece
	for n, s := range reading {
		from := index(s.from)
		to := max(from, index(s.to))
		var inside []int
		for _, at := range breaks {
			if from < at && at < to {
				inside = append(inside, at-from)
			}
		}
		part := utf16Text(units[2*from:2*to], inside)
		ends := n+1 < len(reading) && reading[n+1].from != s.to
		if ends {
			part = strings.TrimRight(part, " \n") + "\n"
		}
		out.WriteString(part)
		for i := range inside {
			inside[i] += from
		}
		pieces = append(pieces, piece{from, to, inside, ends})
	}
	if placed {
		runs = d.runs(chars, units, pieces, a, true)
	}
	return strings.TrimRight(out.String(), " \n"), runs
}
