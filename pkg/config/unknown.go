package config

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// names lists the variables of all programs and of docker-compose.yml, one per line. It is generated with
// docs/settings.md.
//
//go:embed names.txt
var names string

// ownPrefix is the prefix of the project's own variables.
const ownPrefix = "ASSAY_"

// Variables that no struct declares: those of the command line, and those of API keys, whose names can have a
// suffix such as _2.
var (
	unlisted = []string{"ASSAY_SERVER", "ASSAY_OPERATOR", "ASSAY_OWNER", "ASSAY_TOKEN", "ASSAY_PROFILE"}
	keys     = []string{"ASSAY_NEWSAPI_KEY", "ASSAY_GEMINI_KEY", "ASSAY_SEEDREAM_KEY"}
)

// maxDistance is the maximum edit distance of a suggested name.
const maxDistance = 3

// Unknown returns a sentence for each variable of an environment that begins with ASSAY_ and that neither
// a program of the project nor docker-compose.yml reads, with a suggestion for a similar name. also lists
// further variables of the calling program.
func Unknown(environ []string, also ...Variable) []string {
	known := slices.Concat(strings.Fields(names), unlisted, keys)
	for _, v := range also {
		known = append(known, v.Name)
	}
	var found []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		isKey := slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(name, key+"_") })
		if !strings.HasPrefix(name, ownPrefix) || isKey || slices.Contains(known, name) {
			continue
		}
		sentence := name + " is not a variable of Assay and has no effect"
		nearest, distance := "", maxDistance+1
		for _, candidate := range known {
			if d := edits(name, candidate); d < distance {
				nearest, distance = candidate, d
			}
		}
		if nearest != "" {
			sentence += fmt.Sprintf("; did you mean %s?", nearest)
		}
		found = append(found, sentence)
	}
	slices.Sort(found)
	return found
}

// edits returns the Levenshtein distance between two texts, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0] // value in the row above, one column to the left
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
