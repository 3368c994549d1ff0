// Package grammar parses the prompts of the local photo editor. A prompt is a list of instructions in one of six
// languages, in any wording that the rules cover and in no other: an instruction that is not certain is not understood.
// The files of lexicon map words to symbols, and the rules are patterns of symbols.
package grammar

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// MaxSteps is the maximum number of steps of a prompt.
const MaxSteps = operation.MaxList

// ErrTooManySteps is returned for a prompt with more than MaxSteps instructions.
const ErrTooManySteps = reason.PromptTooLong

// Phrases lists a phrase for each operation. Square brackets mark optional parts.
const Phrases = `enhance, auto levels, white balance, brighten [N%], darken [N%], contrast [N%], saturate [N%], ` +
	`warm [N%], cool [N%], sharpen [light|strong], denoise [light|strong], blur [light|strong], black and white, sepia, ` +
	`crop W:H [to faces|to subject], crop WxH px, resize W[xH], resize N%, enlarge N%, pad W:H [COLOR], rotate 90|180|270, ` +
	`straighten N, flip horizontal|vertical, remove background, background COLOR, blur background, ` +
	`watermark "text" [top left], as jpeg|png|webp|gif|avif [quality N]`

// Parse parses a prompt. An empty prompt means operation.Enhance. unknown contains the parts that Parse does not
// understand, as written. The only error is ErrTooManySteps.
func Parse(prompt string) (steps []operation.Step, unknown []string, err error) {
	best := parsed{}
	tokens := scan(prompt)
	bare := tokens
	if slices.ContainsFunc(tokens, func(t token) bool { return t.symbol == "QUOTED" }) {
		bare = scan(unquoted(prompt))
	}
	for i, l := range languages() {
		p := l.parse(prompt, tokens, bare)
		if i == 0 || cmp.Or(cmp.Compare(len(p.unknown), len(best.unknown)), cmp.Compare(len(best.steps), len(p.steps))) < 0 {
			best = p
		}
		if len(best.unknown) == 0 {
			break
		}
	}
	if n := len(best.steps) + len(best.unknown); n > MaxSteps {
		return nil, nil, ErrTooManySteps.With(reason.StepsLimit, n, MaxSteps)
	}
	if len(best.steps) == 0 && len(best.unknown) == 0 {
		if slices.ContainsFunc(tokens, func(t token) bool { return t.word != "" && t.word != "then" && t.word != "and" }) {
			return nil, []string{strings.TrimSpace(prompt)}, nil // words, but none for an edit
		}
		return []operation.Step{{Op: operation.Enhance}}, nil, nil
	}
	return best.steps, best.unknown, nil
}

// closing matches the quotes and brackets that belong to the text in front of them.
var closing = regexp.MustCompile(`^['"”’»)]+`)

// parsed is a prompt that was parsed in one language.
type parsed struct {
	steps   []operation.Step
	unknown []string
}

// parse parses the tokens of a prompt, or those without quotes if no text is to be drawn.
func (l *language) parse(prompt string, tokens, bare []token) (p parsed) {
	tokens = l.resolve(tokens)
	if !slices.ContainsFunc(tokens, func(t token) bool { return t.symbol == "WATERMARK" }) {
		tokens = l.resolve(bare)
	}
	for _, sentence := range sentences(tokens) {
		results := understand(sentence)
		for i := 0; i < len(results); i++ {
			if results[i].ok || sentence[i].empty() {
				p.steps = append(p.steps, results[i].steps...)
				continue
			}
			last := i
			for last+1 < len(results) && !results[last+1].ok && !sentence[last+1].empty() && sentence[last+1].link == "AND" {
				last++
			}
			text := prompt[sentence[i].start:sentence[last].end]
			if strings.ContainsAny(text, `'"“‘«(`) {
				text += closing.FindString(prompt[sentence[last].end:])
			}
			p.unknown = append(p.unknown, text)
			i = last
		}
	}
	return p
}

// unquoted replaces quotes with spaces, as many as they have bytes.
func unquoted(prompt string) string {
	return strings.NewReplacer(`"`, " ", "“", "   ", "”", "   ", "„", "   ", "«", "  ", "»", "  ").Replace(prompt)
}
