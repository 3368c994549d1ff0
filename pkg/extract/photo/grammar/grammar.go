// Package grammar parses the prompts of the local photo editor: case-insensitive English phrases,
// separated by commas, semicolons, periods, line breaks, "then" or "and". Phrases lists them.
package grammar

import (
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// MaxSteps is the maximum number of steps of a prompt.
const MaxSteps = operation.MaxList

// ErrTooManySteps is returned for a prompt with more than MaxSteps phrases.
const ErrTooManySteps = reason.PromptTooLong

// Phrases lists the supported phrases. Square brackets mark optional parts.
const Phrases = `enhance, auto levels, white balance, brighten [N%], darken [N%], contrast [N%], saturate [N%], ` +
	`warm [N%], cool [N%], sharpen [light|strong], denoise [light|strong], blur [light|strong], black and white, sepia, ` +
	`crop W:H [to faces|to subject], remove background, background COLOR, blur background, resize W[xH], fit W[xH], rotate 90|180|270, flip horizontal|vertical, watermark "text", ` +
	`as jpeg|png|webp|gif [quality N]`

// Parse parses a prompt. An empty prompt means operation.Enhance. unknown contains the phrases that Parse
// does not recognize, as written. The only error is ErrTooManySteps.
func Parse(prompt string) (steps []operation.Step, unknown []string, err error) {
	phrases := split(prompt)
	if len(phrases) == 0 {
		return []operation.Step{{Op: operation.Enhance}}, nil, nil
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
