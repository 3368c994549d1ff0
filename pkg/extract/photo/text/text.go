// Package text draws a line of text in any of the scripts of its fonts: Latin, Greek, Cyrillic, Vietnamese, Hebrew, Arabic,
// Devanagari, Thai, and Chinese, Japanese and Korean with the characters of everyday texts. It shapes the text with
// HarfBuzz's rules and orders it by the Unicode bidirectional algorithm. The fonts are parts of Noto Sans; the target wasm
// of the Makefile fetches them.
package text

import (
	"image"
	"slices"
	"unicode"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
	"golang.org/x/text/unicode/norm"
)

// unit is the size in which text is shaped, in pixels. Lines are scaled when they are drawn, so that their parts have the
// same proportions at every size.
const unit = 1000

// Line is a line of text. Its measures are those of a font size of 1 pixel.
type Line struct {
	// Width is the advance of the text. Ascent and Descent are the extents of its glyphs above and below the baseline,
	// both positive, but at least those of an X.
	Width, Ascent, Descent float64
	glyphs                 []glyph
}

// glyph is the outline of a glyph in units of its font, and its position.
type glyph struct {
	outline []opentype.Segment
	scale   float64 // size of a unit of the font
	x, y    float64
}

// Line shapes a line. missing contains the characters that no font has, without repetitions; the line is nil if there are any.
// Control characters count as spaces. Characters that override the direction of the text are not supported: they count as
// missing.
func (f *Fonts) Line(s string) (line *Line, missing []rune) {
	f.mu.Lock()
	defer f.mu.Unlock()
	runes := []rune(norm.NFC.String(s))
	for i, r := range runes {
		switch {
		case unicode.IsControl(r):
			runes[i] = ' '
		case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			missing = append(missing, r)
		}
	}
	if len(missing) > 0 {
		return nil, slices.Compact(missing)
	}
	faces := f.faces(runes)
	line = &Line{Ascent: 0.73}
	for _, run := range visual(runes, faces) {
		out := f.shaper.Shape(run)
		for _, g := range out.Glyphs {
			if g.GlyphID == 0 {
				missing = append(missing, runes[g.TextIndex():g.TextIndex()+g.RunesCount()]...)
			}
			line.add(out.Face, g)
		}
	}
	if missing = without(missing, faces); len(missing) > 0 {
		return nil, missing
	}
	return line, nil
}

// without returns the characters that no face has. Others are missing only as part of a cluster.
func without(runes []rune, faces []*font.Face) (missing []rune) {
	for _, r := range runes {
		has := func(face *font.Face) bool { _, ok := face.NominalGlyph(r); return ok }
		if !slices.Contains(missing, r) && !slices.ContainsFunc(faces, has) {
			missing = append(missing, r)
		}
	}
	if len(missing) == 0 {
		return slices.Compact(runes)
	}
	return missing
}

func (l *Line) add(face *font.Face, g shaping.Glyph) {
	const scale = 1.0 / (unit * 64)
	place := glyph{scale: 1 / float64(face.Upem()), x: l.Width + float64(g.XOffset)*scale, y: -float64(g.YOffset) * scale}
	if outline, ok := face.GlyphData(g.GlyphID).(font.GlyphOutline); ok {
		place.outline = outline.Segments
		l.glyphs = append(l.glyphs, place)
	}
	l.Ascent = max(l.Ascent, float64(g.YBearing+g.YOffset)*scale)
	l.Descent = max(l.Descent, -float64(g.YBearing+g.YOffset+g.Height)*scale)
	l.Width += float64(g.Advance) * scale
}

// Mask draws the line in a font size, in pixels, and returns its coverage. The baseline begins at (0, 0) of the mask, whose
// bounds contain all glyphs.
func (l *Line) Mask(size float64) *image.Alpha {
	const margin = 0.3 // for glyphs that extend beyond their advance, in font sizes
	left, top := int(-margin*size)-1, int(-l.Ascent*size)-2
	right, bottom := int((l.Width+margin)*size)+1, int(l.Descent*size)+1
	m := image.NewAlpha(image.Rect(left, top, right+1, bottom+1))
	r := vector.NewRasterizer(m.Rect.Dx(), m.Rect.Dy())
	for _, g := range l.glyphs {
		at := func(p opentype.SegmentPoint) (float32, float32) {
			return float32((g.x+float64(p.X)*g.scale)*size - float64(left)), float32((g.y-float64(p.Y)*g.scale)*size - float64(top))
		}
		for _, s := range g.outline {
			ax, ay := at(s.Args[0])
			bx, by := at(s.Args[1])
			cx, cy := at(s.Args[2])
			switch s.Op {
			case opentype.SegmentOpMoveTo:
				r.ClosePath()
				r.MoveTo(ax, ay)
			case opentype.SegmentOpLineTo:
				r.LineTo(ax, ay)
			case opentype.SegmentOpQuadTo:
				r.QuadTo(ax, ay, bx, by)
			case opentype.SegmentOpCubeTo:
				r.CubeTo(ax, ay, bx, by, cx, cy)
			}
		}
		r.ClosePath()
	}
	r.Draw(m, m.Rect, image.Opaque, image.Point{})
	return m
}

// visual splits a text into runs of one direction, script and face, in the order from left to right.
func visual(text []rune, faces fallback) []shaping.Input {
	type part struct {
		shaping.Input
		level bidi.Level
	}
	var paragraph bidi.Paragraph
	var segmenter shaping.Segmenter
	var parts []part
	begin, highest := 0, bidi.Level(0)
	for i, runs := 0, paragraph.Segment(text, bidi.Neutral); i < runs.NumRuns(); i++ {
		run := runs.Run(i)
		in := shaping.Input{Text: text, RunStart: begin, RunEnd: run.End, Direction: di.DirectionLTR, Size: fixed.I(unit)}
		if !run.IsLeftToRight() {
			in.Direction = di.DirectionRTL
		}
		for _, in := range segmenter.Split(in, faces) {
			parts = append(parts, part{in, run.Level})
		}
		begin, highest = run.End, max(highest, run.Level)
	}
	for level := highest; level > 0; level-- { // rule L2 of UAX #9
		for i := 0; i < len(parts); i++ {
			end := i
			for end < len(parts) && parts[end].level >= level {
				end++
			}
			slices.Reverse(parts[i:end])
			i = max(i, end-1)
		}
	}
	var runs []shaping.Input
	for _, p := range parts {
		runs = append(runs, p.Input)
	}
	return runs
}
