package operation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of steps.
const (
	MaxList = 12 // steps of a list or of a prompt

	// DefaultPercent is the strength of Brighten to Cool if Percent is 0.
	DefaultPercent = 20

	maxText    = 80     // characters
	maxLogo    = 64     // bytes
	maxSide    = 20_000 // pixels
	maxEnlarge = 1000   // percent
	maxAngle   = 45     // degrees of Straighten
)

// Formats returns the formats that Format can select: those that package pixels can write.
func Formats() []string { return []string{"jpeg", "png", "webp", "gif", "avif"} }

// Gravities returns the places that Pad and Watermark accept. Crop also accepts Faces and Subject.
func Gravities() []Gravity {
	return []Gravity{Center, North, Northeast, East, Southeast, South, Southwest, West, Northwest}
}

// Violation is an error in one field. Field is the name in the JSON form.
type Violation struct{ Field, Message string }

// Check returns the violations in a list of steps. The fields are of the form "[2].percent", or "" for the list.
func Check(steps []Step) (found []Violation) {
	if len(steps) > MaxList {
		return []Violation{{"", fmt.Sprintf("has %d steps; at most %d are allowed", len(steps), MaxList)}}
	}
	for i, s := range steps {
		for _, v := range s.Check() {
			found = append(found, Violation{"[" + strconv.Itoa(i) + "]." + v.Field, v.Message})
		}
	}
	return found
}

// Check returns the violations in a step: a field that its Op requires and that is zero, a field that its Op does not use,
// and values out of range.
func (s Step) Check() []Violation {
	if !slices.Contains(Ops(), s.Op) {
		return []Violation{{"op", "is not one of " + join(Ops())}}
	}
	c := check{Step: s}
	c.fields()
	c.ranges()
	switch s.Op {
	case Crop:
		c.oneOf("aspectRatio", "width or height")
	case Resize, Enlarge:
		c.oneOf("percent", "width or height")
	case Pad:
		c.oneOf("percent", "aspectRatio", "width or height")
	case Watermark:
		c.oneOf("text", "logo")
	case Rotate, Straighten:
		c.require("degrees", s.Degrees != 0)
	case Background:
		c.require("color", s.Color != "")
	case Format:
		if s.Format == "" && s.Quality == 0 {
			c.wrong("format", "is required, or quality")
		}
	}
	if s.Op == Crop && s.Ratio != (Ratio{}) && (s.X != 0 || s.Y != 0) {
		c.wrong("x", "and y apply to a crop with a width or height only")
	}
	return c.found
}

// uses returns the fields that an operation uses, by their names in the JSON form.
func (o Op) uses() []string {
	switch o {
	case Brighten, Darken, Contrast, Saturate, Warm, Cool:
		return []string{"percent"}
	case Sharpen, Denoise, Blur, BlurBackground:
		return []string{"strength"}
	case Crop:
		return []string{"aspectRatio", "width", "height", "x", "y", "gravity"}
	case Resize, Enlarge:
		return []string{"percent", "width", "height"}
	case Pad:
		return []string{"percent", "aspectRatio", "width", "height", "gravity", "color"}
	case Rotate, Straighten:
		return []string{"degrees"}
	case Flip:
		return []string{"vertical"}
	case Watermark:
		return []string{"text", "logo", "gravity", "opacity", "percent"}
	case Background:
		return []string{"color"}
	case Format:
		return []string{"format", "quality"}
	}
	return nil
}

// check collects the violations in a step.
type check struct {
	Step
	found []Violation
}

func (c *check) wrong(field, format string, args ...any) {
	c.found = append(c.found, Violation{field, fmt.Sprintf(format, args...)})
}

func (c *check) require(field string, given bool) {
	if !given {
		c.wrong(field, "is required by %s", c.Op)
	}
}

