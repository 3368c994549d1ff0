package pdf

import (
	"encoding/binary"
	"math"
	"unicode"
)

const (
	// gap is the distance between two characters, as a fraction of their height, above which they belong to
	// different words. PDFium uses the width of the font's space, so it joins words in text typeset without spaces.
	gap = 0.1
	// spaced is the fraction of wide distances in a word above which its characters are letter-spaced.
	spaced = 0.6
)

// breaks returns the indices in the text of a page, in UTF-16 units, at which a word begins although PDFium found no
// space. count is the number of characters on the page.
func (d *Document) breaks(chars uint64, count int) ([]int, error) {
	rectangle := d.allocate(16)
	if rectangle == 0 {
		return nil, d.err(ErrPage)
	}
	defer d.free(rectangle)
	var all []int
	var w word
	for i := range count {
		u := rune(d.instance.Call("FPDFText_GetUnicode", chars, uint64(i)))
		if u <= ' ' || unicode.IsSpace(u) {
			all = append(all, w.end()...)
			continue
		}
		if d.instance.Call("FPDFText_GetLooseCharBox", chars, uint64(i), rectangle) == 0 {
			w.last = box{}
			continue
		}
		w.add(i, boxOf(d.instance.Bytes(rectangle, 16)))
	}
	all = append(all, w.end()...)
	for n, char := range all {
		all[n] = int(int32(d.instance.Call("FPDFText_GetTextIndexFromCharIndex", chars, uint64(char))))
	}
	return all, d.err(nil)
}

// box is the bounding box of a character on its page, in points.
type box struct{ left, top, right, bottom float64 }

// boxOf decodes an FS_RECTF. It returns the zero box if b is too short.
func boxOf(b []byte) box {
	if len(b) < 16 {
		return box{}
	}
	at := func(n int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*n:]))) }
	return box{at(0), at(1), at(2), at(3)}
}

// word is a sequence of characters without a space.
type word struct {
	last  box
	gaps  int   // number of pairs of adjacent characters on the same line
	begin []int // characters with a wide gap before them
}

func (w *word) add(char int, b box) {
	last := w.last
	w.last = b
	height := min(b.top-b.bottom, last.top-last.bottom)
	overlap := min(b.top, last.top) - max(b.bottom, last.bottom)
	if !(height > 0) || overlap < height/2 || b.left < last.left {
		return
	}
	w.gaps++
	if b.left-last.right > gap*height {
		w.begin = append(w.begin, char)
	}
}

// end returns the characters before which the word is split, and begins a new word.
func (w *word) end() []int {
	found := w.begin
	if float64(len(found)) >= spaced*float64(w.gaps) {
		found = nil
	}
	*w = word{}
	return found
}
