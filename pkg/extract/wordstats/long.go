package wordstats

import (
	"crypto/sha256"
	"hash"
	"unicode"
	"unicode/utf8"
)

// longWord is a segment of any length of which only a prefix is stored.
type longWord struct {
	start      []byte // a prefix of the original segment, up to maxSegment bytes
	length     int64  // length of the segment in bytes
	properties uint8
	codePoints int64  // number of code points in lower case
	kept       []byte // a prefix in lower case
	cut        bool   // the word is longer than kept
	digest     hash.Hash
	batch      []byte // not hashed yet
	sigma      sigma
	// sigmaBatch and sigmaKept are the offsets of the last byte of the open sigma in batch and kept.
	sigmaBatch, sigmaKept int
}

const (
	keptBytes  = 32 << 10 // maximum length of the stored prefix
	shownBytes = 256      // maximum length of the displayed prefix, including the ellipsis
	ellipsis   = "…"      // 3 bytes
	batchBytes = 1024     // bytes hashed at once
	// digestMark separates the prefix and the digest in the key of a long word. It does not occur
	// in UTF-8, so no other word has the same key.
	digestMark = 0xFF
)

func newLongWord() *longWord {
	return &longWord{digest: sha256.New(), batch: make([]byte, 0, batchBytes+maxIgnored*utf8.UTFMax)}
}

func (w *longWord) append(r rune) {
	p := property(r)
	w.properties |= p &^ classMask
	w.length += int64(utf8.RuneLen(r))
	if w.length <= maxSegment {
		w.start = utf8.AppendRune(w.start, r)
	}
	final, revoked := w.sigma.add(r)
	if revoked {
		w.batch[w.sigmaBatch]++ // ς becomes σ, which has the same length
		if w.sigmaKept < len(w.kept) {
			w.kept[w.sigmaKept]++
		}
	}
	if final {
		w.sigmaBatch, w.sigmaKept = len(w.batch)+1, len(w.kept)+1
		w.appendLower('ς')
		return
	}
	if p&changesCase == 0 {
		w.appendLower(r)
		return
	}
	if r == 'İ' { // the only code point whose lower case has two code points
		w.appendLower('i')
		w.appendLower('\u0307')
		return
	}
	w.appendLower(unicode.ToLower(r))
}

func (w *longWord) appendLower(r rune) {
	w.codePoints++
	w.batch = utf8.AppendRune(w.batch, r)
	w.cut = w.cut || len(w.kept)+utf8.RuneLen(r) > keptBytes
	if !w.cut {
		w.kept = utf8.AppendRune(w.kept, r)
	}
	if len(w.batch) >= batchBytes && !w.sigma.open {
		w.flush()
	}
}

func (w *longWord) flush() {
	w.digest.Write(w.batch) // a hash never fails
	w.batch = w.batch[:0]
}

// isShort reports whether start is the entire segment.
func (w *longWord) isShort() bool { return w.length <= maxSegment }

// key returns the key of the word in the tables.
func (w *longWord) key() []byte {
	w.flush()
	return w.digest.Sum(append(w.kept, digestMark))
}

// clone returns an independent copy.
func (w *longWord) clone() (*longWord, error) {
	digest, err := w.digest.(hash.Cloner).Clone()
	if err != nil {
		return nil, err
	}
	c := *w
	c.start = append([]byte(nil), w.start...)
	c.kept = append([]byte(nil), w.kept...)
	c.digest = digest
	c.batch = append(make([]byte, 0, cap(w.batch)), w.batch...)
	return &c, nil
}
