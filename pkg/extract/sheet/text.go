package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/records"
)

const (
	sniffed = 200       // rows from which the dialect and the header are detected
	maxHead = 64 << 10  // maximum bytes of these rows, and of the lines before the table
	maxRow  = 1 << 20   // maximum bytes of a row; a longer row fails
	maxCell = 256 << 10 // maximum bytes of a quoted cell with line breaks; beyond it, the opening quote is text
)

// Text reads a delimited table from UTF-8 text, in constant memory.
type Text struct {
	Delimiter byte              // comma, semicolon, tab or vertical bar
	Preamble  string            // the lines before the table
	Remarks   []string          // what was guessed or skipped and could be read otherwise
	Units     map[string]string // units by column, in a row below the header; nil if there is none

	dialect
	r       *bufio.Reader
	header  header
	rest    []byte // lines to read again after a row that failed
	lenient bool   // an unterminated quote on a line is text
	row     []byte
	offset  int // of the next row
}

// ErrFirstRow means that the header row is damaged.
const ErrFirstRow = reason.FirstRow

// NewText returns a reader of the rows in r, which must be UTF-8. What the options leave open is detected from the first
// 64 KiB. It returns ErrFirstRow if the first row of the table is damaged.
func NewText(r io.Reader, options Options) (*Text, error) {
	t := &Text{r: records.LineFeeds(r)}
	head, err := t.r.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	directive, stated := options.directive(head)
	if _, err := t.r.Discard(directive); err != nil {
		return nil, err
	}
	first, rival := detect(head[directive:], err == nil, stated)
	t.dialect, t.Delimiter = first.dialect, first.delimiter
	if len(first.rows) == 0 { // there is none, or it is too long
		return t, t.one(options)
	}
	o := opening(first.rows, options, true)
	if failed := first.rows[o.start].failed; failed != "" {
		return nil, ErrFirstRow.Fill(failed)
	}
	t.header, t.Units, t.Remarks = o.header, o.units, o.texts(true)
	t.Preamble = strings.TrimSpace(string(head[:directive+first.rows[o.start].start]))
	if rival != 0 {
		t.Remarks = append(t.Remarks, fmt.Sprintf("The delimiter was taken to be %s, but %s fits about equally; delimiter=%s uses it.", name(t.Delimiter), name(rival), word(rival)))
	}
	if t.quote != '"' {
		t.Remarks = append(t.Remarks, "The cells are quoted with apostrophes, which are not part of the values.")
	}
	skipped := first.rows[o.start].start
	if o.body > 0 {
		skipped = first.rows[o.body-1].end
	}
	_, err = t.r.Discard(skipped)
	return t, err
}

// one reads the first row of a text whose first row is longer than the head.
func (t *Text) one(options Options) error {
	for {
		cells, failed, err := t.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case failed != "":
			return ErrFirstRow.Fill(failed)
		case empty(cells):
			continue
		}
		for i, cell := range cells {
			cells[i], _ = t.value(cell)
		}
		o := opening([]sampleRow{{cells: cells}}, options, true)
		if t.header, t.Remarks = o.header, o.texts(true); o.body == 0 {
			t.rest = bytes.Clone(t.row)
		}
		return nil
	}
}

// Columns returns the column names.
func (t *Text) Columns() []string { return t.header.names }

// Next returns the next row that is not empty, or io.EOF. The Error of a damaged row is set.
func (t *Text) Next() (records.Record, error) {
	for {
		row, failed, err := t.read()
		switch {
		case err != nil:
			return records.Record{}, err
		case failed != "":
			return records.Record{Error: failed}, nil
		case !empty(row):
			for i, cell := range row {
				row[i], _ = t.value(cell)
			}
			return t.header.record(row), nil
		}
	}
}

// read returns the cells of the next row as they are written, or the reason why it cannot be read.
func (t *Text) read() (cells []string, failed string, err error) {
	t.row = t.row[:0]
	scan := cellScan{dialect: t.dialect, lenient: t.lenient}
	first := 0 // length of the first line
	for {
		from := len(t.row)
		ended, err := t.line()
		if err != nil {
			return nil, "", err
		}
		if len(t.row) == 0 {
			return nil, "", io.EOF
		}
		if first == 0 {
			first = len(t.row)
		}
		if len(t.row) > maxRow {
			return nil, fmt.Sprintf("the row is longer than %d bytes", maxRow), t.discard()
		}
		scan.add(t.row[from:])
		if !scan.open && !scan.broken {
			t.offset += len(t.row)
			return scan.cells(t.row), "", nil
		}
		if scan.broken || ended || len(t.row)-first > maxCell { // treat the quote as text
			t.rest = append(bytes.Clone(t.row[first:]), t.rest...)
			t.lenient = true
			t.offset += first
			return nil, "a quoted cell is not terminated", nil
		}
	}
}

