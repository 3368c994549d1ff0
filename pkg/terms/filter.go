package terms

import (
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/tag"
)

// Filter restricts the hits. A zero field does not restrict them.
type Filter struct {
	Kind   string
	Format string // file name extension in lower case
	Status string
	Below  string    // the id of a folder
	In     string    // without Below: a folder's name, or names of folders with slashes between them; with a slash first, from the root
	From   time.Time // created at or after this time
	To     time.Time // created before this time
	// MinSize and MaxSize are limits of the size of files in bytes.
	MinSize, MaxSize int64
}

// fields are the names of fields in a query, and the fields that they mean.
var fields = map[string]string{
	"name": "name", "text": "text", "title": "title", "author": "author", "from": "author", "subject": "subject",
	"keyword": "keyword", "keywords": "keyword", "attachment": "attachment",
}

// FieldOf returns the field of a query that a property belongs to.
func FieldOf(property string) string {
	switch property {
	case "byline":
		return "author"
	case "keywords":
		return "keyword"
	case "attachmentNames":
		return "attachment"
	}
	return property
}

// filters are the names of filters in a query, and what sets them to a value.
var filters = map[string]func(*Parsed, string) error{
	"type": (*Parsed).setType, "in": (*Parsed).setIn, "size": (*Parsed).setSize,
	"before": func(p *Parsed, value string) (err error) { p.Filter.To, err = dateOf(value); return err },
	"after":  func(p *Parsed, value string) (err error) { p.Filter.From, err = dateOf(value); return err },
}

// tagFilter is the name of the filter by tags of the caller.
const tagFilter = "tag"

// addTag restricts the hits to those with a tag, or without it.
func (p *Parsed) addTag(value string, not bool) error {
	one, invalid := tag.Parse(value)
	if invalid != "" {
		return wrong("%q is not a tag: it %s", value, invalid)
	}
	if folded := tag.Fold(one); not {
		p.Tags.Without = append(p.Tags.Without, folded)
	} else {
		p.Tags.With = append(p.Tags.With, folded)
	}
	return nil
}

// setType sets the kind of the nodes, or the format of the files.
func (p *Parsed) setType(value string) error {
	for _, kind := range []string{KindFolder, KindFile, KindRecord, KindModel, KindMessage} {
		if strings.EqualFold(value, kind) {
			p.Filter.Kind = kind
			return nil
		}
	}
	p.Filter.Format = FormatOf("." + strings.TrimPrefix(value, "."))
	if p.Filter.Format == "" {
		return wrong("%q is not a type: use folder, file, record, model, message, or a file name extension such as pdf", value)
	}
	return nil
}

// setIn sets the folder that is searched.
func (p *Parsed) setIn(value string) error {
	if strings.Trim(value, "/") == "" {
		return wrong("%q is not a folder: write its name or path, such as in:Reports or in:/2026/Reports", value)
	}
	p.Filter.In = value
	return nil
}

// dateOf returns the beginning of a day, a month or a year in UTC.
func dateOf(value string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(layout, value); err == nil {
			return at, nil
		}
	}
	return time.Time{}, wrong("%q is not a date: write a year, a month or a day, such as 2026, 2026-07 or 2026-07-31", value)
}

// setSize sets a limit of the size of files.
func (p *Parsed) setSize(value string) error {
	number := strings.TrimLeft(value, "<>=")
	size, ok := bytesOf(number)
	switch comparison := value[:len(value)-len(number)]; {
	case !ok:
	case comparison == ">":
		p.Filter.MinSize = size + 1
		return nil
	case comparison == ">=":
		p.Filter.MinSize = size
		return nil
	case comparison == "<" && size > 0:
		p.Filter.MaxSize = size - 1
		return nil
	case comparison == "<=":
		p.Filter.MaxSize = size
		return nil
	}
	return wrong("%q is not a limit: write size:>10MB or size:<100KiB", value)
}

// bytesOf parses a number of bytes with an optional unit.
func bytesOf(text string) (int64, bool) {
	digits := strings.TrimRight(text, "kKmMgGiIbB")
	n, err := strconv.ParseFloat(digits, 64)
	factor := map[string]float64{
		"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
	}[strings.ToLower(text[len(digits):])]
	size := n * factor
	return int64(size), err == nil && factor > 0 && size >= 0 && size < 1<<62
}
