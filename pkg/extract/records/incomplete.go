package records

import "slices"

// Incomplete returns the number of processed records for which a property could not be determined, for each such
// property among the filter's and the selected columns. A filter on the property does not find these records, and exports
// have no value for them. filter may be nil; selected is nil for all columns.
func (f *File) Incomplete(filter *Filter, selected []Column) map[string]int {
	if selected == nil {
		selected = f.Columns
	}
	var of map[string]int
	for _, c := range f.Columns {
		key := columnKey{c.Name, c.Property}
		used := filter != nil && slices.Contains(filter.columns, key)
		if c.NotDetermined == 0 || !used && !slices.ContainsFunc(selected, func(s Column) bool { return columnKey{s.Name, s.Property} == key }) {
			continue
		}
		if of == nil {
			of = map[string]int{}
		}
		of[c.Name] = c.NotDetermined
	}
	return of
}
