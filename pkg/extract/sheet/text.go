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
	sniffed = 20        // rows used to detect the delimiter
	maxHead = 64 << 10  // maximum bytes of these rows
	maxRow  = 1 << 20   // maximum bytes of a row; a longer row fails
	maxCell = 256 << 10 // maximum bytes of a quoted cell with line breaks; beyond it, the opening quote is text
)

// Text reads a delimited table from UTF-8 text, in constant memory.
type Text struct {
	Delimiter byte     // comma, semicolon, tab or vertical bar
	Preamble  string   // the lines before the table
	Remarks   []string // what was guessed or skipped and could be read otherwise

	options Options
	r       *bufio.Reader
	header  header
	rest    []byte // lines to read again after a row that failed
	lenient bool   // an unterminated quote on a line is text
	row     []byte
	next    [][]string // rows already read to detect the columns
}

// ErrFirstRow means that the header row is damaged.
const ErrFirstRow = reason.FirstRow

// NewText returns a reader of the rows in r, which must be UTF-8. It selects the delimiter that splits the
// first rows most uniformly, unless the options state one. It returns ErrFirstRow if the first row that is not empty is damaged.
func NewText(r io.Reader, options Options) (*Text, error) {
	t := &Text{r: records.LineFeeds(r), options: options}
	head, err := t.r.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if t.Delimiter = delimiter(head, err == nil); options.Delimiter != "" {
		t.Delimiter = options.Delimiter[0]
	}
	for {
		first, failed, err := t.read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		if failed != "" {
			return nil, ErrFirstRow.Fill(failed)
		}
		if empty(first) {
			continue
		}
		if t.header = newHeader(first); !t.header.given {
			t.next = append(t.next, first)
		}
		return t, nil
	}
}

// Columns returns the column names.
func (t *Text) Columns() []string { return t.header.names }

// Next returns the next row that is not empty, or io.EOF. The Error of a damaged row is set.
func (t *Text) Next() (records.Record, error) {
	for {
		if len(t.next) > 0 {
			row := t.next[0]
			t.next = t.next[1:]
			return t.header.record(row), nil
		}
		row, failed, err := t.read()
		switch {
		case err != nil:
			return records.Record{}, err
		case failed != "":
			return records.Record{Error: failed}, nil
		case !empty(row):
			return t.header.record(row), nil
		}
	}
}

// delimiter returns the delimiter that splits most of the first rows into the same number of cells, at least
// two.
func delimiter(head []byte, cut bool) byte {
	if i := bytes.LastIndexByte(head, '\n'); cut && i >= 0 {
		head = head[:i+1]
	}
	best, score := byte(','), 0
	for _, candidate := range []byte{',', '\t', ';', '|'} {
		t := &Text{Delimiter: candidate, r: bufio.NewReader(bytes.NewReader(head))}
		counts := map[int]int{}
		for range sniffed {
			row, failed, err := t.read()
			if err != nil || failed != "" {
				break
			}
			if !empty(row) {
				counts[len(row)]++
			}
		}
		for cells, n := range counts {
			if points := n * 100 * min(cells-1, 1); points > 0 && points+min(cells, 50) > score {
				best, score = candidate, points+min(cells, 50)
			}
		}
	}
	return best
}

// read returns the cells of the next row, or the reason why it cannot be read.
func (t *Text) read() (cells []string, failed string, err error) {
	t.row = t.row[:0]
	scan := cellScan{delimiter: t.Delimiter, lenient: t.lenient}
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
			return scan.cells(t.row), "", nil
		}
		if scan.broken || ended || len(t.row)-first > maxCell { // treat the quote as text
			t.rest = append(bytes.Clone(t.row[first:]), t.rest...)
			t.lenient = true
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
	delimiter byte
	lenient   bool
	open      bool // inside a quoted cell
	at        int
	started   bool // the cell is not empty
	quoted    bool // the cell began with a quote
	carried   bool // the quote began on an earlier line
	broken    bool // text follows the closing quote of a multi-line cell
	ends      []int
}

func (s *cellScan) add(line []byte) {
	for i, c := range line {
		switch {
		case c == '"' && s.open:
			s.open = false
			s.broken = s.broken || s.carried && !s.closes(line[i+1:])
		case c == '"' && !s.started:
			s.started = true
			s.quoted = !s.lenient || bytes.IndexByte(line[i+1:], '"') >= 0
			s.open = s.quoted
		case c == '"' && s.quoted && i > 0 && line[i-1] == '"': // an escaped quote
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

// closes reports whether a quote that is followed by rest ends a quoted cell or begins an escaped quote.
func (s *cellScan) closes(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) == 0 || rest[0] == s.delimiter || rest[0] == '\r' || rest[0] == '\n' || rest[0] == '"'
}

// cells returns the cells of the row.
func (s *cellScan) cells(row []byte) []string {
	text := strings.TrimRight(string(row), "\r\n")
	cells := make([]string, 0, len(s.ends)+1)
	from := 0
	for _, end := range append(s.ends, len(text)) {
		end = max(min(end, len(text)), from)
		cells = append(cells, unquote(text[from:end]))
		from = min(end+1, len(text))
	}
	return cells
}

func unquote(cell string) string {
	trimmed := strings.TrimSpace(cell)
	if len(trimmed) >= 2 && trimmed[0] == '"' && trimmed[len(trimmed)-1] == '"' {
		return strings.ReplaceAll(trimmed[1:len(trimmed)-1], `""`, `"`)
	}
	return cell
}
