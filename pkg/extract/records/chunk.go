package records

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// A chunk is stored in two objects. The lines are its records as JSON Lines, in gzip members of memberSize
// records, so that a record can be read without the preceding ones. The columns, which filters read, are a
// header and the values of each column, compressed individually. Their layout is
//
//	magic, length of the header (4 bytes, big endian), header (JSON), columns
//
// A value in a column is encoded as its length plus one, a varint, followed by its bytes; a missing value is
// the varint 0.

// LinesName is the name of the object with the records of a chunk.
func LinesName(chunk int) string { return fmt.Sprintf("records/%05d.jsonl.gz", chunk) }

// ColumnsName is the name of the object with the columns of a chunk.
func ColumnsName(chunk int) string { return fmt.Sprintf("records/%05d.columns", chunk) }

const (
	magic      = "assay-columns-1\n"
	memberSize = 25
	maxValue   = 8 << 10  // bytes of a value in a column
	maxColumns = 32 << 20 // bytes of all values of a chunk's columns
	maxHeader  = 16 << 20
)

type chunkHeader struct {
	Chunk   int     `json:"chunk"`
	Count   int     `json:"count"`
	Members []int64 `json:"members"` // offset of each member in the lines, and the length of the lines
	Summary Summary `json:"summary"`
	Parts   []part  `json:"parts"` // names, errors, and the columns of the summary
}

type part struct {
	Offset int64 `json:"o"` // relative to the end of the header
	Length int64 `json:"n"`
	Cut    bool  `json:"cut,omitempty"` // a value is missing or truncated
}

// The parts before the summary's columns.
const (
	namePart = iota
	errorPart
	firstColumn
)

// A ChunkWriter writes the records of one chunk.
type ChunkWriter struct {
	first  int // index of the first record
	lines  *countingWriter
	gz     *gzip.Writer
	header chunkHeader
	values []*columnValues
	size   int
	buffer []byte
}

