package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/url"
	"strconv"
)

// LibraryRecord is a molecule, a reaction, a crystal, a spectrum or a row of a file.
type LibraryRecord struct {
	Index         int             `json:"index"`  // zero-based, in the order of the file; addresses the record
	Number        int             `json:"number"` // Index + 1, as shown to people
	State         string          `json:"state"`  // LibraryProcessed or LibraryFailed
	Name          string          `json:"name,omitempty"`
	Error         string          `json:"error,omitempty"` // reason for the failure
	Fields        json.RawMessage `json:"fields"`          // JSON object of values read from the file, in file order
	Properties    json.RawMessage `json:"properties"`      // JSON object of values computed by Assay
	NotDetermined []string        `json:"notDetermined,omitempty"`
}

// RecordQuery selects records. The zero value selects all.
type RecordQuery struct {
	From   int    // index of the first record; not with Sort
	Fields string // comma-separated names; empty means all
	Filter string // such as "logP < 3"
	Sort   string // comma-separated names such as "-weight,name"; empty means the order of the file
	Limit  int    // page size; 0 means the server's default
}

func (q RecordQuery) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"fields": q.Fields, "filter": q.Filter, "sort": q.Sort} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, value := range map[string]int{"from": q.From, "limit": q.Limit} {
		if value > 0 {
			query.Set(name, strconv.Itoa(value))
		}
	}
	return query
}

// RecordPage is one page of the records of a file. NextCursor is empty on the last page.
type RecordPage struct {
	Total          int             `json:"total"` // records of the file that were processed or failed, whatever the filter
	Failed         int             `json:"failed"`
	Found          int             `json:"found"`                    // records in the file
	Matched        *int            `json:"matched,omitempty"`        // records that the filter selects, or nil if counting takes too long
	MatchedAtLeast int             `json:"matchedAtLeast,omitempty"` // instead of Matched
	Records        []LibraryRecord `json:"records"`
	// Incomplete contains the number of records for which a property in the filter or the selected fields could not be
	// determined, by property.
	Incomplete map[string]int `json:"incomplete"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

// RecordPage returns the page of records at a cursor, or the first page if cursor is empty.
func (c *Client) RecordPage(ctx context.Context, fileID string, q RecordQuery, cursor string) (RecordPage, error) {
	op := libraryRead(Reading{}, "files", fileID, "records")
	op.query = q.query()
	if cursor != "" {
		op.query.Set("cursor", cursor)
		op.query.Del("from")
	}
	var page RecordPage
	err := c.do(ctx, op, &page)
	return page, err
}

// Records iterates over the records of a file, in the order of the query. It stops after the first error.
func (c *Client) Records(ctx context.Context, fileID string, q RecordQuery) iter.Seq2[LibraryRecord, error] {
	return func(yield func(LibraryRecord, error) bool) {
		for cursor := ""; ; {
			page, err := c.RecordPage(ctx, fileID, q, cursor)
			if err != nil {
				yield(LibraryRecord{}, err)
				return
			}
			for _, r := range page.Records {
				if !yield(r, nil) {
					return
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				return
			}
		}
	}
}

// Record returns a record of a file by its index.
func (c *Client) Record(ctx context.Context, fileID string, index int) (LibraryRecord, error) {
	var r LibraryRecord
	err := c.do(ctx, libraryRead(Reading{}, "files", fileID, "records", strconv.Itoa(index)), &r)
	return r, err
}

// RecordImage returns the drawing of a record as SVG. The caller closes it.
func (c *Client) RecordImage(ctx context.Context, fileID string, index int) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(Reading{}, "files", fileID, "records", strconv.Itoa(index), "image.svg"))
}

// RecordContent returns a record in the format of its file. The caller closes it.
func (c *Client) RecordContent(ctx context.Context, fileID string, index int) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(Reading{}, "files", fileID, "records", strconv.Itoa(index), "content"))
}

// RecordTable is a loop of a crystal or a curve of a spectrum.
type RecordTable struct {
	Index   int      `json:"index"` // zero-based
	Name    string   `json:"name,omitempty"`
	Columns []string `json:"columns"`
	Rows    int      `json:"rows"`
}

// RecordTables lists the tables of a record.
func (c *Client) RecordTables(ctx context.Context, fileID string, index int) ([]RecordTable, error) {
	var list struct{ Tables []RecordTable }
	err := c.do(ctx, libraryRead(Reading{}, "files", fileID, "records", strconv.Itoa(index), "tables"), &list)
	return list.Tables, err
}

// RecordTable returns a table of a record as CSV with a header. The caller closes it.
func (c *Client) RecordTable(ctx context.Context, fileID string, index, table int) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(Reading{}, "files", fileID, "records", strconv.Itoa(index), "tables", strconv.Itoa(table)))
}

// Export describes an export of the records of a file.
type Export struct {
	Format string // csv, jsonl, or the format of the file, such as sdf
	Fields string // comma-separated names; empty means all
	Rename string // comma-separated pairs such as weight:Mass
	Filter string
	// Formulas is text for a CSV in which spreadsheets read values such as =1+1 as texts; empty leaves all values unchanged.
	Formulas string
}

// ExportRecords exports the records of a file. The caller closes the stream. Reading a truncated export returns an
// error.
func (c *Client) ExportRecords(ctx context.Context, fileID string, e Export) (io.ReadCloser, error) {
	op := libraryRead(Reading{}, "files", fileID, "export")
	op.query = RecordQuery{Fields: e.Fields, Filter: e.Filter}.query()
	op.query.Set("format", e.Format)
	for name, value := range map[string]string{"rename": e.Rename, "formulas": e.Formulas} {
		if value != "" {
			op.query.Set(name, value)
		}
	}
	return c.body(ctx, op)
}
