package records

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"
)

// Limits of a page, and its default length.
const (
	MaxPage     = 200
	DefaultPage = 50
)

// ErrNoRecord means that the file has no record with this index.
var ErrNoRecord = errors.New("no such record")

// A File reads the records of a processed file.
type File struct {
	// Get reads length bytes of an object from offset, or fewer at its end. If length is negative, it
	// reads to the end.
	Get     func(ctx context.Context, name string, offset, length int64) ([]byte, error)
	Total   int      // records in chunks
	Starts  []int    // as in the Index
	Columns []Column // of all records
}

// A Query selects a page of records. Its zero value selects the first page.
type Query struct {
	From    int      // index of the first record to consider
	Limit   int      // maximum records; 0 means DefaultPage, and MaxPage is the maximum
	Columns []Column // columns to return; nil for all
	Content bool     // whether to return the content
	Filter  *Filter  // nil for all records
}

// Length returns the maximum number of records on the page.
func (q Query) Length() int {
	if q.Limit <= 0 {
		return DefaultPage
	}
	return min(q.Limit, MaxPage)
}

// A Page contains records in file order.
type Page struct {
	Records []Record
	Next    int // index of the first record of the next page, or -1
}

// Page returns the page that q selects. It reads only the columns that the filter refers to, and the records of the
// page.
func (f *File) Page(ctx context.Context, q Query) (Page, error) {
	limit := q.Length()
	from := max(0, q.From)
	page := Page{Next: -1, Records: []Record{}}
	l := f.layout()
	for chunk, ahead := l.chunkOf(from), parallelChunks; chunk < l.chunks(); chunk, ahead = chunk+ahead, min(2*ahead, maxAhead) {
		indexes, err := f.matches(ctx, chunk, ahead, from, limit+1, q.Filter)
		if err != nil {
			return Page{}, err
		}
		if room := limit - len(page.Records); len(indexes) > room {
			page.Next = indexes[room]
			indexes = indexes[:room]
		}
		found, err := f.records(ctx, indexes, q)
		if err != nil {
			return Page{}, err
		}
		page.Records = append(page.Records, found...)
		if page.Next >= 0 {
			break
		}
	}
	return page, nil
}

// Record returns one record, or ErrNoRecord.
func (f *File) Record(ctx context.Context, index int) (Record, error) {
	if index < 0 || index >= f.Total {
		return Record{}, fmt.Errorf("record %d of %d: %w", index, f.Total, ErrNoRecord)
	}
	found, err := f.records(ctx, []int{index}, Query{Content: true})
	if err != nil {
		return Record{}, err
	}
	return found[0], nil
}

// All iterates over the records that match the filter, or over all if it is nil, in order and in
// constant memory. An error ends the iteration.
func (f *File) All(ctx context.Context, filter *Filter) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for chunk := range f.layout().chunks() {
			for r, err := range f.Chunk(ctx, chunk) {
				if err != nil {
					yield(nil, err)
					return
				}
				if (filter == nil || filter.match(r)) && !yield(r, nil) {
					return
				}
			}
		}
	}
}

const (
	parallelChunks = 8
	// maxAhead is the number of chunks searched concurrently by a filter that has selected few records so far.
	maxAhead = 32
)

func (f *File) layout() layout { return layout{f.Total, f.Starts} }

