package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/records"
)

// example is a record with a value to predict.
type example struct {
	record int // index
	y      float64
	number bool // y is a number
	class  int8 // place of the value in targets.texts; -1 if it is none of them, minus if it is a minus sign
	has    bool // the record has a fingerprint
}

// minus is the class of a minus sign, which is a mark of a missing value unless the only other value is a plus sign.
const minus = -2

// targets collects the values to predict.
type targets struct {
	column   records.Column
	examples []example
	texts    []string  // the first distinct values, in lower case, without marks of missing values
	labels   []string  // as they are written
	numbers  []float64 // the first distinct numbers
}

// maxDistinct is the number of distinct values that are kept: one more than a classification has.
const maxDistinct = 3

// add adds a record, unless it has no value to predict.
func (t *targets) add(r *records.Record, has bool) {
	cell := strings.TrimSpace(r.Value(t.column))
	if cell == "" {
		return
	}
	e := example{record: r.Index, class: -1, has: has}
	at := cursor{-1, -1}
	n, missing, ok := at.number(newColumn(t.column), r)
	if missing && (cell != "-" || t.column.Type != records.Text || t.column.Numerical()) {
		return
	}
	if ok {
		e.y, e.number = n, true
		if len(t.numbers) < maxDistinct && !slices.Contains(t.numbers, n) {
			t.numbers = append(t.numbers, n)
		}
	}
	key := strings.ToLower(cell)
	e.class = int8(slices.Index(t.texts, key))
	switch {
	case missing:
		e.class = minus
	case e.class < 0 && len(t.texts) < maxDistinct:
		e.class = int8(len(t.texts))
		t.texts, t.labels = append(t.texts, key), append(t.labels, cell)
	}
	t.examples = append(t.examples, e)
}

// decide returns what to predict, sets y of the examples that have a value, and removes the others, which it counts.
func (t *targets) decide(candidates []string) (Target, map[Reason]int, error) {
	reject := func(problem string) (Target, map[Reason]int, error) {
		return Target{}, nil, &TargetError{t.column.Name, problem, candidates}
	}
	others := len(t.examples) // examples that are not numbers
	for _, e := range t.examples {
		if e.number {
			others--
		}
	}
	if slices.Equal(t.texts, []string{"+"}) {
		t.texts, t.labels = append(t.texts, "-"), append(t.labels, "-")
		for i := range t.examples {
			if t.examples[i].class == minus {
				t.examples[i].class = 1
			}
		}
	}
	out := Target{Column: newColumn(t.column)}
	byText := false
	switch {
	case len(t.examples) == 0:
		return reject("it has no values")
	case t.column.Type != records.Boolean && len(t.texts) == 2 && (others > 0 || !t.column.Numerical()):
		byText = true
	case !t.column.Numerical() && t.column.Type != records.Boolean && len(t.texts) > 2:
		return reject("its values are texts, more than two different ones")
	case len(t.numbers) < 2:
		return reject("all of its values are the same")
	}
	switch {
	case byText:
		out.Task, out.Classes = learn.Classification, ordered(t.labels)
	case len(t.numbers) == 2:
		slices.Sort(t.numbers)
		out.Task, out.Classes = learn.Classification, []string{format(t.numbers[0]), format(t.numbers[1])}
		if t.column.Type == records.Boolean {
			out.Classes = []string{"false", "true"}
		}
	default:
		out.Task = learn.Regression
	}
	return out, t.keep(out, byText), nil
}

// keep sets y of the examples and removes those without a value.
func (t *targets) keep(out Target, byText bool) map[Reason]int {
	excluded := map[Reason]int{}
	kept := t.examples[:0]
	for _, e := range t.examples {
		switch {
		case byText && e.class < 0:
			excluded[NoValue]++ // a mark such as NA
			continue
		case byText:
			e.y = 0
			if t.labels[e.class] == out.Classes[1] {
				e.y = 1
			}
		case !e.number:
			excluded[NotNumber]++
			continue
		case out.Task == learn.Classification:
			if e.y == t.numbers[0] {
				e.y = 0
			} else {
				e.y = 1
			}
		}
		kept = append(kept, e)
	}
	t.examples = kept
	return excluded
}

func format(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// negatives contains the first of two usual values, by the second.
var negatives = map[string]string{
	"yes": "no", "y": "n", "true": "false", "t": "f", "positive": "negative", "pos": "neg", "+": "-", "present": "absent", "pass": "fail", "passed": "failed",
	"high": "low", "on": "off", "hit": "miss", "ja": "nein", "oui": "non", "si": "no", "sí": "no", "binder": "decoy", "active": "decoy",
}

// ordered returns two values in the order of a negative and a positive one, as in inactive and active; otherwise in the order
// of texts.
func ordered(labels []string) []string {
	a, b := strings.ToLower(labels[0]), strings.ToLower(labels[1])
	switch {
	case negates(a, b):
		return []string{labels[0], labels[1]}
	case negates(b, a):
		return []string{labels[1], labels[0]}
	}
	sorted := slices.Clone(labels)
	slices.SortFunc(sorted, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return sorted
}

// negates reports whether a text is the usual negation of another one.
func negates(negative, positive string) bool {
	if negatives[positive] == negative {
		return true
	}
	for _, prefix := range []string{"in", "non", "non-", "non ", "non_", "not ", "not-", "not_", "no ", "un", "im", "a"} {
		if negative == prefix+positive {
			return true
		}
	}
	return false
}

// few returns why there are too few examples, or "".
func few(task learn.Task, classes []string, examples []example) string {
	if len(examples) < MinRows {
		return fmt.Sprintf("%d records can be used, and a model needs at least %d", len(examples), MinRows)
	}
	if task != learn.Classification {
		return ""
	}
	positive := 0
	for _, e := range examples {
		if e.y == 1 {
			positive++
		}
	}
	for i, n := range []int{len(examples) - positive, positive} {
		if n < MinClass {
			return fmt.Sprintf("%d of the records that can be used have the value %s, and a model needs at least %d", n, classes[i], MinClass)
		}
	}
	return ""
}
