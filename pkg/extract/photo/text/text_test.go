package text_test

import (
	"bytes"
	"image"
	"math"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/text"
)

func load(t *testing.T) *text.Fonts {
	t.Helper()
	f, err := text.Load()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func line(t *testing.T, f *text.Fonts, s string) *text.Line {
	t.Helper()
	l, missing := f.Line(s)
	if l == nil || len(missing) > 0 {
		t.Fatalf("%q: got missing characters %q, want none", s, missing)
	}
	return l
}

// TestShaping compares the width of shaped texts with that of hb-shape 6.0.0 and the same fonts, in thousandths of the font
// size. Joined letters, ligatures and marks have other widths than the letters of which they consist.
func TestShaping(t *testing.T) {
	f := load(t)
	for s, want := range map[string]float64{
		"Tiếng Việt AVATAR ffi": 9595, "مرحبا بالعالم": 4818, "السلام عليكم": 4937, "שָׁלוֹם": 2227, "क्षत्रिय हिन्दी": 4257, "น้ำ ที่นี่": 2501,
		"日本カメラ": 5000, "摄影简体": 4000, "대한민국": 3680, "\u1112\u1161\u11ab": 920,
	} {
		if got := 1000 * line(t, f, s).Width; math.Abs(got-want) > 1 {
			t.Errorf("%q: got a width of %.1f, want %.0f", s, got, want)
		}
	}
}

// TestOrder checks the order of the words of texts with both directions, by the parts of which the picture consists from
// left to right (UAX #9).
func TestOrder(t *testing.T) {
	f := load(t)
	for s, parts := range map[string][]string{
		"אב":         {"ב", "א"},
		"ab אב":      {"ab ", "ב", "א"},
		"אב ab":      {"ab", " ", "ב", "א"},
		"א 12 ב":     {"ב", " 12 ", "א"},
		"x א 12 ב y": {"x ", "ב", " 12 ", "א", " y"},
		"日本 א (ab)":  {"日本 ", "א", " (ab)"},
	} {
		got, size, at := line(t, f, s).Mask(40), 40.0, 0.0
		want := image.NewAlpha(got.Rect)
		for _, part := range parts {
			l := line(t, f, part)
			m := l.Mask(size)
			shift := int(math.Round(at))
			for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
				for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
					if v := m.AlphaAt(x, y); v.A > 0 {
						want.SetAlpha(x+shift, y, v)
					}
				}
			}
			at += l.Width * size
		}
		different := 0
		for i, v := range got.Pix {
			if d := int(v) - int(want.Pix[i]); d > 160 || d < -160 { // the parts begin at whole pixels
				different++
			}
		}
		if different > 3*len(got.Pix)/100 {
			t.Errorf("%q: %d of %d pixels differ from %q", s, different, len(got.Pix), parts)
		}
	}
}

// TestMissing checks that characters without a glyph are named, once each, and that characters without a shape are not.
func TestMissing(t *testing.T) {
	f := load(t)
	for s, want := range map[string][]rune{
		"a 😀✓😀": {'😀', '✓'}, "அ": {'அ'}, "\U00020000": {'\U00020000'}, "a\u200db\ufe0f\u00ad": nil, "a\tb\n": nil, "": nil, "☃日": {'☃'},
		"क\u200dष \u200fא": nil, "a\u202eb1\u202c": {0x202e, 0x202c},
	} {
		l, missing := f.Line(s)
		if !slices.Equal(missing, want) || (l == nil) != (len(want) > 0) {
			t.Errorf("%q: got %q, want %q", s, missing, want)
		}
	}
}

// TestHanForms checks that Han characters have the forms of the language that the text shows.
func TestHanForms(t *testing.T) {
	f := load(t)
	mask := func(s string) []byte { return line(t, f, s).Mask(60).Pix }
	last := func(s string) []byte { // the picture of the last character of three
		m := line(t, f, s).Mask(60)
		var part []byte
		for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
			for x := 125; x < 175; x++ {
				part = append(part, m.AlphaAt(x, y).A)
			}
		}
		return part
	}
	if bytes.Equal(last("のの直"), last("这这直")) {
		t.Error("直 has the same form in Japanese and Chinese, want different forms")
	}
	if bytes.Equal(mask("日本"), mask("山川")) {
		t.Error("日本 and 山川 have the same picture, want different pictures")
	}
}

// TestMaskContainsGlyphs checks that no glyph touches the edge of its mask, at several sizes.
func TestMaskContainsGlyphs(t *testing.T) {
	f := load(t)
	for _, s := range []string{"ÅÇgjf", "ที่นี่ฏู", "اللّٰه", "क्ष्म्य", "龍"} {
		for _, size := range []float64{10, 33.3, 400} {
			m := line(t, f, s).Mask(size)
			for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
				if m.AlphaAt(x, m.Rect.Min.Y).A|m.AlphaAt(x, m.Rect.Max.Y-1).A != 0 {
					t.Errorf("%q at %.1f: a glyph touches the upper or lower edge", s, size)
					break
				}
			}
		}
	}
}
