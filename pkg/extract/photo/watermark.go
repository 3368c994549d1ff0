package photo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
)

const (
	logoPercent   = 20 // default length of the longer side of a logo
	watermarkFull = 85 // default opacity, in percent
	smallestText  = 10 // pixels
	// logoSide is the length to which the longer side of a logo is shrunk when it is decoded, in pixels.
	logoSide = 2048
)

// watermark draws a text or a logo.
func (e *edit) watermark(s operation.Step) error {
	s.Opacity, s.Gravity = cmp.Or(s.Opacity, watermarkFull), cmp.Or(s.Gravity, operation.Southeast)
	if s.Logo != "" {
		e.drawLogo(s)
		return nil
	}
	return e.drawText(s)
}

// drawText writes a line of text in white with a dark shadow. It is smaller if it would be too long for the photo.
func (e *edit) drawText(s operation.Step) error {
	fonts, err := e.fonts()
	if err != nil {
		return err
	}
	line, missing := fonts.Line(s.Text)
	if len(missing) > 0 {
		e.degrade("watermark not drawn: no font has " + quoted(missing))
		return nil
	}
	shorter := float64(min(e.Width(), e.Height()))
	size := max(shorter*float64(s.Percent)/100, smallestText)
	if s.Percent == 0 {
		size = max(shorter/30, smallestText)
	}
	margin := int(max(shorter/30, smallestText))
	if room := e.Width() - 2*margin; room > 0 && line.Width*size > float64(room) {
		size = float64(room) / line.Width
	}
	box := image.Pt(int(line.Width*size)+1, int((line.Ascent+line.Descent)*size)+1)
	at := e.inside(s.Gravity, box, margin).Add(image.Pt(0, int(line.Ascent*size)))
	mask, edge := line.Mask(size), max(int(size)/20, 1)
	for _, layer := range []struct {
		color   [3]byte
		opacity int
		move    int
	}{{[3]byte{}, s.Opacity * 2 / 3, edge}, {[3]byte{255, 255, 255}, s.Opacity, 0}} {
		e.Overlay(pixels.New(colored(mask, layer.color)), at.Add(mask.Rect.Min).Add(image.Pt(layer.move, layer.move)), layer.opacity)
	}
	return nil
}

// colored returns a picture of one color with the coverage of a mask.
func colored(mask *image.Alpha, color [3]byte) *image.NRGBA {
	m := image.NewNRGBA(image.Rectangle{Max: mask.Rect.Size()})
	for i, a := range mask.Pix {
		m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], m.Pix[4*i+3] = color[0], color[1], color[2], a
	}
	return m
}

// inside returns the upper left corner of a box with a gravity and a margin in the photo.
func (e *edit) inside(g operation.Gravity, box image.Point, margin int) image.Point {
	return place(g, e.size().Sub(image.Pt(2*margin, 2*margin)), box).Add(image.Pt(margin, margin))
}

// quoted names characters for users.
func quoted(characters []rune) string {
	const most = 10
	var names []string
	for _, r := range characters[:min(len(characters), most)] {
		names = append(names, fmt.Sprintf("%c (U+%04X)", r, r))
	}
	text := strings.Join(names, ", ")
	if more := len(characters) - most; more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return text
}

// logo is a decoded logo, or the reason why there is none.
type logo struct {
	*pixels.Picture
	problem string
}

// memory returns the bytes that the logo and its scaled copy use.
func (l logo) memory() int64 {
	if l.Picture == nil {
		return 0
	}
	const rgb = 4
	return 2 * rgb * int64(l.Width()) * int64(l.Height())
}

// logos decodes the logos of the steps, before the photo, so that no edit waits for memory while it holds some.
func (s *Studio) logos(ctx context.Context, steps []operation.Step, files map[string][]byte) (map[string]logo, error) {
	all := map[string]logo{}
	for _, step := range steps {
		if _, done := all[step.Logo]; step.Logo == "" || done {
			continue
		}
		data, ok := files[step.Logo]
		if !ok {
			all[step.Logo] = logo{problem: "it was not found"}
			continue
		}
		limits := s.config.Limits
		limits.Shortest = 0
		picture, release, err := s.decoder.Decode(ctx, data, limits)
		switch {
		case err == nil:
			picture.Fit(logoSide, logoSide)
			release()
			all[step.Logo] = logo{Picture: picture}
		case errors.Is(err, pixels.ErrFormat), errors.Is(err, pixels.ErrUnreadable), errors.Is(err, pixels.ErrTooLarge):
			all[step.Logo] = logo{problem: "it cannot be read"}
		default:
			return nil, err
		}
	}
	return all, nil
}

// drawLogo draws a logo, scaled to a share of the shorter side of the photo.
func (e *edit) drawLogo(s operation.Step) {
	l := e.logos[s.Logo]
	if l.Picture == nil {
		e.degrade(fmt.Sprintf("watermark not drawn: logo %s: %s", s.Logo, l.problem))
		return
	}
	shorter := min(e.Width(), e.Height())
	side := max(shorter*cmp.Or(s.Percent, logoPercent)/100, 1)
	drawn := l.Copy()
	drawn.Fit(side, side)
	if longer := max(drawn.Width(), drawn.Height()); longer < side {
		drawn.Enlarge((drawn.Width()*side+longer/2)/longer, (drawn.Height()*side+longer/2)/longer)
	}
	e.Overlay(drawn, e.inside(s.Gravity, image.Pt(drawn.Width(), drawn.Height()), shorter/30), s.Opacity)
}
