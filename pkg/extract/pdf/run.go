package pdf

import (
	"strings"
	"unicode"
	"unicode/utf16"
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
			b.trim(b.begin)
			b.space("\n")
		}
	}
	if trimmed {
		b.trim(0)
	}
	return b.all
}

type runBuilder struct {
	document *Document
	chars    uint64
	units    []byte
	boxes    []box
	frame    box

	all    []Run
	begin  int  // number of runs before the piece
	box    box  // of the last run
	last   box  // of its last character
	ended  bool // the last run ends with white space
	offset int  // of the index of a character to that of its unit, since the run began
}

func (b *runBuilder) add(p piece) {
	b.begin, b.ended = len(b.all), true
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
		b.all = append(b.all, Run{})
		b.box, b.last, b.ended = box{}, box{}, false
	}
	run := &b.all[len(b.all)-1]
	run.Text += string(r)
	if shown == (box{}) {
		return
	}
	if b.last = shown; b.box == (box{}) {
		b.box = shown
	} else {
		b.box = b.box.union(shown)
	}
	run.Box = b.box.in(b.frame)
}

// space adds white space to the last run of the piece.
func (b *runBuilder) space(s string) {
	if len(b.all) == b.begin {
		b.all = append(b.all, Run{})
	}
	b.all[len(b.all)-1].Text += s
	b.ended = true
}

// trim removes the white space at the end of the runs since the first one.
func (b *runBuilder) trim(first int) {
	for n := len(b.all); n > first; n-- {
		if b.all[n-1].Text = strings.TrimRight(b.all[n-1].Text, " \n"); b.all[n-1].Text != "" {
			return
		}
		b.all = b.all[:n-1]
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
