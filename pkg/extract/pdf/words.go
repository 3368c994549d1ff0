package pdf

const (
	// gap is the distance between two characters, as a fraction of their height, above which they belong to
	// different words. PDFium uses the width of the font's space, so it joins words in text typeset without spaces.
	gap = 0.1
	// spaced is the fraction of wide distances in a word above which its characters are letter-spaced.
	spaced = 0.6
)

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
