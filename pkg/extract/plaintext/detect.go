package plaintext

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/assay-project/assay/pkg/extract/charset"
)

const (
	// many is the part of a text, one character beyond ASCII in so many, that contradicts a declaration if
	// it is not defined in the declared charset.
	many = 20
	// A text with at least randomSize bytes beyond ASCII is not text if even the likeliest charset makes each
	// character cost randomBits, more than the rarest Chinese text.
	randomBits, randomSize = 15, 400
)

// detect returns the charset of a text that begins with head, after it has read all of it.
func detect(source io.Reader, head []byte, whole bool, says declaration) (Charset, error) {
	c, settled, err := choose(head, whole, says)
	if err != nil || settled && (c.How == Marked || c.How == Detected) {
		return c, err
	}
	var evidence charset.Evidence
	judges := []io.Writer{&evidence}
	var check *check
	if says.known && says.charset != charset.UTF8 && (settled || asciiBased(says.charset)) {
		check = newCheck(says.charset)
		judges = append(judges, check)
	}
	if _, err := io.CopyBuffer(io.MultiWriter(judges...), struct{ io.Reader }{source}, make([]byte, bufferSize)); err != nil {
		return Charset{}, err
	}
	utf := evidence.Valid > 0 && evidence.Invalid == 0
	switch {
	case check != nil && check.replaced == 0, check != nil && !utf && check.replaced*many <= check.characters:
		return newCharset(says.charset, Declared, ""), nil
	case says.known && says.charset == charset.UTF8 && evidence.Valid >= evidence.Invalid:
		return newCharset(charset.UTF8, Declared, ""), nil
	}
	guess := evidence.Guess()
	if guess.Bits >= randomBits && evidence.Invalid >= randomSize {
		return Charset{}, &NotTextError{Looks: "binary data"}
	}
	how := Detected
	if !guess.Certain {
		how = Assumed
	}
	c = newCharset(guess.Charset, how, says.other(guess.Charset))
	c.Rival = guess.Rival
	return c, nil
}

// check counts the characters beyond ASCII of a text in a charset, and those that it does not define. It is an
// io.Writer.
type check struct {
	decoder              *checkedDecoder
	all                  bool // ASCII counts, because the charset does not extend it
	rest, decoded        []byte
	characters, replaced int64
}

func newCheck(c charset.Charset) *check {
	k := &check{all: !asciiBased(c), decoded: make([]byte, 4*headSize)}
	k.decoder = &checkedDecoder{Transformer: c.Encoding.NewDecoder().Transformer, own: ownReplacement(c), replaced: &k.replaced}
	return k
}

// Write adds the next bytes of the text.
func (k *check) Write(p []byte) (int, error) {
	k.rest = append(k.rest, p...)
	for src := k.rest; ; {
		wrote, read, err := k.decoder.Transform(k.decoded, src, false)
		for _, b := range k.decoded[:wrote] {
			if (k.all || b >= utf8.RuneSelf) && utf8.RuneStart(b) {
				k.characters++
			}
		}
		src = src[read:]
		if err == nil || errors.Is(err, transform.ErrShortSrc) || read == 0 && wrote == 0 {
			k.rest = append(k.rest[:0], src...)
			return len(p), nil
		}
	}
}

// asciiBased reports whether the charset extends ASCII, so that its texts in ASCII look alike.
func asciiBased(c charset.Charset) bool {
	return !strings.HasPrefix(c.Name, "utf-16") && !strings.HasPrefix(c.Name, "utf-32") &&
		!slices.Contains([]string{"iso-2022-jp", "hz-gb-2312", "ibm037", "ibm1047", "ibm01140"}, c.Name)
}

// fits reports whether the first bytes of a text may be in a charset that does not extend ASCII. whole means that they
// are all of it.
func fits(c charset.Charset, head []byte, whole bool) bool {
	if strings.HasPrefix(c.Name, "utf-") && bytes.IndexByte(head, 0) < 0 && isUTF8(head, whole) {
		return false // almost never UTF-16, in which each ASCII character has a NUL
	}
	var replaced int64
	strict := &checkedDecoder{Transformer: c.Encoding.NewDecoder().Transformer, own: ownReplacement(c), strict: true, replaced: &replaced}
	_, _, err := transform.Bytes(strict, head)
	return err == nil
}

// isUTF8 reports whether a window of the text is valid UTF-8. A character that its end cuts is valid, unless the text
// ends there.
func isUTF8(window []byte, last bool) bool {
	if !last {
		window = window[:len(window)-len(cutCharacter(window))]
	}
	return utf8.Valid(window)
}

// decode returns head in UTF-8. A character cut by the end of head reads as U+FFFD.
func decode(c charset.Charset, head []byte) []byte {
	text, err := c.Encoding.NewDecoder().Bytes(head)
	if err != nil {
		return head
	}
	return text
}
