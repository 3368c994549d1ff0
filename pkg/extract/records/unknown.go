package records

import (
	"fmt"
	"strings"
)

// An UnknownFieldError reports a name that no column has, and suggests others.
type UnknownFieldError struct {
	Name    string
	Columns []Column // existing columns
}

func (e *UnknownFieldError) Error() string {
	if name := nearest(e.Name, e.Columns); name != "" {
		return fmt.Sprintf("there is no field %q; did you mean %q?", e.Name, name)
	}
	return fmt.Sprintf("there is no field %q%s", e.Name, known(e.Columns))
}

// known lists some columns.
func known(columns []Column) string {
	var names []string
	for _, c := range columns {
		if len(names) == 10 {
			names = append(names, "…")
			break
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return "; the fields are " + strings.Join(names, ", ")
}

// maxCompared is the maximum length in bytes of a name that is compared with others.
const maxCompared = 64

// nearest returns the name of the column that differs from a name in the fewest letters, at most a third of them, or
// "" if there is none.
func nearest(name string, columns []Column) string {
	best, least := "", 1+max(1, len(name)/3)
	if len(name) > maxCompared {
		return ""
	}
	for _, c := range columns {
		if len(c.Name) > maxCompared {
			continue
		}
		if n := edits(strings.ToLower(name), strings.ToLower(c.Name)); n < least {
			best, least = c.Name, n
		}
	}
	return best
}

// edits returns the Levenshtein distance between two texts, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
