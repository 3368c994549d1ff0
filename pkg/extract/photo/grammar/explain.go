package grammar

import (
	"strings"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// Plan is what a prompt and options ask for.
type Plan struct {
	Steps      []Explained `json:"steps" doc:"in the order in which they are applied"`
	Unknown    []string    `json:"unknown" doc:"the parts of the prompt that are not understood, as written; they are skipped"`
	Suggestion string      `json:"suggestion,omitempty" doc:"the nearest prompt that is understood instead of the unknown parts"`
}

// Explained is a step with its description.
type Explained struct {
	operation.Step
	Description string `json:"description" doc:"the step in plain words with the values that apply"`
}

// Explain returns what Parse understands of a prompt, with the steps for options that the prompt does not override. It
// returns the same error as Parse.
func Explain(prompt string, options operation.Options) (Plan, error) {
	steps, unknown, err := Parse(prompt)
	if err != nil {
		return Plan{}, err
	}
	if strings.TrimSpace(prompt) == "" && len(options.Operations) > 0 {
		steps = nil // only the operations
	}
	plan := Plan{Steps: []Explained{}, Unknown: []string{}}
	if len(unknown) > 0 {
		plan.Suggestion = suggest(unknown)
	}
	if len(unknown) == 0 || len(steps) > 0 { // otherwise the prompt is refused
		more, invalid := options.Complete(steps)
		steps, unknown = more, append(unknown, invalid...)
	}
	for _, s := range steps {
		plan.Steps = append(plan.Steps, Explained{Step: s, Description: s.Describe()})
	}
	plan.Unknown = append(plan.Unknown, unknown...)
	return plan, nil
}
