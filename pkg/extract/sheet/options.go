package sheet

import (
	"bytes"
	"fmt"
	"strings"
)

// Options state how a delimited table is written. What they leave open is detected.
type Options struct {
	Header    string `json:"header,omitempty"`    // yes: the first row of the table names the columns; no: it is a row of values
	Delimiter string `json:"delimiter,omitempty"` // a comma, a semicolon, a vertical bar or a tab
	Decimal   string `json:"decimal,omitempty"`   // the decimal mark of numbers: a point or a comma
}

// The names of the options.
const (
	HeaderOption    = "header"
	DelimiterOption = "delimiter"
	DecimalOption   = "decimal"
)

// Set sets an option by its name. A tab can be written as the word tab. An empty value leaves the option open.
func (o *Options) Set(name, value string) error {
	switch {
	case name == HeaderOption && (value == "" || value == "yes" || value == "no"):
		o.Header = value
	case name == DelimiterOption && value == "tab":
		o.Delimiter = "\t"
	case name == DelimiterOption && (value == "" || value == "," || value == ";" || value == "|" || value == "\t"):
		o.Delimiter = value
	case name == DecimalOption && (value == "" || value == "." || value == ","):
		o.Decimal = value
	default:
		return optionError(name, value)
	}
	return nil
}

// optionError says which values an option accepts.
func optionError(name, value string) error {
	switch name {
	case HeaderOption:
		return fmt.Errorf("%q is not yes or no", value)
	case DelimiterOption:
		return fmt.Errorf("%q is not a comma, a semicolon, a vertical bar or tab", value)
	case DecimalOption:
		return fmt.Errorf("%q is not a point or a comma", value)
	}
	return fmt.Errorf("%q is not an option of tables: expected header, delimiter or decimal", name)
}

// directive returns the delimiter that the options state, or that the first line of a table states as in sep=; for Excel,
// or 0. length is that of this line.
func (o Options) directive(head []byte) (length int, delimiter byte) {
	line, _, found := bytes.Cut(head, []byte("\n"))
	if stated := strings.Trim(strings.TrimRight(string(line), "\r"), `"`); found && len(stated) == len("sep=;") && strings.HasPrefix(strings.ToLower(stated), "sep=") {
		if last := stated[len("sep="):]; strings.Contains(delimiters, last) {
			length, delimiter = len(line)+1, last[0]
		}
	}
	if o.Delimiter != "" {
		delimiter = o.Delimiter[0]
	}
	return length, delimiter
}

// name and word return a delimiter in words, and as the value of an option.
func name(delimiter byte) string {
	return map[byte]string{',': "a comma", ';': "a semicolon", '|': "a vertical bar", '\t': "a tab"}[delimiter]
}

func word(delimiter byte) string {
	if delimiter == '\t' {
		return "tab"
	}
	return string(delimiter)
}
