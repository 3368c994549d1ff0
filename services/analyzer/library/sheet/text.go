package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/assay-project/assay/pkg/library/records"
	"github.com/assay-project/assay/services/analyzer/plaintext"
)

const (
	sniffed = 20        // rows that decide the delimiter
	maxHead = 64 << 10  // bytes of them
	maxRow  = 1 << 20   // bytes of a row; a longer one fails
	maxCell = 256 << 10 // bytes of a quoted cell with line breaks; a longer one is not quoted
)

// Charset finds the rule by which plaintext reads a text without contradiction. open opens the text from
// its start, up to three times; Charset closes it. It returns the errors of plaintext.Rule.NewReader.
func Charset(open func() (io.ReadCloser, error), contentType string) (plaintext.Rule, error) {
	rule := plaintext.Declared
	for {
		err := try(open, rule, contentType)
		restart, again := errors.AsType[*plaintext.RestartError](err)
		if !again {
			return rule, err
		}
		rule = restart.Next
	}
}

func try(open func() (io.ReadCloser, error), rule plaintext.Rule, contentType string) error {
	source, err := open()
	if err != nil {
		return err
	}
	defer source.Close()
	text, err := rule.NewReader(source, contentType)
	if err != nil {
		return err
	}
	defer text.Free()
	_, err = io.Copy(io.Discard, text)
	return err
}

// Text reads a table with delimiters from text in UTF-8. It has constant memory.
type Text struct {
	Delimiter byte // comma, semicolon, tab or vertical bar

	r       *bufio.Reader
	header  header
	rest    []byte // what was read of the rows after one that failed
	lenient bool   // a quote that does not end on its line is text
	row     []byte
	next    [][]string // rows that were read to name the columns
}

// ErrFirstRow means that the row that names the columns is damaged.
var ErrFirstRow = errors.New("the first row cannot be read")

// NewText returns a reader of the rows. The delimiter is the one that splits the first rows most uniformly. r
// returns UTF-8, as plaintext does. It returns ErrFirstRow.
func NewText(r io.Reader) (*Text, error) {
	t := &Text{r: bufio.NewReaderSize(r, maxHead)}
	head, err := t.r.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	t.Delimiter = delimiter(head, err == nil)
	for {
		first, failed, err := t.read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		if failed != "" {
			return nil, fmt.Errorf("%w: %s", ErrFirstRow, failed)
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

// Columns returns the names of the columns.
func (t *Text) Columns() []string { return t.header.names }

// Next returns the next row that is not empty, or io.EOF. A row that is damaged has an Error.
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

// delimiter returns the delimiter that most often splits the first rows into the same number of cells, at least
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

// read returns the cells of the next row, or why they cannot be read.
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
		if scan.broken || ended || len(t.row)-first > maxCell { // the quote is text
			t.rest = append(bytes.Clone(t.row[first:]), t.rest...)
			t.lenient = true
			return nil, "a quote does not end", nil
		}
	}
}

// line appends the next line to the row, with its break. ended reports the end of the text.
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

// cellScan finds the cells of a row that arrives line by line. A cell is quoted if it begins with a quote.
type cellScan struct {
	delimiter byte
	lenient   bool
	open      bool // a quoted cell continues
	at        int
	started   bool // the cell has characters
	quoted    bool // the cell began with a quote
	carried   bool // on an earlier line
	broken    bool // a multi-line cell continues after its closing quote
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
		case c == '"' && s.quoted && i > 0 && line[i-1] == '"': // two are one
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

// closes reports whether what follows a quote can follow a quoted cell, or is the second of two quotes.
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
