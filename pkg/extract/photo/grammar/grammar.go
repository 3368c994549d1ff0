// Package grammar parses the prompts of the local photo editor: case-insensitive English phrases,
// separated by commas, semicolons, periods, line breaks, "then" or "and". Phrases lists them.
package grammar

import (
	"strings"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// MaxSteps is the maximum number of steps of a prompt.
const MaxSteps = 12

// ErrTooManySteps is returned for a prompt with more than MaxSteps phrases.
const ErrTooManySteps = reason.PromptTooLong

// Phrases lists the supported phrases. Square brackets mark optional parts.
const Phrases = `enhance, auto levels, white balance, brighten [N%], darken [N%], contrast [N%], saturate [N%], ` +
	`warm [N%], cool [N%], sharpen [light|strong], denoise [light|strong], blur [light|strong], black and white, sepia, ` +
	`crop W:H [to faces|to subject], remove background, background COLOR, blur background, resize W[xH], fit W[xH], rotate 90|180|270, flip horizontal|vertical, watermark "text", ` +
	`as jpeg|png|webp [quality N]`

// Op is the operation of a step.
type Op string

// The operations.
const (
	Enhance      Op = "enhance"
	Levels       Op = "auto levels"
	WhiteBalance Op = "white balance"
	Brighten     Op = "brighten"
	Darken       Op = "darken"
	Contrast     Op = "contrast"
	Saturate     Op = "saturate"
	Warm         Op = "warm"
	Cool         Op = "cool"
	Sharpen      Op = "sharpen"
	Denoise      Op = "denoise"
	Blur         Op = "blur"
	Monochrome   Op = "black and white"
	Sepia        Op = "sepia"
	Crop         Op = "crop"
	Fit          Op = "fit"
	Rotate       Op = "rotate"
	Flip         Op = "flip"
	Watermark    Op = "watermark"
	As           Op = "as"

	RemoveBackground Op = "remove background"
	Background       Op = "background"
	BlurBackground   Op = "blur background"
)

// Strength is the strength of Sharpen, Denoise and Blur.
type Strength int

// The strengths. Medium is the default.
const (
	Light Strength = iota - 1
	Medium
	Strong
)

// Step is one phrase. Fields that its Op does not use are zero.
type Step struct {
	Op            Op
	Percent       int      // Brighten to Cool: 1 to 100
	Strength      Strength // Sharpen, Denoise, Blur
	Width, Height int      // Crop: the ratio, 1 to 100; Fit: pixels, 0 for unlimited
	Faces         bool     // Crop: center on the faces
	Subject       bool     // Crop: center on the people or the most prominent object
	Color         [3]byte  // Background: red, green, blue
	Degrees       int      // Rotate: 90, 180 or 270 degrees clockwise
	Vertical      bool     // Flip: mirror top to bottom
	Text          string   // Watermark: 1 to 80 characters
	Format        string   // As: jpeg, png, webp
	Quality       int      // As: 1 to 100; 0 if not given
}

// Parse parses a prompt. An empty prompt means Enhance. unknown contains the phrases that Parse
// does not recognize, as written. The only error is ErrTooManySteps.
func Parse(prompt string) (steps []Step, unknown []string, err error) {
	phrases := split(prompt)
	if len(phrases) == 0 {
		return []Step{{Op: Enhance}}, nil, nil
	}
	if len(phrases) > MaxSteps {
		return nil, nil, ErrTooManySteps.With(reason.StepsLimit, len(phrases), MaxSteps)
	}
	for _, p := range phrases {
		if step, ok := p.step(); ok {
			steps = append(steps, step)
		} else {
			unknown = append(unknown, p.written)
		}
	}
	return steps, unknown, nil
}

// phrase is a part of a prompt between two separators.
type phrase struct {
	written string
	words   []string // in lower case, without fillers
	quoted  string   // the quoted text
}

// fillers lists the words that are ignored.
var fillers = map[string]bool{"please": true, "the": true, "it": true, "image": true, "photo": true, "picture": true}

// split splits a prompt at separators outside quotes.
func split(prompt string) (all []phrase) {
	var current phrase
	var written []string
	end := func() {
		current.written = strings.Join(written, " ")
		if len(current.words) > 0 || current.quoted != "" {
			all = append(all, current)
		}
		current, written = phrase{}, nil
	}
	for i, part := range strings.Split(quotes.Replace(prompt), `"`) {
		if i%2 == 1 { // inside quotes
			current.quoted = strings.TrimSpace(part)
			written = append(written, `"`+current.quoted+`"`)
			continue
		}
		for _, word := range strings.Fields(separators.Replace(part)) {
			lower := strings.ToLower(word)
			switch {
			case lower == "and" && len(current.words) > 0 && current.words[len(current.words)-1] == "black":
				written, current.words = append(written, word), append(current.words, lower)
			case lower == ";" || lower == "and" || lower == "then":
				end()
			default:
				written = append(written, word)
				if !fillers[lower] {
					current.words = append(current.words, lower)
				}
			}
		}
	}
	end()
	return all
}

var (
	quotes     = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`)
	separators = strings.NewReplacer(",", " ; ", ";", " ; ", "\n", " ; ", ". ", " ; ", "×", "x")
)
