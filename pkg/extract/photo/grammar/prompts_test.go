package grammar_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// prompt is a line of testdata: how people ask for an edit, and what it means.
type prompt struct {
	text    string
	steps   []operation.Step
	unknown []string
}

// prompts reads a file of testdata. The second column is a prompt in the wording of the documentation; a question mark
// introduces a part of the text that must not be understood.
func prompts(t *testing.T, name string) (all []prompt) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		p := prompt{text: strings.ReplaceAll(fields[0], `\n`, "\n")}
		for part := range strings.SplitSeq(fields[1], "; ") {
			if unknown, found := strings.CutPrefix(part, "?"); found {
				p.unknown = append(p.unknown, unknown)
			} else if part != "" {
				p.steps = append(p.steps, canonical(t, part))
			}
		}
		all = append(all, p)
	}
	return all
}

// canonical parses a phrase of the documentation.
func canonical(t *testing.T, phrase string) operation.Step {
	t.Helper()
	steps, unknown, err := grammar.Parse(phrase)
	if err != nil || len(unknown) > 0 || len(steps) != 1 {
		t.Fatalf("Parse(%q) = %+v, unknown %q, %v; want one step", phrase, steps, unknown, err)
	}
	return steps[0]
}

// right reports whether a prompt does exactly what it asks for.
func (p prompt) right(t *testing.T) bool {
	t.Helper()
	steps, unknown, err := grammar.Parse(p.text)
	if err == nil && reflect.DeepEqual(steps, p.steps) && reflect.DeepEqual(unknown, p.unknown) {
		return true
	}
	t.Logf("%q: got %+v, unknown %q, %v; want %+v, unknown %q", p.text, steps, unknown, err, p.steps, p.unknown)
	return false
}

// TestPrompts measures the share of prompts of others that do exactly what they ask for. The third column is the source:
// requests that people wrote for photos in public data sets, and the documentation, tests and issues of public tools. The
// rules were written with development.tsv only; heldout.tsv measures them.
func TestPrompts(t *testing.T) {
	for _, name := range []string{"development.tsv", "heldout.tsv"} {
		right, all := 0, prompts(t, name)
		for _, p := range all {
			if p.right(t) {
				right++
			}
		}
		t.Logf("%s: %d of %d", name, right, len(all))
		if len(all) < 150 || 10*right < 9*len(all) {
			t.Errorf("%s: %d of %d prompts do exactly what they ask for, want 90 %% of at least 150", name, right, len(all))
		}
	}
}

// TestWordings parses all wordings of the rules.
func TestWordings(t *testing.T) {
	for _, name := range []string{"wordings.tsv", "languages.tsv"} {
		all := prompts(t, name)
		for _, p := range all {
			if !p.right(t) {
				t.Errorf("%s: %q is not understood as it is meant", name, p.text)
			}
		}
		if len(all) < 100 {
			t.Errorf("%s: got %d wordings, want at least 100", name, len(all))
		}
	}
}

// TestRefused checks that nothing is done for requests for a part of a photo, for edits that do not exist, and for what must
// not be done.
func TestRefused(t *testing.T) {
	for _, p := range prompts(t, "refused.tsv") {
		if steps, unknown, err := grammar.Parse(p.text); err != nil || len(steps) > 0 || len(unknown) == 0 {
			t.Errorf("Parse(%q) = %+v, unknown %q, %v; want no step", p.text, steps, unknown, err)
		}
	}
}

// TestFullStop checks that a full stop at the end, at the end of a line and in front of a closing quote changes nothing.
func TestFullStop(t *testing.T) {
	var phrases []string
	for _, name := range []string{"wordings.tsv", "languages.tsv", "development.tsv"} {
		for _, p := range prompts(t, name) {
			if !strings.HasSuffix(p.text, ".") {
				phrases = append(phrases, p.text)
			}
		}
	}
	phrases = append(phrases, documented()...)
	for _, phrase := range phrases {
		want, unknown, err := grammar.Parse(phrase)
		if err != nil {
			t.Fatal(err)
		}
		forms := []string{phrase + ".", phrase + ". ", phrase + ".\n", phrase + "!", phrase + ".)"}
		if !strings.ContainsAny(phrase, `"“«`) {
			forms = append(forms, `"`+phrase+`."`)
		}
		for _, form := range forms {
			got, gotUnknown, err := grammar.Parse(form)
			if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotUnknown, unknown) {
				t.Errorf("Parse(%q) = %+v, unknown %q, %v; want %+v, unknown %q", form, got, gotUnknown, err, want, unknown)
			}
		}
	}
}

// TestPhrases checks that each phrase of the documentation is understood.
func TestPhrases(t *testing.T) {
	ops := map[operation.Op]bool{}
	for _, phrase := range documented() {
		ops[canonical(t, phrase).Op] = true
	}
	for _, op := range operation.Ops() {
		if !ops[op] {
			t.Errorf("no phrase for the operation %s", op)
		}
	}
}

// documented returns the phrases of grammar.Phrases with and without their optional parts.
func documented() (all []string) {
	values := strings.NewReplacer("W[xH]", "800x600", "WxH", "800x600", "W:H", "4:5", "COLOR", "white", "N%", "50%", "enlarge N", "enlarge 150", "N", "10")
	for phrase := range strings.SplitSeq(grammar.Phrases, ", ") {
		phrase = values.Replace(strings.Replace(phrase, "enlarge N%", "enlarge 150%", 1))
		all = append(all, alternatives(phrase)...)
	}
	return all
}

// alternatives expands the optional parts in square brackets, and the choices a|b, of a phrase.
func alternatives(phrase string) (all []string) {
	if before, rest, found := strings.Cut(phrase, " ["); found {
		inside, after, _ := strings.Cut(rest, "]")
		all = alternatives(before + after)
		for choice := range strings.SplitSeq(inside, "|") {
			all = append(all, alternatives(before+" "+choice+after)...)
		}
		return all
	}
	before, choices := "", phrase
	if at := strings.LastIndex(phrase[:strings.Index(phrase+"|", "|")], " "); at >= 0 {
		before, choices = phrase[:at+1], phrase[at+1:]
	}
	choices, after, _ := strings.Cut(choices, " ")
	for choice := range strings.SplitSeq(choices, "|") {
		all = append(all, strings.TrimSpace(before+choice+" "+after))
	}
	return all
}
