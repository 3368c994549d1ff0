package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/services/query/search"
)

// maxFormats is the maximum number of formats in a response.
const maxFormats = 20

// Groups counts hits by their properties.
type Groups struct{ kind, format, year map[string]int }

// NewGroups returns no counts.
func NewGroups() Groups { return Groups{map[string]int{}, map[string]int{}, map[string]int{}} }

// Add adds a group from the result of found. properties are the number of a kind, a year and a format, which may be
// empty, separated by spaces.
func (g Groups) Add(properties string, count int) error {
	number, rest, _ := strings.Cut(properties, " ")
	year, format, _ := strings.Cut(rest, " ")
	kind, err := strconv.Atoi(number)
	if err != nil || kind >= len(Kinds) {
		return search.ErrDamaged
	}
	g.kind[Kinds[kind]] += count
	g.year[year] += count
	if format != "" {
		g.format[format] += count
	}
	return nil
}

// Facets returns the counts: kinds in the order of Kinds, formats by frequency, and years in ascending order.
func (g Groups) Facets() search.Facets {
	f := search.Facets{
		Type: sorted(g.kind, func(a, b search.Count) int { return slices.Index(Kinds, a.Value) - slices.Index(Kinds, b.Value) }),
		Format: sorted(g.format, func(a, b search.Count) int {
			return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
		}),
		Year: sorted(g.year, func(a, b search.Count) int { return strings.Compare(a.Value, b.Value) }),
	}
	f.Format = f.Format[:min(len(f.Format), maxFormats)]
	return f
}

func sorted(counts map[string]int, order func(a, b search.Count) int) []search.Count {
	all := make([]search.Count, 0, len(counts))
	for value, count := range counts {
		all = append(all, search.Count{Value: value, Count: count})
	}
	slices.SortFunc(all, order)
	return all
}
