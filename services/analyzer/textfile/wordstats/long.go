package wordstats

import (
	"crypto/sha256"
	"hash"
	"unicode"
	"unicode/utf8"
)

// longWord is a segment of any length, of which only the start is stored.
type longWord struct {
	start      []byte // the segment as read, while it is within maxSegment
	length     int64  // bytes of the segment
	properties uint8
	codePoints int64  // in lower case
	shown      []byte // the start in lower case
	cut        bool   // shown is no longer all of it
	digest     hash.Hash
	batch      []byte // not hashed yet
}

const (
	shownBytes = 256  // the longest start that is shown, including its ellipsis
	ellipsis   = "…"  // 3 bytes
	batchBytes = 1024 // bytes hashed at once
	// digestMark ends the shown start in the key of a long word. It does not occur in UTF-8, so no
	// other word has the key.
	digestMark = 0xFF
)

func newLongWord() *longWord {
	return &longWord{digest: sha256.New(), batch: make([]byte, 0, batchBytes+utf8.UTFMax)}
}

func (w *longWord) append(r rune) {
	p := property(r)
	w.properties |= p &^ classMask
	w.length += int64(utf8.RuneLen(r))
	if w.length <= maxSegment {
		w.start = utf8.AppendRune(w.start, r)
	}
	if p&changesCase == 0 {
		w.appendLower(r)
		return
	}
	if r == 'İ' { // the only code point whose lower case is two
		w.appendLower('i')
		w.appendLower('\u0307')
		return
	}
	w.appendLower(unicode.ToLower(r))
}

func (w *longWord) appendLower(r rune) {
	w.codePoints++
	w.batch = utf8.AppendRune(w.batch, r)
	w.cut = w.cut || len(w.shown)+utf8.RuneLen(r) > shownBytes-len(ellipsis)
	if !w.cut {
		w.shown = utf8.AppendRune(w.shown, r)
	}
	if len(w.batch) >= batchBytes {
		w.flush()
	}
}

func (w *longWord) flush() {
	w.digest.Write(w.batch) // a hash never fails
	w.batch = w.batch[:0]
}

// isShort reports whether start is the whole segment.
func (w *longWord) isShort() bool { return w.length <= maxSegment }

// key returns the stored form of the word.
func (w *longWord) key() []byte {
	w.flush()
	return w.digest.Sum(append(w.shown, digestMark))
}

// clone returns an independent copy.
func (w *longWord) clone() (*longWord, error) {
	w.flush()
	digest, err := w.digest.(hash.Cloner).Clone()
	if err != nil {
		return nil, err
	}
	c := *w
	c.start = append([]byte(nil), w.start...)
	c.shown = append([]byte(nil), w.shown...)
	c.digest = digest
	c.batch = make([]byte, 0, cap(w.batch))
	return &c, nil
}
