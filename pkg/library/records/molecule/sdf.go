package molecule

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/library/records"
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

// readData reads the data items after a MOL block. A value ends at a blank line, unless text without a
// header follows that line.
func readData(fields *records.Fields, rest []byte) {
	s := &scan{rest: rest}
	name := ""
	var value []byte
	flush := func() {
		if name != "" {
			fields.Set(name, records.Decode(bytes.TrimSpace(value)))
		}
		name, value = "", value[:0]
	}
	for {
		line, ok := s.next()
		if !ok || bytes.HasPrefix(line, []byte("$$$$")) {
			flush()
			return
		}
		if len(line) > 0 && line[0] == '>' {
			flush()
			name = dataName(line[1:])
			continue
		}
		if len(value) > 0 {
			value = append(value, '\n')
		}
		value = append(value, bytes.TrimRight(line, " \t")...)
	}
}

// dataName returns the name in a data header: the text in angle brackets, or else the field number
// DTn.
func dataName(header []byte) string {
	from := bytes.IndexByte(header, '<')
	if to := bytes.LastIndexByte(header, '>'); from >= 0 && to > from {
		return records.Decode(bytes.TrimSpace(header[from+1 : to]))
	}
	for _, word := range bytes.Fields(header) {
		if bytes.HasPrefix(word, []byte("DT")) {
			return records.Decode(word)
		}
	}
	return records.Decode(bytes.TrimSpace(header))
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

// dataValue returns the value without blank lines. It indents lines that would begin a data item or end the record.
func dataValue(value string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(value, "\r", ""), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case line[0] == '>', strings.HasPrefix(line, "$$$$"):
			line = " " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