// matches returns the indexes, starting at from, of at most limit matching records in ahead chunks, starting at chunk.
func (f *File) matches(ctx context.Context, chunk, ahead, from, limit int, filter *Filter) ([]int, error) {
	l := f.layout()
	last := min(chunk+ahead, l.chunks())
	var indexes []int
	if filter == nil {
		for i := max(from, l.start(chunk)); i < l.start(last) && len(indexes) < limit; i++ {
			indexes = append(indexes, i)
		}
		return indexes, nil
	}
	found := make([][]int, last-chunk)
	group, ctx := errgroup.WithContext(ctx)
	for i := range found {
		group.Go(func() (err error) {
			found[i], err = f.matchChunk(ctx, chunk+i, filter)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, some := range found {
		for _, i := range some {
			if i >= from && len(indexes) < limit {
				indexes = append(indexes, i)
			}
		}
	}
	return indexes, nil
}

func (f *File) matchChunk(ctx context.Context, chunk int, filter *Filter) ([]int, error) {
	o, err := f.open(ctx, chunk)
	if err != nil {
		return nil, err
	}
	values := make([][]string, len(filter.columns))
	for i, key := range filter.columns {
		if values[i], err = o.column(ctx, key); err != nil {
			return nil, err
		}
	}
	var indexes []int
	row, first := make([]string, len(values)), f.layout().start(chunk)
	for i := range o.header.Count {
		for j := range values {
			row[j] = ""
			if values[j] != nil {
				row[j] = values[j][i]
			}
		}
		if filter.root.match(row) {
			indexes = append(indexes, first+i)
		}
	}
	return indexes, nil
}

// records returns the records with these ascending indexes, reduced to the parts that the query requests.
func (f *File) records(ctx context.Context, indexes []int, q Query) ([]Record, error) {
	found, l := make([]Record, len(indexes)), f.layout()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelChunks)
	for at := 0; at < len(indexes); {
		chunk, start := l.chunkOf(indexes[at]), at
		for at < len(indexes) && indexes[at] < l.start(chunk+1) {
			at++
		}
		group.Go(func() error { return f.pick(ctx, chunk, indexes[start:at], q, found[start:at]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return found, nil
}

// pick reads the records of one chunk with these indexes into found.
func (f *File) pick(ctx context.Context, chunk int, indexes []int, q Query, found []Record) error {
	o, err := f.open(ctx, chunk)
	if err != nil {
		return err
	}
	first := f.layout().start(chunk)
	for at := 0; at < len(indexes); {
		member := (indexes[at] - first) / memberSize
		if member+1 >= len(o.header.Members) {
			return damaged(fmt.Sprintf("no record %d", indexes[at]), nil)
		}
		for r, err := range f.lines(ctx, chunk, o.header.Members[member], o.header.Members[member+1]-o.header.Members[member]) {
			if err != nil {
				return err
			}
			if at < len(indexes) && r.Index == indexes[at] {
				r.project(q.Columns, q.Content)
				found[at] = *r
				at++
			}
		}
		if at < len(indexes) && (indexes[at]-first)/memberSize == member {
			return damaged(fmt.Sprintf("no record %d", indexes[at]), nil)
		}
	}
	return nil
}

// readAhead is the size of a read of a chunk's lines, unless a member is larger.
const readAhead = 1 << 20

// Chunk returns the records of a chunk, in order.
func (f *File) Chunk(ctx context.Context, chunk int) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		o, err := f.open(ctx, chunk)
		if err != nil {
			yield(nil, err)
			return
		}
		members := o.header.Members
		for from := 0; from+1 < len(members); {
			to := from + 1
			for to+1 < len(members) && members[to+1]-members[from] <= readAhead {
				to++
			}
			for r, err := range f.lines(ctx, chunk, members[from], members[to]-members[from]) {
				if !yield(r, err) || err != nil {
					return
				}
			}
			from = to
		}
	}
}

// lines returns the records in a range of the lines of a chunk.
func (f *File) lines(ctx context.Context, chunk int, offset, length int64) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		compressed, err := f.Get(ctx, LinesName(chunk), offset, length)
		if err != nil {
			yield(nil, err)
			return
		}
		gz, err := gzip.NewReader(bytes.NewReader(compressed))
		if err != nil {
			yield(nil, damaged("lines", err))
			return
		}
		for lines := bufio.NewReaderSize(gz, 64<<10); ; {
			line, err := lines.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			var r Record
			if err == nil {
				err = parseLine(line[:len(line)-1], &r)
			}
			if err != nil {
				yield(nil, damaged("lines", err))
				return
			}
			if !yield(&r, nil) {
				return
			}
		}
	}
}
