package text

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"

	"github.com/assay-project/assay/pkg/extract/packed"
)

//go:embed fonts/*.ttf.br
var files embed.FS

//go:embed fonts/LICENSE
var license string

//go:embed fonts/NOTICE
var notice string

// Notice returns the license of the fonts, which must be distributed with them.
func Notice() string { return strings.TrimSpace(notice + "\n" + license) }

// names are the fonts in the order in which they are tried. Those for Chinese, Japanese and Korean are last.
func names() []string {
	return []string{"latin", "hebrew", "arabic", "devanagari", "thai", "chinese", "japanese", "korean"}
}

// Fonts draws text. It is safe for concurrent use.
type Fonts struct {
	mu     sync.Mutex // the shaper and the faces have caches
	shaper shaping.HarfbuzzShaper
	all    map[string]*font.Face
}

// Load returns the fonts.
func Load() (*Fonts, error) {
	f := &Fonts{all: map[string]*font.Face{}}
	var chinese []byte
	for _, name := range names() {
		var base []byte
		if name == "japanese" || name == "korean" {
			base = chinese // has many glyphs of these fonts
		}
		data, face, err := load(name, base)
		if err != nil {
			return nil, fmt.Errorf("loading the font %s: %w", name, err)
		}
		if name == "chinese" {
			chinese = data
		}
		f.all[name] = face
	}
	return f, nil
}

// load returns a font and its file, which was compressed relative to base.
func load(name string, base []byte) ([]byte, *font.Face, error) {
	file, err := files.ReadFile("fonts/" + name + ".ttf.br")
	if err != nil {
		return nil, nil, err
	}
	data, err := packed.Brotli(file, base)
	if err != nil {
		return nil, nil, err
	}
	face, err := font.ParseTTF(bytes.NewReader(data))
	if err == nil {
		listCoverages(face.Font)
	}
	return data, face, err
}

// faces returns the fonts for a text in the order in which they are tried. Han characters have different forms in Chinese,
// Japanese and Korean, which the other characters of the text tell: kana are Japanese, and hangul are Korean. Without them,
// or if the Chinese font lacks a character, it is that of the first font with all of the characters.
func (f *Fonts) faces(text []rune) fallback {
	order := []string{"chinese", "japanese", "korean"}
	switch {
	case contains(text, unicode.Hiragana, unicode.Katakana):
		order = []string{"japanese", "chinese", "korean"}
	case contains(text, unicode.Hangul):
		order = []string{"korean", "japanese", "chinese"}
	case contains(text, unicode.Han) && !f.hasAll("chinese", text) && f.hasAll("japanese", text):
		order = []string{"japanese", "chinese", "korean"}
	}
	var faces fallback
	for _, name := range append(names()[:5:5], order...) {
		faces = append(faces, f.all[name])
	}
	return faces
}

// hasAll reports whether a font has all Han characters of a text.
func (f *Fonts) hasAll(name string, text []rune) bool {
	for _, r := range text {
		if _, ok := f.all[name].NominalGlyph(r); !ok && unicode.Is(unicode.Han, r) {
			return false
		}
	}
	return true
}

func contains(text []rune, scripts ...*unicode.RangeTable) bool {
	for _, r := range text {
		if unicode.In(r, scripts...) {
			return true
		}
	}
	return false
}

// fallback selects the first face that has a character. It implements shaping.Fontmap.
type fallback []*font.Face

// ResolveFace implements shaping.Fontmap.
func (f fallback) ResolveFace(r rune) *font.Face {
	for _, face := range f {
		if _, ok := face.NominalGlyph(r); ok {
			return face
		}
	}
	return f[0]
}
