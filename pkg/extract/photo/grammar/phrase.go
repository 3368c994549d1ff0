package grammar

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fixed maps the phrases without arguments to their steps.
var fixed = map[string]Step{
	"enhance": {Op: Enhance}, "auto enhance": {Op: Enhance},
	"auto levels": {Op: Levels}, "levels": {Op: Levels},
	"auto white balance": {Op: WhiteBalance}, "white balance": {Op: WhiteBalance},
	"black and white": {Op: Monochrome}, "grayscale": {Op: Monochrome}, "sepia": {Op: Sepia},
	"remove background": {Op: RemoveBackground}, "blur background": {Op: BlurBackground},
	"flip horizontal": {Op: Flip}, "flip vertical": {Op: Flip, Vertical: true},
	"rotate 90": {Op: Rotate, Degrees: 90}, "rotate 180": {Op: Rotate, Degrees: 180}, "rotate 270": {Op: Rotate, Degrees: 270},
}

// percents maps operations to their default percentages.
var percents = map[Op]int{Brighten: 20, Darken: 20, Contrast: 20, Saturate: 20, Warm: 20, Cool: 20}

var strengths = map[string]Strength{"light": Light, "medium": Medium, "strong": Strong}

func (p phrase) step() (Step, bool) {
	if len(p.words) == 0 {
		return Step{}, false
	}
	op, rest := Op(p.words[0]), p.words[1:]
	if (op == Watermark) != (p.quoted != "") {
		return Step{}, false
	}
	if step, ok := fixed[strings.Join(p.words, " ")]; ok {
		return step, true
	}
	if percent, ok := percents[op]; ok {
		return percentage(op, percent, rest)
	}
	switch op {
	case Sharpen, Denoise, Blur:
		return strength(op, rest)
	case Crop:
		return crop(rest)
	case Fit, "resize":
		return fit(rest)
	case As:
		return as(rest)
	case Background:
		return background(rest)
	case Watermark:
		return Step{Op: Watermark, Text: p.quoted}, len(rest) == 0 && utf8.RuneCountInString(p.quoted) <= 80
	}
	return Step{}, false
}

func percentage(op Op, percent int, rest []string) (Step, bool) {
	rest = without(rest, "by")
	if len(rest) == 0 {
		return Step{Op: op, Percent: percent}, true
	}
	n, ok := number(strings.TrimSuffix(rest[0], "%"), 1, 100)
	return Step{Op: op, Percent: n}, ok && (len(rest) == 1 || len(rest) == 2 && rest[1] == "%")
}

func strength(op Op, rest []string) (Step, bool) {
	if len(rest) == 0 {
		return Step{Op: op}, true
	}
	s, ok := strengths[rest[0]]
	return Step{Op: op, Strength: s}, ok && len(rest) == 1
}

// crop parses W:H, optionally followed by "to faces" or "to subject".
func crop(rest []string) (Step, bool) {
	rest = without(rest, "to")
	if len(rest) == 0 {
		return Step{}, false
	}
	w, h, ok := Ratio(rest[0])
	rest = without(rest[1:], "to")
	switch {
	case len(rest) == 1 && (rest[0] == "faces" || rest[0] == "face"):
		return Step{Op: Crop, Width: w, Height: h, Faces: true}, ok
	case len(rest) == 1 && rest[0] == "subject":
		return Step{Op: Crop, Width: w, Height: h, Subject: true}, ok
	default:
		return Step{Op: Crop, Width: w, Height: h}, ok && len(rest) == 0
	}
}

// colors maps the color names used in descriptions to their CSS values.
var colors = map[string][3]byte{
	"black": {0, 0, 0}, "white": {255, 255, 255}, "gray": {128, 128, 128}, "grey": {128, 128, 128}, "red": {255, 0, 0},
	"orange": {255, 165, 0}, "yellow": {255, 255, 0}, "green": {0, 128, 0}, "turquoise": {64, 224, 208}, "blue": {0, 0, 255},
	"purple": {128, 0, 128}, "pink": {255, 192, 203}, "brown": {139, 69, 19}, "beige": {245, 245, 220},
}

// background parses a color, either a name or #RRGGBB.
func background(rest []string) (Step, bool) {
	if len(rest) != 1 {
		return Step{}, false
	}
	if color, ok := colors[rest[0]]; ok {
		return Step{Op: Background, Color: color}, true
	}
	digits, hex := strings.CutPrefix(rest[0], "#")
	n, err := strconv.ParseUint(digits, 16, 24)
	return Step{Op: Background, Color: [3]byte{byte(n >> 16), byte(n >> 8), byte(n)}}, hex && err == nil && len(digits) == 6
}

// Ratio parses W:H, two numbers from 1 to 100.
func Ratio(s string) (w, h int, ok bool) {
	left, right, found := strings.Cut(s, ":")
	w, okW := number(left, 1, 100)
	h, okH := number(right, 1, 100)
	return w, h, found && okW && okH
}

// fit parses W or WxH, in pixels.
func fit(rest []string) (Step, bool) {
	rest = without(rest, "to")
	if len(rest) > 1 && (rest[len(rest)-1] == "px" || rest[len(rest)-1] == "pixels") {
		rest = rest[:len(rest)-1]
	}
	if len(rest) == 3 && rest[1] == "x" {
		rest = []string{rest[0] + "x" + rest[2]}
	}
	if len(rest) != 1 {
		return Step{}, false
	}
	left, right, two := strings.Cut(strings.TrimSuffix(rest[0], "px"), "x")
	w, ok := number(left, 1, 20_000)
	if !two {
		return Step{Op: Fit, Width: w}, ok
	}
	h, okH := number(right, 1, 20_000)
	return Step{Op: Fit, Width: w, Height: h}, ok && okH
}

// as parses a format, optionally followed by "quality N".
func as(rest []string) (Step, bool) {
	rest = without(without(rest, "a"), "an")
	if len(rest) != 1 && (len(rest) != 3 || rest[1] != "quality") {
		return Step{}, false
	}
	step := Step{Op: As, Format: rest[0]}
	if step.Format == "jpg" {
		step.Format = "jpeg"
	}
	ok := slices.Contains([]string{"jpeg", "png", "webp"}, step.Format)
	if len(rest) == 3 {
		quality, fits := number(rest[2], 1, 100)
		step.Quality, ok = quality, ok && fits
	}
	return step, ok
}

// without removes word from the start of words.
func without(words []string, word string) []string {
	if len(words) > 0 && words[0] == word {
		return words[1:]
	}
	return words
}

func number(s string, least, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, false
	}
	return n, true
}