// given returns the names of the fields that are not zero, except op.
func (c *check) given() (names []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"percent", c.Percent != 0}, {"strength", c.Strength != ""}, {"aspectRatio", c.Ratio != Ratio{}},
		{"width", c.Width != 0}, {"height", c.Height != 0}, {"x", c.X != 0}, {"y", c.Y != 0}, {"gravity", c.Gravity != ""},
		{"color", c.Color != ""}, {"degrees", c.Degrees != 0}, {"vertical", c.Vertical}, {"text", c.Text != ""},
		{"logo", c.Logo != ""}, {"opacity", c.Opacity != 0}, {"format", c.Format != ""}, {"quality", c.Quality != 0},
	} {
		if f.given {
			names = append(names, f.name)
		}
	}
	return names
}

func (c *check) fields() {
	for _, name := range c.given() {
		if uses := c.Op.uses(); !slices.Contains(uses, name) {
			message := "has no fields other than op"
			if len(uses) > 0 {
				message = "has " + strings.Join(uses, ", ")
			}
			c.wrong(name, "is not a field of %s, which %s", c.Op, message)
		}
	}
}

// oneOf requires exactly one of several fields.
func (c *check) oneOf(fields ...string) {
	given, n := c.given(), 0
	for _, f := range fields {
		if slices.ContainsFunc(strings.Split(f, " or "), func(name string) bool { return slices.Contains(given, name) }) {
			n++
		}
	}
	first, _, _ := strings.Cut(fields[0], " or ")
	switch {
	case n == 0:
		c.wrong(first, "is required, or %s", strings.Join(fields[1:], ", or "))
	case n > 1:
		c.wrong(first, "excludes the others of %s: state one", strings.Join(fields, "; "))
	}
}

// ranges checks the values of the fields that are not zero.
func (c *check) ranges() {
	low, high := 1, 100
	switch c.Op {
	case Contrast, Saturate:
		low = -100
	case Enlarge:
		low, high = 101, maxEnlarge
	}
	c.between("percent", c.Percent, low, high)
	c.between("width", c.Width, 1, maxSide)
	c.between("height", c.Height, 1, maxSide)
	c.between("x", c.X, -maxSide, maxSide)
	c.between("y", c.Y, -maxSide, maxSide)
	c.between("opacity", c.Opacity, 1, 100)
	c.between("quality", c.Quality, 1, 100)
	member(c, "strength", c.Strength, []Strength{Light, Medium, Strong})
	member(c, "format", c.Format, Formats())
	places := Gravities()
	if c.Op == Crop {
		places = append(places, Faces, Subject)
	}
	member(c, "gravity", c.Gravity, places)
	if r := c.Ratio; r != (Ratio{}) && (min(r.Width, r.Height) < 1 || max(r.Width, r.Height) > 100) {
		c.wrong("aspectRatio", "is not a ratio such as 16:9")
	}
	if c.Color != "" {
		if _, err := ParseColor(string(c.Color)); err != nil {
			c.wrong("color", "is not a color: use #RRGGBB or %s", colorNames)
		}
	}
	switch {
	case c.Op == Rotate && c.Degrees != 0 && !slices.Contains([]float64{90, 180, 270}, c.Degrees):
		c.wrong("degrees", "is not 90, 180 or 270; use straighten for other angles")
	case c.Op == Straighten && !(c.Degrees >= -maxAngle && c.Degrees <= maxAngle): // also if it is not a number
		c.wrong("degrees", "is not between %d and %d", -maxAngle, maxAngle)
	}
	switch {
	case !utf8.ValidString(c.Text):
		c.wrong("text", "is not UTF-8")
	case c.Text != "" && strings.TrimSpace(c.Text) == "":
		c.wrong("text", "is blank")
	case utf8.RuneCountInString(c.Text) > maxText:
		c.wrong("text", "is longer than %d characters", maxText)
	}
	if len(c.Logo) > maxLogo {
		c.wrong("logo", "is not the ID of a photo")
	}
}

func (c *check) between(field string, n, low, high int) {
	if n != 0 && (n < low || n > high) {
		c.wrong(field, "is not between %d and %d", low, high)
	}
}

func member[T ~string](c *check, field string, value T, allowed []T) {
	if value != "" && !slices.Contains(allowed, value) {
		c.wrong(field, "is not one of %s", join(allowed))
	}
}

func join[T ~string](values []T) string {
	var all []string
	for _, v := range values {
		all = append(all, string(v))
	}
	return strings.Join(all, ", ")
}
