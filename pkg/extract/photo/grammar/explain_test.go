package grammar_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// TestExplain describes steps with the values that apply, and names what is not understood.
func TestExplain(t *testing.T) {
	plan, err := grammar.Explain("brighten slightly, crop to square, make it pop", operation.Options{Width: 800, Format: "webp", AspectRatio: "3:2"})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range plan.Steps {
		texts = append(texts, s.Description)
	}
	want := []string{"Brighten by 10 %.", "Crop to a ratio of 1:1 around the center.", "Shrink to at most a width of 800 pixels.", "Save as WEBP."}
	if !slices.Equal(texts, want) || !slices.Equal(plan.Unknown, []string{"make it pop"}) || plan.Suggestion != "" {
		t.Errorf("got %q, unknown %q, suggestion %q; want %q, unknown [make it pop], no suggestion", texts, plan.Unknown, plan.Suggestion, want)
	}
	sepia := []operation.Step{{Op: operation.Sepia}}
	if plan, err := grammar.Explain(" ", operation.Options{Operations: sepia}); err != nil || len(plan.Steps) != 1 || plan.Steps[0].Op != operation.Sepia {
		t.Errorf("with operations only: got %+v, %v; want sepia", plan, err)
	}
	if _, err := grammar.Explain(strings.Repeat("sepia, ", grammar.MaxSteps+1), operation.Options{}); !errors.Is(err, grammar.ErrTooManySteps) {
		t.Errorf("with too many steps: got %v, want %v", err, grammar.ErrTooManySteps)
	}
}

// TestSuggestion checks that the nearest phrase is suggested, and none for what must not be done.
func TestSuggestion(t *testing.T) {
	for prompt, want := range map[string]string{
		"brigten":                 "brighten 20%",
		"rotate 45":               "rotate 90",
		"brighten the sky":        "brighten 20%",
		"brighten by 150%":        "brighten 20%",
		"level the horizon":       "straighten 2",
		"rotate the photo":        "rotate 90",
		"sharpn, convert to webb": "sharpen, as webp",
		"Helligkeit":              "brighten 20%",
		"don't crop":              "",
		"remove the dog":          "",
		"hello":                   "",
	} {
		plan, err := grammar.Explain(prompt, operation.Options{})
		if err != nil || plan.Suggestion != want || len(plan.Steps) > 0 {
			t.Errorf("Explain(%q): got %d steps, suggestion %q, %v; want none, suggestion %q", prompt, len(plan.Steps), plan.Suggestion, err, want)
		}
		if steps, unknown, err := grammar.Parse(plan.Suggestion); err != nil || len(unknown) > 0 {
			t.Errorf("Parse(%q) = %+v, unknown %q, %v; want no unknown part", plan.Suggestion, steps, unknown, err)
		}
	}
}

// TestStepPrompt checks that the phrase for each step is parsed to that step, and that the step has a description.
func TestStepPrompt(t *testing.T) {
	for _, name := range []string{"wordings.tsv", "languages.tsv", "development.tsv", "heldout.tsv"} {
		for _, p := range prompts(t, name) {
			for _, s := range p.steps {
				got, unknown, err := grammar.Parse(s.Prompt())
				if err != nil || len(unknown) > 0 || !reflect.DeepEqual(got, []operation.Step{s}) {
					t.Errorf("Parse(%q) = %+v, unknown %q, %v; want %+v", s.Prompt(), got, unknown, err, s)
				}
				if text := s.Describe(); len(text) < 5 || !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
					t.Errorf("got text %q of %+v, want a sentence", text, s)
				}
			}
		}
	}
}
