// Package records reads files with many records: molecules, reactions, crystals, spectra and rows of
// tables. It finds their boundaries in a stream, stores them in chunks, and returns pages, filtered
// records and exports.
package records

import (
	"fmt"
	"strconv"
)

// Limits of a file.
const (
	MaxRecords     = 100_000   // further records are counted but not processed; rows of a table have another limit
	MaxRows        = 1_000_000 // further rows of a table are counted but not processed
	MaxFields      = 1_000     // further fields are counted but have no column
	MaxRecordBytes = 8 << 20   // a longer record fails
	ChunkSize      = 1_000     // records per chunk, except for tables; the last chunk may have fewer
	MaxChunk       = 25_000    // maximum rows of a table per chunk
)

// A Record is one molecule, reaction, crystal, spectrum or row.
type Record struct {
	Index         int        `json:"index"`                   // from 0, in file order
	Error         string     `json:"error,omitempty"`         // why the record failed; a failed record has no properties
	Name          string     `json:"name,omitempty"`          // title of the record in the file
	Fields        Fields     `json:"fields"`                  // as in the file
	Properties    Properties `json:"properties"`              // computed by Assay
	NotDetermined []string   `json:"notDetermined,omitempty"` // names of properties that could not be determined
	Content       string     `json:"content,omitempty"`       // the record in the file's format, without its fields
	Detail        *Detail    `json:"detail,omitempty"`        // nil for most formats
}

// Detail is what takes long to compute, and is shown of a single record only: it has no columns.
type Detail struct {
	Properties    Properties `json:"properties,omitempty"`
	NotDetermined []string   `json:"notDetermined,omitempty"` // replaces that of the record if there are properties
	Drawing       string     `json:"drawing,omitempty"`       // SVG, of a record that the format cannot draw
}

// Detailed returns the record with the properties of its detail.
func (r Record) Detailed() Record {
	if r.Detail != nil && len(r.Detail.Properties) > 0 {
		r.Properties = append(r.Properties[:len(r.Properties):len(r.Properties)], r.Detail.Properties...)
		r.NotDetermined = r.Detail.NotDetermined
	}
	return r
}

// Failed reports whether the record could not be processed.
func (r *Record) Failed() bool { return r.Error != "" }

// Value returns the record's value of a column as text, or "" if there is none.
func (r *Record) Value(c Column) string { return r.value(columnKey{c.Name, c.Property}) }

func (r *Record) value(key columnKey) string {
	switch {
	case key == nameKey:
		return r.Name
	case key == errorKey:
		return r.Error
	case key.property:
		if v := r.Properties.Get(key.name); v != nil {
			return textOf(v)
		}
		return ""
	default:
		value, _ := r.Fields.Get(key.name)
		return value
	}
}

// The columns of every file in addition to those of its summary. No property has these names.
var nameKey, errorKey = columnKey{"name", true}, columnKey{"error", true}

// A Field is a name and a text, as in the file but without surrounding spaces.
type Field struct{ Name, Value string }

// Fields are in file order and have distinct names. In JSON they are an object.
type Fields []Field

// Get returns the value of the field with that name, and whether the field exists.
func (f Fields) Get(name string) (string, bool) {
	for i := range f {
		if f[i].Name == name {
			return f[i].Value, true
		}
	}
	return "", false
}

// maxRepeated is the length in bytes at which Set stops appending to a value.
const maxRepeated = 16 << 10

// Set adds a field. If the name exists, it appends a line break and the value to the existing value. It
// drops fields beyond MaxFields, and further values once the existing one has reached maxRepeated.
func (f *Fields) Set(name, value string) {
	for i := range *f {
		if (*f)[i].Name == name {
			if len((*f)[i].Value) < maxRepeated {
				(*f)[i].Value += "\n" + value
			}
			return
		}
	}
	if len(*f) < MaxFields {
		*f = append(*f, Field{name, value})
	}
}

// MarshalJSON implements json.Marshaler.
func (f Fields) MarshalJSON() ([]byte, error) { return f.appendJSON(nil), nil }

func (f Fields) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, field := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, field.Name), ':')
		b = appendString(b, field.Value)
	}
	return append(b, '}')
}

// UnmarshalJSON implements json.Unmarshaler for the output of MarshalJSON.
func (f *Fields) UnmarshalJSON(data []byte) error {
	*f = (*f)[:0]
	return members(data, func(name string, value []byte, quoted bool) error {
		if !quoted {
			return fmt.Errorf("field %q is not text", name)
		}
		text, err := unquote(value)
		if err != nil {
			return fmt.Errorf("field %q is not text: %w", name, err)
		}
		*f = append(*f, Field{name, text})
		return nil
	})
}

// A Property is a determined value: a string, a float64, an int64 or a bool.
type Property struct {
	Name  string
	Value any
}

// Properties are in the order in which they were determined. In JSON they are an object.
type Properties []Property

// Get returns the value of the property with that name, or nil.
func (p Properties) Get(name string) any {
	for i := range p {
		if p[i].Name == name {
			return p[i].Value
		}
	}
	return nil
}

func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return fmt.Sprint(v)
	}
}

// MarshalJSON implements json.Marshaler.
func (p Properties) MarshalJSON() ([]byte, error) { return p.appendJSON(nil), nil }

func (p Properties) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, property := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, property.Name), ':')
		if v, ok := property.Value.(string); ok {
			b = appendString(b, v)
		} else {
			b = append(b, textOf(property.Value)...)
		}
	}
	return append(b, '}')
}

// UnmarshalJSON implements json.Unmarshaler for the output of MarshalJSON. Integers become int64, other numbers
// float64.
func (p *Properties) UnmarshalJSON(data []byte) error {
	*p = (*p)[:0]
	return members(data, func(name string, value []byte, quoted bool) error {
		v, err := plainValue(value, quoted)
		if err != nil {
			return fmt.Errorf("property %q: %w", name, err)
		}
		*p = append(*p, Property{name, v})
		return nil
	})
}

func plainValue(value []byte, quoted bool) (any, error) {
	text, err := unquote(value)
	if quoted || err != nil {
		return text, err
	}
	if text == "true" || text == "false" {
		return text == "true", nil
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	return strconv.ParseFloat(text, 64)
}
