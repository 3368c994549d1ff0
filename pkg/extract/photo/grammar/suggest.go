package grammar

import (
	"cmp"
	"slices"
	"strings"
)

// Limits of suggestions, which bound the time for prompts that are not instructions.
const (
	maxSuggestions = 3
	maxSuggested   = 80 // bytes of a part
)

// suggest returns a prompt in the wording of the documentation for what was not understood, or "" if nothing is near.
func suggest(unknown []string) string {
	var all []string
	for _, part := range unknown[:min(len(unknown), maxSuggestions)] {
		if len(part) > maxSuggested {
			continue
		}
		for _, l := range languages() {
			if prompt := l.suggest(part); prompt != "" {
				all = append(all, prompt)
				break
			}
		}
	}
	return strings.Join(all, ", ")
}

// suggest corrects typing errors, then leaves out the words that are not known, then uses the verb alone.
func (l *language) suggest(part string) string {
	tokens := scan(part)
	corrected := slices.Clone(tokens)
	for _, t := range l.resolve(tokens) {
		at := slices.IndexFunc(corrected, func(c token) bool { return c.start == t.start })
		if t.symbol == "?" && corrected[at].word != "" {
			corrected[at].word = l.nearest(t.word)
		}
	}
	known := l.resolve(corrected)
	if slices.ContainsFunc(known, func(t token) bool { return slices.Contains([]string{"NOT", "NO", "OR", "REMOVE"}, t.symbol) }) {
		return ""
	}
	if prompt := asPrompt(known); prompt != "" {
		return prompt
	}
	known = slices.DeleteFunc(known, func(t token) bool { return t.symbol == "?" })
	if prompt := asPrompt(known); prompt != "" {
		return prompt
	}
	for _, t := range known {
		switch t.symbol {
		case "ROTATE":
			return "rotate 90"
		case "STRAIGHTEN":
			return "straighten 2"
		case "CROP":
			return "crop 1:1"
		case "RESIZE", "SHRINK":
			return "resize 1600"
		case "ENLARGE":
			return "enlarge 200%"
		case "FLIP":
			return "flip horizontal"
		case "WATERMARK":
			return `watermark "text"`
		case "BRIGHT", "BRIGHTNESS":
			return "brighten 20%"
		case "DARK":
			return "darken 20%"
		case "CONTRAST":
			return "contrast 20%"
		case "SATURATION", "VIVID":
			return "saturate 20%"
		case "DESATURATE":
			return "saturate -20%"
		case "SHARP":
			return "sharpen"
		case "DENOISE":
			return "denoise"
		}
	}
	return ""
}

// asPrompt returns the steps of the tokens as a prompt, or "" if they are not understood completely.
func asPrompt(tokens []token) string {
	var phrases []string
	for _, sentence := range sentences(tokens) {
		for i, r := range understand(sentence) {
			if !r.ok && !sentence[i].empty() {
				return ""
			}
			for _, s := range r.steps {
				phrases = append(phrases, s.Prompt())
			}
		}
	}
	return strings.Join(phrases, ", ")
}

// nearest returns the word of the language with the fewest typing errors from word: at most one, or two in words with more
// than seven letters. It returns word if there is none.
func (l *language) nearest(word string) string {
	most := 1
	if len(word) > 7 {
		most = 2
	}
	best, errors := word, most+1
	for candidate, symbol := range l.symbols {
		if len(word) < 4 || symbol == "FILL" || strings.Contains(candidate, " ") {
			continue
		}
		if n := distance(word, candidate, most); n < errors || n == errors && n <= most && before(candidate, best) {
			best, errors = candidate, n
		}
	}
	return best
}

// before orders candidates with equally many errors: letters are more often missing than added.
func before(a, b string) bool { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) < 0 }

// distance returns the number of letters to insert, delete, replace or swap, or more than most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var earlier, previous []int
	current := make([]int, len(b)+1)
	for j := range current {
		current[j] = j
	}
	for i := range len(a) {
		earlier, previous, current = previous, current, make([]int, len(b)+1)
		current[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			current[j+1] = min(previous[j+1]+1, current[j]+1, previous[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				current[j+1] = min(current[j+1], earlier[j-1]+1)
			}
		}
	}
	return current[len(b)]
}
