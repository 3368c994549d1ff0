package operation

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Prompt returns the step as a phrase of a prompt, such as "brighten 20%".
func (s Step) Prompt() string {
	switch phrase := s.Op.Phrase(); s.Op {
	case Brighten, Darken, Contrast, Saturate, Warm, Cool:
		return fmt.Sprintf("%s %d%%", phrase, s.percent())
	case Crop:
		if s.Gravity == Northwest && (s.X != 0 || s.Y != 0) {
			return fmt.Sprintf("%s %dx%d%+d%+d px", phrase, s.Width, s.Height, s.X, s.Y)
		}
		return words(phrase, s.size(), s.place())
	case Resize, Enlarge:
		return words(phrase, s.size())
	case Pad:
		return words(phrase, s.size(), string(s.Color))
	case Rotate, Straighten:
		return words(phrase, strconv.FormatFloat(s.Degrees, 'f', -1, 64))
	case Flip:
		if s.Vertical {
			return phrase + " vertical"
		}
		return phrase + " horizontal"
	case Watermark:
		text := `"` + s.Text + `"`
		if s.Logo != "" {
			text = "logo " + s.Logo
		}
		opacity := ""
		if s.Opacity > 0 {
			opacity = fmt.Sprintf("%d%% opacity", s.Opacity)
		}
		return words(phrase, text, s.place(), opacity)
	case Background:
		return words(phrase, string(s.Color))
	case Format:
		if s.Quality == 0 {
			return words(phrase, s.Format)
		}
		if s.Format == "" {
			return fmt.Sprintf("quality %d", s.Quality)
		}
		return words(phrase, s.Format, "quality", strconv.Itoa(s.Quality))
	default:
		return words(phrase, string(s.Strength))
	}
}

// percent returns the percentage of a change of tones.
func (s Step) percent() int { return cmp.Or(s.Percent, 20) }

// size returns the size of the step as in a prompt.
func (s Step) size() string {
	switch {
	case s.Percent > 0:
		return strconv.Itoa(s.Percent) + "%"
	case s.Ratio != Ratio{}:
		return s.Ratio.String()
	case s.Op == Crop:
		return fmt.Sprintf("%dx%d px", s.Width, s.Height)
	case s.Height == 0:
		return strconv.Itoa(s.Width)
	case s.Width == 0:
		return strconv.Itoa(s.Height) + " px high"
	}
	return fmt.Sprintf("%dx%d", s.Width, s.Height)
}

// place returns the gravity of the step as in a prompt, or "" for the default.
func (s Step) place() string {
	switch s.Gravity {
	case "":
		return ""
	case Faces, Subject:
		return "to " + string(s.Gravity)
	}
	return s.Gravity.side()
}

// side returns the place in words, such as "top left".
func (g Gravity) side() string {
	return strings.TrimSpace(strings.NewReplacer(
		"north", "top ", "south", "bottom ", "west", "left", "east", "right", "center", "center",
	).Replace(string(g)))
}

// words joins the words that are not empty.
func words(all ...string) string { return strings.Join(strings.Fields(strings.Join(all, " ")), " ") }