// line appends the next line with its line break to the row. ended reports the end of the text.
func (t *Text) line() (ended bool, err error) {
	if len(t.rest) > 0 {
		n := bytes.IndexByte(t.rest, '\n') + 1
		if n == 0 {
			n = len(t.rest)
		}
		t.row = append(t.row, t.rest[:n]...)
		t.rest = t.rest[n:]
		if t.row[len(t.row)-1] == '\n' {
			return false, nil
		}
	}
	for {
		part, err := t.r.ReadSlice('\n')
		t.row = append(t.row, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(t.row) <= maxRow:
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		default:
			return false, nil
		}
	}
}

// discard skips the rest of a line that is too long.
func (t *Text) discard() error {
	if len(t.row) > 0 && t.row[len(t.row)-1] == '\n' {
		return nil
	}
	for {
		_, err := t.r.ReadSlice('\n')
		if errors.Is(err, io.EOF) || err == nil {
			return nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// cellScan splits a row, given line by line, into cells. A cell that begins with a quote is quoted.
type cellScan struct {
	dialect
	lenient bool
	open    bool // inside a quoted cell
	at      int
	started bool // the cell is not empty
	quoted  bool // the cell began with a quote
	carried bool // the quote began on an earlier line
	broken  bool // text follows the closing quote of a multi-line cell
	ends    []int
}

func (s *cellScan) add(line []byte) {
	if !s.open && bytes.IndexByte(line, s.quote) < 0 {
		s.split(line)
		return
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == s.quote && s.open:
			s.open = false
			s.broken = s.broken || s.carried && !s.closes(line[i+1:])
		case s.open && s.escapes && c == '\\':
			i++
		case c == s.quote && !s.started:
			s.started = true
			s.quoted = !s.lenient || bytes.IndexByte(line[i+1:], s.quote) >= 0
			s.open = s.quoted
		case c == s.quote && s.quoted && i > 0 && line[i-1] == s.quote: // an escaped quote
			s.open = true
		case c == s.delimiter && !s.open:
			s.ends = append(s.ends, s.at+i)
			s.started, s.quoted, s.carried = false, false, false
		case c != ' ' && c != '\t':
			s.started = true
		}
	}
	s.open = s.open && !s.lenient
	s.carried = s.open
	s.at += len(line)
}

// split adds a line without quotes.
func (s *cellScan) split(line []byte) {
	for from := 0; ; {
		n := bytes.IndexByte(line[from:], s.delimiter)
		if n < 0 {
			break
		}
		s.ends = append(s.ends, s.at+from+n)
		from += n + 1
	}
	s.at += len(line)
}

// closes reports whether a quote that is followed by rest ends a quoted cell or begins an escaped quote.
func (s *cellScan) closes(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) == 0 || rest[0] == s.delimiter || rest[0] == '\r' || rest[0] == '\n' || rest[0] == s.quote
}

// cells returns the cells of the row as they are written.
func (s *cellScan) cells(row []byte) []string {
	text := strings.TrimRight(string(row), "\r\n")
	cells := make([]string, 0, len(s.ends)+1)
	from := 0
	for _, end := range append(s.ends, len(text)) {
		end = max(min(end, len(text)), from)
		cells = append(cells, text[from:end])
		from = min(end+1, len(text))
	}
	return cells
}

// value returns the value of a cell: what is between its quotes, or the text without surrounding blanks.
func (d dialect) value(cell string) (value string, quoted bool) {
	cell = strings.TrimSpace(cell)
	if len(cell) < 2 || cell[0] != d.quote || cell[len(cell)-1] != d.quote {
		return cell, false
	}
	value = cell[1 : len(cell)-1]
	if strings.IndexByte(value, d.quote) < 0 {
		return value, true
	}
	quote := string(d.quote)
	if d.escapes {
		value = strings.ReplaceAll(value, `\`+quote, quote)
	}
	return strings.ReplaceAll(value, quote+quote, quote), true
}
