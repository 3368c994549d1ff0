package library

import (
	"fmt"
	"mime"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/sheet"
)

// ReadOptions state how a file is read. What they leave open is detected. They are stored with the file, so that it has the same
// records whenever it is processed.
type ReadOptions struct {
	Charset   string `dynamodbav:"charset,omitempty" json:"charset,omitempty" doc:"the charset of a text or a table, such as gbk, instead of that of the content type. A byte order mark, or content that contradicts it, still takes precedence"`
	Header    string `dynamodbav:"header,omitempty" json:"header,omitempty" doc:"yes: the first row of a table names its columns; no: it is a row of values"`
	Delimiter string `dynamodbav:"delimiter,omitempty" json:"delimiter,omitempty" doc:"the delimiter of a table: a comma, a semicolon, a vertical bar or a tab, which can be written as tab"`
	Decimal   string `dynamodbav:"decimal,omitempty" json:"decimal,omitempty" doc:"the decimal mark of the numbers of a table: a point or a comma"`
}

// charsetOption is the name of the option that is not about tables only.
const charsetOption = "charset"

// OptionNames returns the names of the options, in the order of the fields of ReadOptions.
func OptionNames() []string {
	return []string{charsetOption, sheet.HeaderOption, sheet.DelimiterOption, sheet.DecimalOption}
}

// Set sets an option by its name. An empty value leaves the option open. The error says which values the option accepts.
func (o *ReadOptions) Set(name, value string) error {
	if name != charsetOption {
		t := o.Table()
		err := t.Set(name, value)
		o.Header, o.Delimiter, o.Decimal = t.Header, t.Delimiter, t.Decimal
		return err
	}
	c, known := charset.Lookup(value)
	if value != "" && !known {
		return fmt.Errorf("%q is not the name of a known charset, such as windows-1251 or shift_jis", value)
	}
	o.Charset = c.Name
	return nil
}

// Checked returns the options with their values as Set stores them. If it does not accept a value, it returns the name of the
// option and the error.
func (o ReadOptions) Checked() (checked ReadOptions, name string, err error) {
	for i, value := range []string{o.Charset, o.Header, o.Delimiter, o.Decimal} {
		name := OptionNames()[i]
		if err := checked.Set(name, value); err != nil {
			return checked, name, err
		}
	}
	return checked, "", nil
}

// Table returns the options of a delimited table.
func (o ReadOptions) Table() sheet.Options {
	return sheet.Options{Header: o.Header, Delimiter: o.Delimiter, Decimal: o.Decimal}
}

// ContentType returns a declared media type with the charset of the options, if they state one.
func (o ReadOptions) ContentType(declared string) string {
	if o.Charset == "" {
		return declared
	}
	mediaType, parameters, err := mime.ParseMediaType(declared)
	if err != nil {
		mediaType, parameters = "text/plain", map[string]string{}
	}
	parameters[charsetOption] = o.Charset
	return mime.FormatMediaType(mediaType, parameters)
}

// Stated returns the options of the file.
func (f File) Stated() ReadOptions {
	if f.Options == nil {
		return ReadOptions{}
	}
	return *f.Options
}

// stored returns the options as stored with a file, or nil if all are open.
func (o ReadOptions) stored() *ReadOptions {
	if o == (ReadOptions{}) {
		return nil
	}
	return &o
}
