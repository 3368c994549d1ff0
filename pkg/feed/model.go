package feed

import (
	"fmt"
	"slices"
)

// ModelVersion names all that decides the result of an analysis: the rules, the lexicon and the
// detection of languages. It changes when any text gets another result.
const ModelVersion = "v1.2.0"

// CompareModels returns -1, 0 or 1 as the model version a is older than b, equal or newer. Both have
// the form v1.0.0; any other text is older than all versions.
func CompareModels(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

// numbers returns the numbers of a model version, nil for a text of another form.
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
