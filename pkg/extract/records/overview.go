package records

import (
	"context"
	"encoding/json"
	"io"

	"golang.org/x/sync/errgroup"
)

// The names of the objects that describe all records of a file.
const (
	IndexName    = "records/index.json"
	OverviewName = "fields.json"
	FailuresName = "failures.jsonl.gz" // JSON Lines of each Failure, if there are more than MaxFailures
)

// MaxFailures is the maximum number of failures in an Overview.
const MaxFailures = 20

// An Index is the result of parsing. The rows of tables have no spans, because a table is read only once.
type Index struct {
	Format   string   `json:"format"` // the name of a records.Format, csv or xlsx
	Found    int      `json:"found"`  // records in the file
	Spans    []Span   `json:"spans,omitempty"`
	Charset  string   `json:"charset,omitempty"`  // of the records, if it is not UTF-8
	Starts   []int    `json:"starts,omitempty"`   // index of the first row of each chunk of a table; if absent, each has ChunkSize
	Remarks  []string `json:"remarks,omitempty"`  // what was guessed or skipped and could be read otherwise
	Preamble string   `json:"preamble,omitempty"` // the lines before a table

	Delimiter string            `json:"delimiter,omitempty"` // of the cells of a table
	Decimal   string            `json:"decimal,omitempty"`   // the decimal mark of all numbers, if it was stated
	Units     map[string]string `json:"units,omitempty"`     // by column, if a row of a table states them
}

// Total returns the number of records in chunks.
func (x Index) Total() int {
	if x.Starts != nil {
		return min(x.Found, MaxRows)
	}
	return min(x.Found, MaxRecords)
}

// Chunks returns the number of chunks.
func (x Index) Chunks() int { return layout{x.Total(), x.Starts}.chunks() }

// ParseIndex parses the object IndexName.
func ParseIndex(document []byte) (Index, error) {
	var x Index
	if err := json.Unmarshal(document, &x); err != nil {
		return x, damaged("index", err)
	}
	if !(layout{x.Total(), x.Starts}).valid() {
		return x, damaged("index", nil)
	}
	return x, nil
}

// An Overview summarizes all records of a file.
type Overview struct {
	Format    string    `json:"format"`
	Found     int       `json:"found"`     // in the file
	Processed int       `json:"processed"` // without error
	Failed    int       `json:"failed"`
	Omitted   int       `json:"omittedFields,omitempty"` // beyond MaxFields
	Starts    []int     `json:"starts,omitempty"`        // as in the Index
	Columns   []Column  `json:"fields"`
	Failures  []Failure `json:"failures,omitempty"` // the first MaxFailures
	Remarks   []string  `json:"remarks,omitempty"`  // as in the Index, and about the values of columns
	Preamble  string    `json:"preamble,omitempty"` // as in the Index
}

// A Failure is a record that could not be processed.
type Failure struct {
	Index int    `json:"index"`
	Name  string `json:"name,omitempty"`
	Error string `json:"error"`
}

// ParseOverview parses the object OverviewName.
func ParseOverview(document []byte) (Overview, error) {
	var o Overview
	if err := json.Unmarshal(document, &o); err != nil {
		return o, damaged("overview", err)
	}
	if o.Processed < 0 || o.Failed < 0 || o.Total() > MaxRows || !(layout{o.Total(), o.Starts}).valid() {
		return o, damaged("overview", nil)
	}
	return o, nil
}

// Total returns the number of records in chunks.
func (o Overview) Total() int { return o.Processed + o.Failed }

// Survey returns the summary of the columns of all chunks. It calls failed for each record that failed, in order.
// It does not use f.Columns.
func (f *File) Survey(ctx context.Context, failed func(Failure) error) (*Summary, error) {
	total := &Summary{}
	for chunk, all := 0, f.layout().chunks(); chunk < all; chunk += parallelChunks {
		opened := make([]*openChunk, min(parallelChunks, all-chunk))
		failures := make([][]Failure, len(opened))
		group, ctx := errgroup.WithContext(ctx)
		for i := range opened {
			group.Go(func() (err error) {
				if opened[i], err = f.open(ctx, chunk+i); err == nil {
					failures[i], err = opened[i].failures(ctx)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for i, o := range opened {
			total.Merge(&o.header.Summary)
			for _, one := range failures[i] {
				if err := failed(one); err != nil {
					return nil, err
				}
			}
		}
	}
	return total, nil
}

// failures returns the failed records of the chunk.
func (o *openChunk) failures(ctx context.Context) ([]Failure, error) {
	if o.header.Summary.Failed == 0 {
		return nil, nil
	}
	reasons, err := o.values(ctx, errorKey)
	if err != nil {
		return nil, err
	}
	names, err := o.values(ctx, nameKey)
	if err != nil {
		return nil, err
	}
	var all []Failure
	for i, reason := range reasons {
		if reason != "" {
			all = append(all, Failure{Index: o.file.layout().start(o.header.Chunk) + i, Name: names[i], Error: reason})
		}
	}
	return all, nil
}

// Start returns the index of the first record of a chunk, or the number of records for the chunk after the last one.
func (x Index) Start(chunk int) int { return layout{x.Total(), x.Starts}.start(chunk) }

// FailChunk writes a chunk of a file whose records all failed for the same reason. The reason must not be empty.
func FailChunk(lines, columns io.Writer, x Index, chunk int, reason string) error {
	w, err := NewChunkWriter(lines, chunk, x.Start(chunk))
	if err != nil {
		return err
	}
	for range x.Start(chunk+1) - x.Start(chunk) {
		if err := w.Add(&Record{Error: reason}); err != nil {
			return err
		}
	}
	return w.Close(columns)
}
