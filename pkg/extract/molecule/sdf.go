package molecule

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
)

// BoundarySDF returns a Boundary that finds the records of an SDF or MOL file.
func BoundarySDF() records.Boundary {
	return func(line []byte) records.Cut {
		if len(line) >= 4 && line[0] == '$' && string(line[:4]) == "$$$$" {
			return records.Ends
		}
		return records.Inside
	}
}

// ReadSDF reads one record of an SDF, or a MOL file. A damaged record has an Error.
func ReadSDF(raw []byte) records.Record {
	m, rest, err := parse(raw)
	if err != nil {
		return records.Record{Error: err.Error(), Content: records.Decode(raw)}
	}
	r := records.Record{Name: m.Title, Content: records.Decode(raw[:len(raw)-len(rest)])}
	readData(&r.Fields, rest)
	describe(&r, m)
	return r
}

// readData reads the data items after a MOL block. A value ends at a blank line, unless text without a header follows
// that line. Values may contain lines that begin with ">", such as >100 (see begins).
func readData(fields *records.Fields, rest []byte) {
	s := &scan{rest: rest}
	var item dataHeader
	var value []byte
	flush := func() {
		if item.name != "" {
			fields.Set(item.name, records.Decode(bytes.TrimSpace(value)))
		}
		value = value[:0]
	}
	for blank := true; ; {
		line, ok := s.next()
		if !ok || bytes.HasPrefix(line, []byte("$$$$")) {
			flush()
			return
		}
		if h, ok := parseDataHeader(line); ok && item.begins(h, blank) {
			flush()
			item, blank = h, false
			continue
		}
		blank = len(line) == 0
		if len(value) > 0 {
			value = append(value, '\n')
		}
		value = append(value, line...)
	}
}

// dataHeader is a line that can begin a data item.
type dataHeader struct {
	name  string
	form  string // the line without the name
	named bool   // whether the line has a name in angle brackets, or a field number DTn
}

// begins reports whether a line begins the next item after item, rather than being text of its value. Such a line has a
// name. Most files separate items by blank lines; a header without a blank line before it has the form of the
// previous header, because a program writes all headers of a record in one form. The zero dataHeader precedes the first
// item.
func (item dataHeader) begins(next dataHeader, afterBlank bool) bool {
	return item.name == "" || next.named && (afterBlank || next.form == item.form)
}

// parseDataHeader parses a line that begins with ">". A line without a name gets its text as name.
func parseDataHeader(line []byte) (h dataHeader, ok bool) {
	if len(line) == 0 || line[0] != '>' {
		return dataHeader{}, false
	}
	header := bytes.TrimRight(line[1:], " \t")
	from, to := bytes.IndexByte(header, '<'), bytes.LastIndexByte(header, '>')
	if from < 0 || to <= from || len(bytes.TrimSpace(header[from+1:to])) == 0 {
		if from, to = fieldNumber(header); from < 0 {
			return dataHeader{name: records.Decode(bytes.TrimSpace(header))}, true
		}
		from--
	}
	name := records.Decode(bytes.TrimSpace(header[from+1 : to]))
	return dataHeader{name, string(header[:from+1]) + string(header[to:]), true}, true
}

// fieldNumber returns the position of the first word that is a field number DTn, or -1.
func fieldNumber(header []byte) (from, to int) {
	for to < len(header) {
		from = len(header) - len(bytes.TrimLeft(header[to:], " \t"))
		to = len(header)
		if length := bytes.IndexAny(header[from:], " \t"); length >= 0 {
			to = from + length
		}
		digits, found := bytes.CutPrefix(header[from:to], []byte("DT"))
		if found && len(digits) > 0 && len(bytes.Trim(digits, "0123456789")) == 0 {
			return from, to
		}
	}
	return -1, -1
}

// WriteSDF writes a record of an SDF with these data items.
func WriteSDF(w *bufio.Writer, r *records.Record, fields records.Fields) error {
	if err := writeLine(w, strings.TrimRight(r.Content, "\r\n")); err != nil {
		return err
	}
	for _, f := range fields {
		name := strings.NewReplacer("<", "(", ">", ")", "\n", " ", "\r", "").Replace(f.Name)
		if _, err := fmt.Fprintf(w, ">  <%s>\n%s\n\n", name, dataValue(f.Value)); err != nil {
			return err
		}
	}
	return writeLine(w, "$$$$")
}

func writeLine(w *bufio.Writer, line string) error {
	if _, err := w.WriteString(line); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// dataValue returns the value without blank lines around it. It indents lines that could begin a data item or end the record.
// A blank line within the value, which readData reads, stays.
func dataValue(value string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(value, "\r", "")), "\n") {
		if h, _ := parseDataHeader([]byte(line)); h.named || strings.HasPrefix(line, "$$$$") {
			line = " " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
