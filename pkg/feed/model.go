package feed

import (
	"fmt"
	"slices"
)

// ModelVersion identifies everything that determines the result of an analysis: rules, lexicon and
// language detection. It must be changed whenever the result for any text changes.
const ModelVersion = "v1.3.0"

// CompareModels returns -1, 0 or 1 if the model version a is older than, equal to or newer than b.
// Both have the form v1.0.0; any other text is older than all versions.
func CompareModels(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

// numbers returns the numbers in a model version, or nil if the text has a different form.
func numbers(version string) []int {
	n := make([]int, 3)
	if _, err := fmt.Sscanf(version, "v%d.%d.%d", &n[0], &n[1], &n[2]); err != nil || !modelVersions.MatchString(version) {
		return nil
	}
	return n
}

// Outdated reports whether an older model than the current one analyzed the item.
func (i Item) Outdated() bool {
	return i.Status == Analyzed && CompareModels(i.ModelVersion, ModelVersion) < 0
}