type columnValues struct {
	data  []byte
	count int // values, including missing ones
	cut   bool
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// NewChunkWriter returns a writer of the chunk with the given number, counted from 0, and the index of its first record. It
// writes the lines to w.
func NewChunkWriter(w io.Writer, chunk, first int) (*ChunkWriter, error) {
	lines := &countingWriter{w: w}
	gz, err := gzip.NewWriterLevel(lines, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	return &ChunkWriter{
		first: first, lines: lines, gz: gz, header: chunkHeader{Chunk: chunk}, values: []*columnValues{{}, {}},
	}, nil
}

// Add sets the index of a record and writes it.
func (w *ChunkWriter) Add(r *Record) error {
	if w.header.Count >= MaxChunk {
		return fmt.Errorf("chunk %d already has %d records", w.header.Chunk, MaxChunk)
	}
	if w.header.Count%memberSize == 0 {
		if err := w.member(); err != nil {
			return err
		}
	}
	r.Index = w.first + w.header.Count
	w.buffer = append(appendRecord(w.buffer[:0], r), '\n')
	if _, err := w.gz.Write(w.buffer); err != nil {
		return err
	}
	w.header.Summary.Add(r)
	w.value(namePart, r.Name)
	w.value(errorPart, r.Error)
	if !r.Failed() {
		for i := range r.Properties {
			w.cell(columnKey{r.Properties[i].Name, true}, textOf(r.Properties[i].Value))
		}
		for i := range r.Fields {
			w.cell(columnKey{r.Fields[i].Name, false}, r.Fields[i].Value)
		}
	}
	w.header.Count++
	return nil
}

func (w *ChunkWriter) member() error {
	if w.header.Count > 0 {
		if err := w.gz.Close(); err != nil {
			return err
		}
		w.gz.Reset(w.lines)
	}
	w.header.Members = append(w.header.Members, w.lines.n)
	return nil
}

func (w *ChunkWriter) cell(key columnKey, value string) {
	if i, found := w.header.Summary.find(key); found {
		w.value(firstColumn+i, value)
	}
}

func (w *ChunkWriter) value(part int, value string) {
	for len(w.values) <= part {
		w.values = append(w.values, &columnValues{})
	}
	v := w.values[part]
	for v.count < w.header.Count {
		v.data = append(v.data, 0)
		v.count++
	}
	if value == "" {
		return
	}
	if len(value) > maxValue || w.size+len(value) > maxColumns {
		value = value[:min(len(value), maxValue)]
		v.cut = true
		if w.size > maxColumns {
			return
		}
	}
	w.size += len(value) + 2
	v.data = append(binary.AppendUvarint(v.data, uint64(len(value))+1), value...)
	v.count++
}

// Close completes the lines and writes the columns.
func (w *ChunkWriter) Close(columns io.Writer) error {
	if w.header.Count > 0 {
		if err := w.gz.Close(); err != nil {
			return err
		}
	}
	w.header.Members = append(w.header.Members, w.lines.n)
	var data bytes.Buffer
	deflate, err := flate.NewWriter(&data, flate.BestSpeed)
	if err != nil {
		return err
	}
	for len(w.values) < firstColumn+len(w.header.Summary.Columns) {
		w.values = append(w.values, &columnValues{})
	}
	for _, v := range w.values {
		from := int64(data.Len())
		deflate.Reset(&data)
		if _, err := deflate.Write(v.data); err != nil {
			return err
		}
		if err := deflate.Close(); err != nil {
			return err
		}
		w.header.Parts = append(w.header.Parts, part{from, int64(data.Len()) - from, v.cut})
	}
	header, err := json.Marshal(&w.header)
	if err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32([]byte(magic), uint32(len(header)))
	for _, b := range [][]byte{head, header, data.Bytes()} {
		if _, err := columns.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// Summary returns the summary of the columns.
func (w *ChunkWriter) Summary() *Summary { return &w.header.Summary }

// ErrDamaged means that an object was not written by a ChunkWriter.
var ErrDamaged = errors.New("the chunk of records is damaged")

func damaged(what string, err error) error {
	if err == nil {
		return fmt.Errorf("%w: %s", ErrDamaged, what)
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
}

// headerSize returns the size in bytes of the columns object up to its first column.
func headerSize(head []byte) (int64, error) {
	if len(head) < len(magic)+4 || string(head[:len(magic)]) != magic {
		return 0, damaged("no columns", nil)
	}
	n := binary.BigEndian.Uint32(head[len(magic):])
	if n > maxHeader {
		return 0, damaged(fmt.Sprintf("a header of %d bytes", n), nil)
	}
	return int64(len(magic) + 4 + int(n)), nil
}

func parseHeader(head []byte) (*chunkHeader, error) {
	var h chunkHeader
	if err := json.Unmarshal(head[len(magic)+4:], &h); err != nil {
		return nil, damaged("header", err)
	}
	members := (h.Count + memberSize - 1) / memberSize
	if h.Count < 0 || h.Count > MaxChunk || len(h.Members) != members+1 || len(h.Parts) != firstColumn+len(h.Summary.Columns) {
		return nil, damaged("header", nil)
	}
	return &h, nil
}

// readColumn returns the values of a column, one per record; a missing value is "".
func readColumn(compressed []byte, count int) ([]string, error) {
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), 2*maxColumns))
	if err != nil {
		return nil, damaged("column", err)
	}
	text := string(data)
	values := make([]string, count)
	for i, at := 0, 0; i < count && at < len(data); i++ {
		n, size := binary.Uvarint(data[at:])
		if size <= 0 || n > uint64(len(data)-at-size)+1 {
			return nil, damaged("column", nil)
		}
		at += size
		if n > 0 {
			values[i] = text[at : at+int(n)-1]
			at += int(n) - 1
		}
	}
	return values, nil
}
