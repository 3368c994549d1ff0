package pdf

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Page is a page with the positions of its words.
type Page struct {
	Width, Height float64 // as displayed, in points (1/72 inch)
	Runs          []Run   // their texts are the text of the page; nil if the positions are unknown
}

// Run is a part of the text of a page: characters of one line, without white space between them, and the white space after
// them.
type Run struct {
	Text string
	Box  Box // the zero Box if the text is not displayed, such as that of a note
}

// Box is a rectangle of a page, in fractions of its width and height from the left and the top.
type Box struct{ Left, Top, Right, Bottom float64 }

// maxBoxes is the maximum number of characters of a page whose positions are kept.
const maxBoxes = 200_000

// piece is a part of the characters of a page in UTF-16.
type piece struct {
	from, to int
	breaks   []int // units before which a word begins
	ends     bool  // the piece ends a line
}

// runs returns the runs of pieces, whose texts are those of utf16Text, without the white space at the end if trimmed.
func (d *Document) runs(chars uint64, units []byte, pieces []piece, a arrangement, trimmed bool) []Run {
	b := runBuilder{document: d, chars: chars, units: units, boxes: a.boxes, frame: a.frame}
	for _, p := range pieces {
		b.add(p)
		if p.ends {
			b.trim(b.first)
			b.space("\n")
		}
	}
	if trimmed {
		b.trim(0)
	}
	return b.runs()
}

// runBuilder collects runs: their texts, and where each begins.
type runBuilder struct {
	document *Document
	chars    uint64
	units    []byte
	boxes    []box
	frame    box

	text   []byte
	begins []int
	shown  []box // of each run; zero if it is not displayed
	first  int   // number of runs before the piece
	last   box   // of the last character of the last run
	ended  bool  // the last run ends with white space
	offset int   // of the index of a character to that of its unit, since the run began
}

func (b *runBuilder) add(p piece) {
	b.first, b.ended = len(b.begins), true
	breaks := p.breaks
	for i := p.from; i < p.to; i++ {
		for len(breaks) > 0 && breaks[0] <= i {
			if breaks[0] == i && i > p.from {
				b.space(" ")
			}
			breaks = breaks[1:]
		}
		at := i
		r := rune(b.unit(i))
		if utf16.IsSurrogate(r) && i+1 < p.to {
			if pair := utf16.DecodeRune(r, rune(b.unit(i+1))); pair != unicode.ReplacementChar {
				r = pair
				i++
			}
		}
		switch {
		case !displayed(r):
		case unicode.IsSpace(r):
			b.space(string(r))
		default:
			b.character(r, at)
		}
	}
}

func (b *runBuilder) unit(i int) uint16 { return uint16(b.units[2*i]) | uint16(b.units[2*i+1])<<8 }

// character adds a character to the last run, or begins a run if the character stands on another line.
func (b *runBuilder) character(r rune, unit int) {
	if b.ended {
		b.offset = int(int32(b.document.instance.Call("FPDFText_GetCharIndexFromTextIndex", b.chars, uint64(unit)))) - unit
	}
	var shown box
	if i := unit + b.offset; i >= 0 && i < len(b.boxes) {
		shown = b.boxes[i]
	}
	if b.ended || shown != (box{}) && b.last != (box{}) && shown.elsewhere(b.last) {
		b.begin()
	}
	b.text = utf8.AppendRune(b.text, r)
	if shown == (box{}) {
		return
	}
	run := &b.shown[len(b.shown)-1]
	if b.last = shown; *run == (box{}) {
		*run = shown
	} else {
		*run = run.union(shown)
	}
}

// begin begins a run.
func (b *runBuilder) begin() {
	b.begins, b.shown = append(b.begins, len(b.text)), append(b.shown, box{})
	b.last, b.ended = box{}, false
}

// runs returns the runs.
func (b *runBuilder) runs() []Run {
	all := make([]Run, len(b.begins))
	text := string(b.text)
	for i, from := range b.begins {
		to := len(text)
		if i+1 < len(all) {
			to = b.begins[i+1]
		}
		all[i].Text = text[from:to]
		if b.shown[i] != (box{}) {
			all[i].Box = b.shown[i].in(b.frame)
		}
	}
	return all
}

// space adds white space to the last run of the piece.
func (b *runBuilder) space(s string) {
	if len(b.begins) == b.first {
		b.begin()
	}
	b.text = append(b.text, s...)
	b.ended = true
}

// trim removes the white space at the end of the runs since the first one.
func (b *runBuilder) trim(first int) {
	for n := len(b.begins); n > first; n-- {
		from := b.begins[n-1]
		if b.text = b.text[:from+len(bytes.TrimRight(b.text[from:], " \n"))]; len(b.text) > from {
			return
		}
		b.begins, b.shown = b.begins[:n-1], b.shown[:n-1]
	}
}

// elsewhere reports whether a character does not stand on the line of another one, which can run from top to bottom.
func (b box) elsewhere(other box) bool {
	height, width := min(b.top-b.bottom, other.top-other.bottom), min(b.right-b.left, other.right-other.left)
	down := min(b.top, other.top) - max(b.bottom, other.bottom) // negative if there is a distance
	return down < height/2 && (b.overlap(other) < width/2 || down < -height/2)
}

// in returns the part of a box that is in a frame, in fractions of the frame.
func (b box) in(frame box) Box {
	width, height := frame.right-frame.left, frame.top-frame.bottom
	if !(width > 0 && height > 0) {
		return Box{}
	}
	within := func(v float64) float64 { return min(max(v, 0), 1) }
	return Box{
		within((b.left - frame.left) / width), within((frame.top - b.top) / height),
		within((b.right - frame.left) / width), within((frame.top - b.bottom) / height),
	}
}

// cut returns the first bytes of the texts of runs.
func cut(runs []Run, most int) []Run {
	for i := range runs {
		if len(runs[i].Text) > most {
			runs[i].Text = strings.ToValidUTF8(runs[i].Text[:most], "")
			return runs[:i+1]
		}
		most -= len(runs[i].Text)
	}
	return runs
}
