package records

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
)

// An Export writes records in constant memory. Its zero value exports all columns under their names.
type Export struct {
	Columns  []Named // nil for all columns of the file, where a property with the name of a field is renamed
	Filter   *Filter // nil for all records
	Formulas Formulas
}

// A Named is a column with its name in the export.
type Named struct {
	Column
	As string
}

// Select returns the columns with these names, renamed according to rename. Without names it returns all
// columns. The error names a column that does not exist or a name that would occur twice.
func Select(names []string, rename map[string]string, columns []Column) ([]Named, error) {
	var selected []Named
	if len(names) == 0 {
		selected = allNamed(columns)
	}
	for _, name := range names {
		c, found := Find(name, columns)
		if !found {
			return nil, &UnknownFieldError{name, columns}
		}
		selected = append(selected, Named{c, c.Name})
	}
	taken := map[string]bool{}
	renamed := 0
	for i := range selected {
		if as, found := rename[selected[i].Name]; found {
			selected[i].As = as
			renamed++
		}
		switch as := selected[i].As; {
		case as == "":
			return nil, fmt.Errorf("the field %q has no name in the export", selected[i].Name)
		case taken[as]:
			return nil, fmt.Errorf("two fields are named %q in the export; select or rename them", as)
		default:
			taken[as] = true
		}
	}
	for name := range rename {
		if !contained(selected, name) {
			return nil, fmt.Errorf("the field %q is renamed but not selected", name)
		}
	}
	return selected, nil
}

func contained(selected []Named, name string) bool {
	for _, c := range selected {
		if c.Name == name {
			return true
		}
	}
	return false
}

func (f *File) named(e Export) []Named {
	if e.Columns != nil {
		return e.Columns
	}
	return allNamed(f.Columns)
}

// allNamed returns all columns under distinct names. A property with the name of a field is renamed. It is left out if that
// name is taken too, as it is in a file that was exported, imported and exported again.
func allNamed(columns []Column) []Named {
	var all []Named
	taken := map[string]bool{}
	for _, c := range columns {
		if !c.Property {
			taken[c.Name] = true
		}
	}
	for _, c := range columns {
		as := c.Name
		if c.Property && taken[as] {
			if as += determined; taken[as] {
				continue
			}
		}
		all = append(all, Named{c, as})
	}
	return all
}

// determined is added to the name of a property that is also the name of a field.
const determined = " (determined)"

// WriteCSV writes a header and a row for each processed record: its index from 1, its name and the columns.
// It leaves out the index and the name if a column has their name. Rows end with CRLF (RFC 4180), line breaks in cells stay
// as they are.
func (f *File) WriteCSV(ctx context.Context, w io.Writer, e Export) error {
	columns := f.named(e)
	lacks := func(name string) bool {
		return !slices.ContainsFunc(columns, func(c Named) bool { return c.As == name })
	}
	indexed, titled := lacks("record"), lacks("name")
	out := bufio.NewWriter(w)
	var row []string
	if indexed {
		row = append(row, "record")
	}
	if titled {
		row = append(row, "name")
	}
	for _, c := range columns {
		row = append(row, c.As)
	}
	line := e.Formulas.AppendRow(nil, row)
	if _, err := out.Write(line); err != nil {
		return err
	}
	for r, err := range f.All(ctx, e.Filter) {
		if err != nil {
			return err
		}
		if r.Failed() {
			continue
		}
		row = row[:0]
		if indexed {
			row = append(row, fmt.Sprint(r.Index+1))
		}
		if titled {
			row = append(row, r.Name)
		}
		for _, c := range columns {
			row = append(row, r.Value(c.Column))
		}
		line = e.Formulas.AppendRow(line[:0], row)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// WriteJSONL writes a JSON object for each processed record: its index from 0, its name, and as values the
// columns that have a value. A value is a number or a boolean if all values of its column are.
func (f *File) WriteJSONL(ctx context.Context, w io.Writer, e Export) error {
	columns := f.named(e)
	out := bufio.NewWriter(w)
	var line []byte
	for r, err := range f.All(ctx, e.Filter) {
		if err != nil {
			return err
		}
		if r.Failed() {
			continue
		}
		line = appendExport(line[:0], r, columns)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

func appendExport(b []byte, r *Record, columns []Named) []byte {
	b = fmt.Appendf(b, `{"index":%d`, r.Index)
	if r.Name != "" {
		b = appendString(append(b, `,"name":`...), r.Name)
	}
	b = append(b, `,"values":{`...)
	first := true
	for _, c := range columns {
		value := r.Value(c.Column)
		if value == "" {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(appendString(b, c.As), ':')
		b = appendTyped(b, value, c.Column)
	}
	return append(b, "}}\n"...)
}

// appendTyped appends the value as a JSON number or boolean if the column has that type. A number with a standard uncertainty
// is appended as text, as is a mark of a missing value.
func appendTyped(b []byte, value string, c Column) []byte {
	switch text := plain(value, c.Decimal); c.Type {
	case Integer, Number:
		if n, _, ok := parseNumber(text); ok && certain(text) == text {
			if json := jsonNumber(text); json {
				return append(b, text...)
			}
			return append(b, textOf(n)...)
		}
	case Boolean:
		if isBoolean(text) {
			return fmt.Append(b, len(text) == len("true"))
		}
	}
	return appendString(b, value)
}

// jsonNumber reports whether a number is valid in JSON: without a plus sign, and with digits on both
// sides of the point.
func jsonNumber(s string) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '.' && (!digit(i-1) || !digit(i+1)) || s[i] == '+' && i == 0 {
			return false
		}
	}
	return true
}

// WriteNative writes the processed records in the format of their file. write writes one record with
// the given values.
func (f *File) WriteNative(ctx context.Context, w io.Writer, e Export, write func(w *bufio.Writer, r *Record, fields Fields) error) error {
	columns := f.named(e)
	out := bufio.NewWriter(w)
	for r, err := range f.All(ctx, e.Filter) {
		if err != nil {
			return err
		}
		if r.Failed() {
			continue
		}
		fields := Fields{}
		for _, c := range columns {
			if value := r.Value(c.Column); value != "" {
				fields = append(fields, Field{c.As, value})
			}
		}
		if err := write(out, r, fields); err != nil {
			return err
		}
	}
	return out.Flush()
}
