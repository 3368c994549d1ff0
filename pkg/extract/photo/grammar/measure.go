package grammar

import (
	"math"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// maxSide is the maximum of a width or height in a prompt, in pixels.
const maxSide = 20_000

// pixels returns a number of pixels.
func pixels(n float64) (int, bool) { return int(n), n == math.Trunc(n) && n >= 1 && n <= maxSide }

// dimensions sets the width and height of a step.
func dimensions(c *clause, s *operation.Step) bool {
	size := c.first("SIZE")
	switch {
	case c.has("HD"):
		s.Width, s.Height = 1280, 720
	case c.has("FULLHD"):
		s.Width, s.Height = 1920, 1080
	case c.has("UHD"):
		s.Width, s.Height = 3840, 2160
	case size.symbol != "":
		var okW, okH bool
		s.Width, okW = pixels(size.value)
		s.Height, okH = pixels(size.height)
		return okW && okH
	default:
		return side(c, s)
	}
	return true
}

// side sets the width, the height, or both if the number is the maximum of any side.
func side(c *clause, s *operation.Step) bool {
	number := c.first("PX", "N")
	n, ok := pixels(number.value)
	switch {
	case c.has("HIGH"):
		s.Height = n
	case c.has("LONGEST"), c.has("MAX") && !c.has("WIDE"):
		s.Width, s.Height = n, n
	default:
		s.Width = n
	}
	return ok
}

// ratio returns the ratio that a clause names.
func ratio(c *clause) (operation.Ratio, bool) {
	switch t := c.first("RATIO", "SIZE", "SQUARE", "LANDSCAPE", "PORTRAIT", "WIDESCREEN", "STORY"); t.symbol {
	case "RATIO":
		r, err := operation.ParseRatio(t.text)
		return r, err == nil
	case "SIZE": // 4x5; larger numbers are pixels
		return operation.Ratio{Width: int(t.value), Height: int(t.height)}, !t.pixels && max(t.value, t.height) <= 21 && min(t.value, t.height) >= 1
	case "SQUARE":
		return operation.Ratio{Width: 1, Height: 1}, true
	case "LANDSCAPE":
		return operation.Ratio{Width: 3, Height: 2}, true
	case "PORTRAIT":
		return operation.Ratio{Width: 2, Height: 3}, true
	case "WIDESCREEN":
		return operation.Ratio{Width: 16, Height: 9}, true
	case "STORY":
		return operation.Ratio{Width: 9, Height: 16}, true
	}
	return operation.Ratio{}, false
}

// gravity returns the place that a clause names, or "".
func gravity(c *clause) operation.Gravity {
	if at := c.first("POS"); at.symbol != "" {
		return operation.Gravity(at.text)
	}
	switch c.first("FACES", "SUBJECT", "CENTER", "TOP", "BOTTOM", "LEFT", "RIGHT").symbol {
	case "FACES":
		return operation.Faces
	case "SUBJECT":
		return operation.Subject
	case "TOP":
		return operation.North
	case "BOTTOM":
		return operation.South
	case "LEFT":
		return operation.West
	case "RIGHT":
		return operation.East
	case "CENTER":
		return operation.Center
	}
	return ""
}

// crop accepts a ratio or a size in pixels. Sizes that may be either are not certain.
func crop(c *clause) (operation.Step, bool) {
	step := operation.Step{Op: operation.Crop, Gravity: gravity(c)}
	if step.Gravity == operation.Center {
		step.Gravity = "" // the default
	}
	if r, ok := ratio(c); ok {
		step.Ratio = r
		return step, true
	}
	size := c.first("SIZE")
	if size.symbol == "" || !size.pixels && min(size.value, size.height) < 100 || !dimensions(c, &step) {
		return operation.Step{}, false
	}
	if size.x != 0 || size.y != 0 {
		step.X, step.Y, step.Gravity = int(size.x), int(size.y), operation.Northwest
	}
	return step, true
}

// square accepts "make it square", which is a crop.
func square(c *clause) (operation.Step, bool) {
	return operation.Step{Op: operation.Crop, Ratio: operation.Ratio{Width: 1, Height: 1}}, c.has("MAKE", "CHANGE", "TURN")
}

func resize(c *clause) (operation.Step, bool) {
	step := operation.Step{Op: operation.Resize}
	ok := dimensions(c, &step)
	named := c.has("RESIZE", "SHRINK", "MAKE", "WIDE", "HIGH", "LONGEST") || c.has("DOWN") && c.has("TO")
	if n := c.first("N"); n.symbol != "" && n.value <= 100 && !plainSize(c, n) {
		return operation.Step{}, false // a factor, or percent?
	}
	return step, ok && named
}

// plainSize reports whether a clause is "resize W" or "fit W" as documented, with at least 16 pixels.
func plainSize(c *clause, n token) bool {
	word := c.first("RESIZE").word
	return c.text() == "RESIZE N" && (word == "resize" || word == "fit") && n.value >= 16
}

// percent accepts the new size, or by how much to shrink.
func percent(c *clause) (operation.Step, bool) {
	p := c.first("PCT").value
	switch {
	case c.has("HALF"):
		p = 50
	case c.has("QUARTER"):
		p = 25
		if c.has("BY") {
			p = 75
		}
	case c.has("SHRINK", "DOWN") && c.has("BY"):
		p = 100 - p
	case (c.has("BY") || c.has("SHRINK", "DOWN") && !c.has("TO")) && p != 50:
		return operation.Step{}, false // "resize by 30%" may mean either
	case c.has("DOWN") && !c.has("TO"):
		return operation.Step{}, false
	}
	step := operation.Step{Op: operation.Resize, Percent: int(p)}
	if p > 100 {
		step.Op = operation.Enlarge
	}
	return step, p == math.Trunc(p) && p >= 1 && p <= 1000 && p != 100
}

// enlarge accepts a factor, the new size in percent, by how many percent to enlarge, or a size.
func enlarge(c *clause) (operation.Step, bool) {
	step := operation.Step{Op: operation.Enlarge}
	p := 0.0
	switch t := c.first("X", "PCT", "DOUBLE", "TRIPLE"); t.symbol {
	case "":
		return step, dimensions(c, &step)
	case "X":
		p = 100 * t.value
	case "DOUBLE":
		p = 200
	case "TRIPLE":
		p = 300
	case "PCT":
		p = t.value
		if c.has("BY") {
			p += 100
		}
	}
	step.Percent = int(p)
	return step, p == math.Trunc(p) && p > 100 && p <= 1000
}

// pad accepts a ratio, a size in pixels or a border in percent, with a color.
func pad(c *clause) (operation.Step, bool) {
	step := operation.Step{Op: operation.Pad}
	if color := c.first("COLOR"); color.symbol != "" {
		parsed, err := operation.ParseColor(color.text)
		if err != nil {
			return operation.Step{}, false
		}
		step.Color = parsed
	}
	if border := c.first("PCT"); border.symbol != "" {
		step.Percent = int(border.value)
		return step, border.value == math.Trunc(border.value) && border.value >= 1 && border.value <= 100
	}
	if r, ok := ratio(c); ok {
		step.Ratio = r
		return step, true
	}
	return step, dimensions(c, &step)
}

// watermark accepts a text in quotes, or "logo" and the ID of a photo, with a position and an opacity.
func watermark(c *clause) (operation.Step, bool) {
	step := operation.Step{Op: operation.Watermark, Text: c.first("QUOTED").text, Logo: c.first("ID").text, Gravity: gravity(c)}
	if step.Gravity == operation.Southeast {
		step.Gravity = "" // the default
	}
	if opacity := c.first("PCT"); opacity.symbol != "" {
		step.Opacity = int(opacity.value)
		if !c.has("OPACITY") || opacity.value < 1 || opacity.value > 100 || opacity.value != math.Trunc(opacity.value) {
			return operation.Step{}, false
		}
	}
	seen := map[string]bool{}
	for _, t := range c.tokens {
		if seen[t.symbol] {
			return operation.Step{}, false // two texts, or two places
		}
		seen[t.symbol] = true
	}
	places := 0
	for _, at := range []string{"POS", "TOP", "BOTTOM", "LEFT", "RIGHT", "CENTER"} {
		if seen[at] {
			places++
		}
	}
	one := (step.Text != "") != (step.Logo != "")
	return step, one && c.has("WATERMARK") && places <= 1 && utf8.RuneCountInString(step.Text) <= 80 && c.has("LOGO") == (step.Logo != "")
}
