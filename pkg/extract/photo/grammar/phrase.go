package grammar

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// fixed maps the phrases without arguments to their steps.
var fixed = map[string]operation.Step{
	"enhance": {Op: operation.Enhance}, "auto enhance": {Op: operation.Enhance},
	"auto levels": {Op: operation.Levels}, "levels": {Op: operation.Levels},
	"auto white balance": {Op: operation.WhiteBalance}, "white balance": {Op: operation.WhiteBalance},
	"black and white": {Op: operation.Grayscale}, "grayscale": {Op: operation.Grayscale}, "sepia": {Op: operation.Sepia},
	"remove background": {Op: operation.RemoveBackground}, "blur background": {Op: operation.BlurBackground},
	"flip horizontal": {Op: operation.Flip}, "flip vertical": {Op: operation.Flip, Vertical: true},
	"rotate 90": {Op: operation.Rotate, Degrees: 90}, "rotate 180": {Op: operation.Rotate, Degrees: 180}, "rotate 270": {Op: operation.Rotate, Degrees: 270},
}

// percents maps operations to their default percentages.
var percents = map[operation.Op]int{operation.Brighten: 20, operation.Darken: 20, operation.Contrast: 20, operation.Saturate: 20, operation.Warm: 20, operation.Cool: 20}

var strengths = map[string]operation.Strength{"light": operation.Light, "medium": operation.Medium, "strong": operation.Strong}

func (p phrase) step() (operation.Step, bool) {
	if len(p.words) == 0 {
		return operation.Step{}, false
	}
	op, rest := operation.Op(p.words[0]), p.words[1:]
	if (op == operation.Watermark) != (p.quoted != "") {
		return operation.Step{}, false
	}
	if step, ok := fixed[strings.Join(p.words, " ")]; ok {
		return step, true
	}
	if percent, ok := percents[op]; ok {
		return percentage(op, percent, rest)
	}
	switch op {
	case operation.Sharpen, operation.Denoise, operation.Blur:
		return strength(op, rest)
	case operation.Crop:
		return crop(rest)
	case operation.Resize, "fit":
		return fit(rest)
	case "as":
		return as(rest)
	case operation.Background:
		return background(rest)
	case operation.Watermark:
		return operation.Step{Op: operation.Watermark, Text: p.quoted}, len(rest) == 0 && utf8.RuneCountInString(p.quoted) <= 80
	}
	return operation.Step{}, false
}

func percentage(op operation.Op, percent int, rest []string) (operation.Step, bool) {
	rest = without(rest, "by")
	if len(rest) == 0 {
		return operation.Step{Op: op, Percent: percent}, true
	}
	n, ok := number(strings.TrimSuffix(rest[0], "%"), 1, 100)
	return operation.Step{Op: op, Percent: n}, ok && (len(rest) == 1 || len(rest) == 2 && rest[1] == "%")
}

func strength(op operation.Op, rest []string) (operation.Step, bool) {
	if len(rest) == 0 {
		return operation.Step{Op: op}, true
	}
	s, ok := strengths[rest[0]]
	return operation.Step{Op: op, Strength: s}, ok && len(rest) == 1
}

// crop parses W:H, optionally followed by "to faces" or "to subject".
func crop(rest []string) (operation.Step, bool) {
	rest = without(rest, "to")
	if len(rest) == 0 {
		return operation.Step{}, false
	}
	ratio, err := operation.ParseRatio(rest[0])
	step, rest := operation.Step{Op: operation.Crop, Ratio: ratio}, without(rest[1:], "to")
	switch {
	case len(rest) == 1 && (rest[0] == "faces" || rest[0] == "face"):
		step.Gravity = operation.Faces
	case len(rest) == 1 && rest[0] == "subject":
		step.Gravity = operation.Subject
	case len(rest) > 0:
		return operation.Step{}, false
	}
	return step, err == nil
}

// background parses a color, either a name or #RRGGBB.
func background(rest []string) (operation.Step, bool) {
	if len(rest) != 1 {
		return operation.Step{}, false
	}
	color, err := operation.ParseColor(rest[0])
	return operation.Step{Op: operation.Background, Color: color}, err == nil
}

// fit parses W or WxH, in pixels.
func fit(rest []string) (operation.Step, bool) {
	rest = without(rest, "to")
	if len(rest) > 1 && (rest[len(rest)-1] == "px" || rest[len(rest)-1] == "pixels") {
		rest = rest[:len(rest)-1]
	}
	if len(rest) == 3 && rest[1] == "x" {
		rest = []string{rest[0] + "x" + rest[2]}
	}
	if len(rest) != 1 {
		return operation.Step{}, false
	}
	left, right, two := strings.Cut(strings.TrimSuffix(rest[0], "px"), "x")
	w, ok := number(left, 1, 20_000)
	if !two {
		return operation.Step{Op: operation.Resize, Width: w}, ok
	}
	h, okH := number(right, 1, 20_000)
	return operation.Step{Op: operation.Resize, Width: w, Height: h}, ok && okH
}

// as parses a format, optionally followed by "quality N".
func as(rest []string) (operation.Step, bool) {
	rest = without(without(rest, "a"), "an")
	if len(rest) != 1 && (len(rest) != 3 || rest[1] != "quality") {
		return operation.Step{}, false
	}
	step := operation.Step{Op: operation.Format, Format: rest[0]}
	if step.Format == "jpg" {
		step.Format = "jpeg"
	}
	ok := slices.Contains([]string{"jpeg", "png", "webp", "gif"}, step.Format)
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
