package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// Plan says which column is predicted from which others. Build decides by the values which of them are features.
type Plan struct {
	Target   records.Column
	Columns  []Column   // candidates for features, in the order of the file
	Excluded []Excluded // the other columns
}

// TargetError says why a column cannot be predicted. It is an error of the user.
type TargetError struct {
	Column     string
	Problem    string
	Candidates []string // some columns that may be predicted
}

func (e *TargetError) Error() string {
	text := fmt.Sprintf("the field %q cannot be predicted: %s", e.Column, e.Problem)
	if len(e.Candidates) > 0 {
		text += "; fields with numbers are " + strings.Join(e.Candidates, ", ")
	}
	return text
}

// maxCandidates is the number of columns that a TargetError names.
const maxCandidates = 10

// NewPlan plans the prediction of the column with a name, which is resolved as in a filter. It returns a *TargetError if there
// is no such column, or if its values are neither numbers nor possibly two texts.
func NewPlan(columns []records.Column, target string) (Plan, error) {
	c, found := records.Find(target, columns)
	reject := func(problem string) (Plan, error) {
		return Plan{}, &TargetError{target, problem, candidates(columns, c)}
	}
	switch {
	case !found:
		return reject("the file has no such field")
	case !contains(columns, c):
		return reject("it is not a field of the records")
	case c.Type == records.Date:
		return reject("its values are dates")
	case c.Count-c.Missing <= 0:
		return reject("it has no values")
	}
	p := Plan{Target: c}
	for _, other := range columns {
		switch {
		case same(other, c):
		case usable(other):
			p.Columns = append(p.Columns, newColumn(other))
		case other.Type == records.Date:
			p.Excluded = append(p.Excluded, Excluded{Name: other.Name, Property: other.Property, Reason: Date})
		case identifies(other.Name):
			p.Excluded = append(p.Excluded, Excluded{Name: other.Name, Property: other.Property, Reason: Identifier})
		default:
			p.Excluded = append(p.Excluded, Excluded{Name: other.Name, Property: other.Property, Reason: Text})
		}
	}
	return p, nil
}

// usable reports whether the values of a column are numbers, at least in part, or booleans.
func usable(c records.Column) bool { return c.Numerical() || c.Type == records.Boolean }

func same(a, b records.Column) bool { return a.Name == b.Name && a.Property == b.Property }

func contains(columns []records.Column, c records.Column) bool {
	return slices.ContainsFunc(columns, func(other records.Column) bool { return same(other, c) })
}

// candidates returns the names of columns that may be predicted instead of c.
func candidates(columns []records.Column, c records.Column) []string {
	var names []string
	for _, property := range []bool{false, true} {
		for _, other := range columns {
			if other.Property == property && usable(other) && other.Count > other.Missing && !same(other, c) && !identifies(other.Name) && len(names) < maxCandidates {
				names = append(names, other.Name)
			}
		}
	}
	return names
}

// identifiers contains names of columns that identify or number records, in lower case and without spaces and marks.
var identifiers = map[string]bool{
	"id": true, "uid": true, "uuid": true, "cid": true, "sid": true, "index": true, "idx": true, "row": true, "rowno": true, "rownumber": true, "no": true, "nr": true,
	"number": true, "recordnumber": true, "serial": true, "serialnumber": true, "serialno": true, "cas": true, "casrn": true, "casno": true, "casnr": true,
	"casnumber": true, "casregistrynumber": true, "registrynumber": true, "code": true, "barcode": true, "ean": true, "unnamed0": true, "unnamed": true, "lfdnr": true,
}

// identifies reports whether the name of a column states that it identifies records, as ID, compound_id and MoleculeId do.
func identifies(name string) bool {
	plain := strings.NewReplacer(" ", "", "_", "", "-", "", ".", "", ":", "", "#", "", "(", "", ")", "").Replace(strings.ToLower(name))
	for _, end := range []string{"_id", " id", "-id", "Id", "ID", "_ID", ".id"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return identifiers[plain] || plain == "" && name != ""
}
