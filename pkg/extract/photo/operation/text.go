package operation

import (
	"fmt"
	"strconv"
	"strings"
)

// Describe describes the step in a sentence for people, with the values that apply, such as "Brighten by 20 %."
func (s Step) Describe() string {
	text := s.description()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (s Step) description() string {
	switch s.Op {
	case Enhance:
		return "enhance: stretch the levels, saturate by 10 %, sharpen lightly"
	case Levels:
		return "stretch the brightness to the full range"
	case WhiteBalance:
		return "move the mean color halfway to gray"
	case Brighten, Darken:
		return fmt.Sprintf("%s by %d %%", s.Op, s.percent())
	case Contrast, Saturate:
		property := map[Op]string{Contrast: "contrast", Saturate: "saturation"}[s.Op]
		if s.Percent < 0 {
			return fmt.Sprintf("reduce the %s by %d %%", property, -s.Percent)
		}
		return fmt.Sprintf("increase the %s by %d %%", property, s.percent())
	case Warm, Cool:
		return fmt.Sprintf("make the colors %ser by %d %%", s.Op, s.percent())
	case Sharpen, Denoise, Blur:
		return string(s.Op) + s.strength()
	case Grayscale:
		return "convert to black and white"
	case Sepia:
		return "convert to sepia"
	case RemoveBackground:
		return "make everything except people transparent"
	case Background:
		return fmt.Sprintf("replace everything except people with the color %s", s.Color)
	case BlurBackground:
		return "blur everything except people" + s.strength()
	case Flip:
		if s.Vertical {
			return "mirror top to bottom"
		}
		return "mirror left to right"
	case Rotate:
		return "rotate by " + degrees(s.Degrees) + " clockwise"
	case Straighten:
		if s.Degrees < 0 {
			return "straighten by " + degrees(-s.Degrees) + " counterclockwise"
		}
		return "straighten by " + degrees(s.Degrees) + " clockwise"
	case Watermark:
		return s.watermark()
	case Format:
		return s.format()
	}
	return s.resized()
}

// resized describes the steps that change the size.
func (s Step) resized() string {
	size := fmt.Sprintf("%d × %d pixels", s.Width, s.Height)
	switch {
	case s.Ratio != Ratio{}:
		size = "a ratio of " + s.Ratio.String()
	case s.Percent > 0:
		size = strconv.Itoa(s.Percent) + " % of each side"
	case s.Height == 0:
		size = fmt.Sprintf("a width of %d pixels", s.Width)
	case s.Width == 0:
		size = fmt.Sprintf("a height of %d pixels", s.Height)
	}
	switch s.Op {
	case Crop:
		switch s.Gravity {
		case "", Center:
			return "crop to " + size + " around the center"
		case Faces, Subject:
			return "crop to " + size + " around the " + string(s.Gravity)
		}
		offset := ""
		if s.X != 0 || s.Y != 0 {
			offset = fmt.Sprintf(", moved %d pixels to the right and %d down", s.X, s.Y)
		}
		return "crop to " + size + " at the " + s.Gravity.side() + offset
	case Resize:
		if s.Percent > 0 {
			return "shrink to " + size
		}
		return "shrink to at most " + size
	case Pad:
		color := "white"
		if s.Color != "" {
			color = string(s.Color)
		}
		if s.Percent > 0 {
			return fmt.Sprintf("add a border of %d %% of the shorter side in %s", s.Percent, color)
		}
		return "pad to " + size + " in " + color
	}
	return string(s.Op) + " to " + size
}

func (s Step) watermark() string {
	place, opacity, text := "bottom right", 85, "write “"+s.Text+"”"
	if s.Gravity != "" {
		place = s.Gravity.side()
	}
	if s.Opacity > 0 {
		opacity = s.Opacity
	}
	if s.Logo != "" {
		text = "draw the photo " + s.Logo
	}
	return fmt.Sprintf("%s at the %s, %d %% opaque", text, place, opacity)
}

func (s Step) format() string {
	quality := ""
	if s.Quality > 0 {
		quality = fmt.Sprintf(" with quality %d", s.Quality)
	}
	if s.Format == "" {
		return "save" + quality
	}
	return "save as " + strings.ToUpper(s.Format) + quality
}

func (s Step) strength() string {
	switch s.Strength {
	case Light:
		return " lightly"
	case Strong:
		return " strongly"
	}
	return ""
}

// degrees returns an angle with its sign of degrees.
func degrees(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) + "°" }
