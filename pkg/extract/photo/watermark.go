package photo

import (
	"fmt"
	"image"
	"image/color"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// watermark writes a line of text into the lower right corner, in white with a dark outline. Its
// height is a thirtieth of the shorter side, or less if the text would be too long.
func watermark(p *pixels.Picture, text string) error {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return fmt.Errorf("parsing the font: %w", err)
	}
	size := max(float64(min(p.Width(), p.Height()))/30, 10)
	margin := int(size)
	face, width, err := sized(parsed, size, text)
	if err != nil {
		return err
	}
	if room := p.Width() - 2*margin; width > room && room > 0 {
		if face, width, err = sized(parsed, size*float64(room)/float64(width), text); err != nil {
			return err
		}
	}
	m := p.NRGBA()
	edge := max(int(size)/20, 1)
	at := image.Pt(max(p.Width()-margin-width, 0), p.Height()-margin)
	for _, layer := range []struct {
		color color.NRGBA
		move  image.Point
	}{
		{color.NRGBA{A: 140}, image.Pt(edge, edge)},
		{color.NRGBA{R: 255, G: 255, B: 255, A: 217}, image.Point{}},
	} {
		d := font.Drawer{Dst: m, Src: image.NewUniform(layer.color), Face: face, Dot: fixed.P(at.X+layer.move.X, at.Y+layer.move.Y)}
		d.DrawString(text)
	}
	return nil
}

func sized(f *opentype.Font, size float64, text string) (font.Face, int, error) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, 0, fmt.Errorf("scaling the font: %w", err)
	}
	return face, font.MeasureString(face, text).Ceil(), nil
}
