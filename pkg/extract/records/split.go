package records

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A Cut states how a line relates to the boundaries of records.
type Cut int

// The values of Cut.
const (
	Inside   Cut = iota // the line belongs to the current record, or begins the first one
	Begins              // the line begins a record
	Ends                // the line ends the current record
	Outside             // the line belongs to no record
	Discards            // the lines so far are a header instead of a record
)

// A Boundary classifies the lines of one file in order. A line is passed without its line break, is truncated to
// maxLine bytes, and is valid until the call returns.
type Boundary func(line []byte) Cut

const maxLine = 4 << 10

// A Raw is a record as in the file.
type Raw struct {
	Index  int
	Offset int64  // offset of its first byte in the file
	Length int64  // in bytes
	Bytes  []byte // nil if the scanner does not keep them or Length exceeds MaxRecordBytes; valid until the next call
}

// A Scanner reads a file record by record in constant memory.
type Scanner struct {
	r        *bufio.Reader
	boundary Boundary
	keep     bool

	index   int
	offset  int64  // of the end of the last record
	pending int64  // length of first, or 0 if there is none
	first   []byte // the first line of the next record
	long    []byte // a line that exceeds the reader's buffer
	buffer  []byte
}

// NewScanner returns a scanner of r, which is a file or a part of a file that begins with a record. A byte order mark at
// the beginning belongs to no record. If keep is true, the scanner returns the bytes of each record, in which line breaks
// of old Macs are line feeds.
func NewScanner(r io.Reader, boundary Boundary, keep bool) *Scanner {
	s := &Scanner{r: LineFeeds(r), boundary: boundary, keep: keep}
	if head, _ := s.r.Peek(len(byteOrderMark)); string(head) == byteOrderMark { // an error is returned by the next read
		n, _ := s.r.Discard(len(head)) // they are in the buffer
		s.offset = int64(n)
	}
	return s
}

// Next returns the next record, or io.EOF after the last one. Blank lines alone do not form a record.
func (s *Scanner) Next() (Raw, error) {
	raw := Raw{Index: s.index, Offset: s.offset}
	s.buffer = s.buffer[:0]
	blank := s.pending == 0
	if s.pending > 0 {
		s.take(&raw, s.first, s.pending)
		s.pending = 0
	}
	for {
		line, length, err := s.readLine()
		if err != nil {
			return Raw{}, fmt.Errorf("read: %w", err)
		}
		if length == 0 { // the end
			if blank {
				return Raw{}, io.EOF
			}
			return s.done(raw), nil
		}
		text := bytes.TrimRight(line, "\r\n")
		cut := s.boundary(text[:min(len(text), maxLine)])
		switch {
		case cut == Begins && !blank:
			s.pending, s.first = length, append(s.first[:0], line...)
			return s.done(raw), nil
		case cut == Begins: // the preceding blank lines belong to no record
			raw.Offset, raw.Length, s.buffer = raw.Offset+raw.Length, 0, s.buffer[:0]
		case cut == Discards:
			raw.Offset, raw.Length, s.buffer = raw.Offset+raw.Length+length, 0, s.buffer[:0]
			blank = true
			continue
		case cut == Outside && raw.Length == 0:
			raw.Offset += length
			continue
		}
		s.take(&raw, line, length)
		blank = blank && len(bytes.TrimSpace(text)) == 0
		if cut == Ends {
			return s.done(raw), nil
		}
	}
}

func (s *Scanner) take(raw *Raw, line []byte, length int64) {
	raw.Length += length
	if s.keep && raw.Length <= MaxRecordBytes {
		s.buffer = append(s.buffer, line...)
	}
}

func (s *Scanner) done(raw Raw) Raw {
	s.index++
	s.offset = raw.Offset + raw.Length
	if s.keep && raw.Length <= MaxRecordBytes {
		raw.Bytes = s.buffer
	}
	return raw
}

// readLine returns the next line with its line break, truncated to MaxRecordBytes, and its length. The
// length is 0 at the end.
func (s *Scanner) readLine() ([]byte, int64, error) {
	line, err := s.r.ReadSlice('\n')
	length := int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		s.long = s.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			s.long = append(s.long, line[:min(len(line), MaxRecordBytes-len(s.long))]...)
			line, err = s.r.ReadSlice('\n')
			length += int64(len(line))
		}
		s.long = append(s.long, line[:min(len(line), MaxRecordBytes-len(s.long))]...)
		line = s.long
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	return line, length, nil
}

// A Span is the part of a file that contains the records of one chunk.
type Span struct {
	Chunk  int   `json:"chunk"` // from 0; its first record is Chunk*ChunkSize
	Count  int   `json:"count"` // number of records
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
}

// Spans finds the spans of all chunks of a file. found counts all records, including those beyond
// MaxRecords, which are in no span.
func Spans(r io.Reader, boundary Boundary) (spans []Span, found int, err error) {
	scanner := NewScanner(r, boundary, false)
	for {
		raw, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return spans, found, nil
		} else if err != nil {
			return nil, 0, err
		}
		found++
		if raw.Index >= MaxRecords {
			continue
		}
		if raw.Index%ChunkSize == 0 {
			spans = append(spans, Span{Chunk: raw.Index / ChunkSize, Offset: raw.Offset})
		}
		span := &spans[len(spans)-1]
		span.Count++
		span.Length = raw.Offset + raw.Length - span.Offset
	}
}
