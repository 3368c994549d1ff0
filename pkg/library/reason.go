package library

import "regexp"

// stepName precedes the reason of a step in the ErrorMessage of a file; see plan.Steps.Outcome.
var stepName = regexp.MustCompile(`(^|; )[a-z]+(/[0-9]+)?: `)

// WithoutSteps returns the ErrorMessage of a file without the names of the steps, which mean nothing to users.
func WithoutSteps(errorMessage string) string { return stepName.ReplaceAllString(errorMessage, "$1") }
