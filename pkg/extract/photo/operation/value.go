package operation

import (
	"fmt"
	"strconv"
	"strings"
)

// Ratio is a ratio of width to height, such as 3:2. Both are from 1 to 100.
type Ratio struct{ Width, Height int }

// ParseRatio parses W:H.
func ParseRatio(s string) (Ratio, error) {
	left, right, found := strings.Cut(s, ":")
	w, errW := strconv.Atoi(left)
	h, errH := strconv.Atoi(right)
	if !found || errW != nil || errH != nil || min(w, h) < 1 || max(w, h) > 100 {
		return Ratio{}, fmt.Errorf("%q is not a ratio such as 16:9", s)
	}
	return Ratio{w, h}, nil
}

// String returns the ratio as W:H, or "" for the zero value.
func (r Ratio) String() string {
	if r == (Ratio{}) {
		return ""
	}
	return strconv.Itoa(r.Width) + ":" + strconv.Itoa(r.Height)
}

// MarshalText implements encoding.TextMarshaler.
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It accepts what MarshalText returns.
func (r *Ratio) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*r = Ratio{}
		return nil
	}
	*r, err = ParseRatio(string(text))
	return err
}

// Color is an opaque color as #rrggbb, in lower case.
type Color string

// names maps the color names used in descriptions to their CSS values.
var names = map[string]Color{
	"black": "#000000", "white": "#ffffff", "gray": "#808080", "grey": "#808080", "red": "#ff0000", "orange": "#ffa500",
	"yellow": "#ffff00", "green": "#008000", "turquoise": "#40e0d0", "blue": "#0000ff", "purple": "#800080", "pink": "#ffc0cb",
	"brown": "#8b4513", "beige": "#f5f5dc",
}

// colorNames states the names in messages.
const colorNames = "one of black, white, gray, red, orange, yellow, green, turquoise, blue, purple, pink, brown, beige"

// ParseColor parses the name of a color or #RRGGBB.
func ParseColor(s string) (Color, error) {
	lower := strings.ToLower(s)
	if c, ok := names[lower]; ok {
		return c, nil
	}
	digits, found := strings.CutPrefix(lower, "#")
	if _, err := strconv.ParseUint(digits, 16, 24); err != nil || !found || len(digits) != 6 {
		return "", fmt.Errorf("%q is not a color: use #RRGGBB or %s", s, colorNames)
	}
	return Color(lower), nil
}

// RGB returns the channels of the color. It must be valid or empty, which is black.
func (c Color) RGB() [3]byte {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(c), "#"), 16, 24)
	if err != nil {
		return [3]byte{}
	}
	return [3]byte{byte(n >> 16), byte(n >> 8), byte(n)}
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Color) UnmarshalText(text []byte) (err error) {
	*c, err = ParseColor(string(text))
	return err
}
