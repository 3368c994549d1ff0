package library

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/web"
)

func (a *Area) tableRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-library-record-tables", Method: http.MethodGet, Path: "/v1/library/files/{id}/records/{index}/tables", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary:     "List the tables of a record",
		Description: "The loops of a crystal, in the order of the file, or the curves of a spectrum. Other records have no tables.",
	}, a.listTables, linked, ofRecords, tooManyDownloads)
	operation := recordOperation("get-library-record-table", "/tables/{table}", "Download a table of a record as CSV",
		"The columns of a loop of a crystal, or the points of a curve of a spectrum. Values are unchanged.", bytesOf([]string{mediaTypes[formatCSV]}, "Content-Disposition"))
	operation.Parameters = append(operation.Parameters, &huma.Param{
		Name: "table", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(float64)}, Description: "zero-based index in the list of tables",
	})
	r.Handle(operation, a.limited(a.table), linked, ofRecords, tooManyDownloads)
}

type tablesOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         struct {
		Tables []tableView `json:"tables"`
	}
}

type tableView struct {
	Index   int      `json:"index" doc:"zero-based index of the table"`
	Name    string   `json:"name,omitempty" example:"_atom_site" doc:"the category of a loop, or the page of a curve"`
	Columns []string `json:"columns" doc:"tags of a loop, or coordinates with their units"`
	Rows    int      `json:"rows"`
}

func (a *Area) listTables(ctx context.Context, in *recordInput) (*tablesOutput, error) {
	leave, err := in.Caller.Enter(a.downloads, "downloads")
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := a.records(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	r, err := f.records.Record(ctx, in.Index)
	if err != nil {
		return nil, problem(err)
	}
	all, err := f.tables(&r)
	if err != nil {
		return nil, err
	}
	out := &tablesOutput{CacheControl: noStore}
	out.Body.Tables = []tableView{}
	for i, t := range all {
		out.Body.Tables = append(out.Body.Tables, tableView{Index: i, Name: t.Name, Columns: t.Columns, Rows: t.Rows})
	}
	return out, nil
}

// tables returns the tables of a record.
func (f *recordFile) tables(r *records.Record) ([]records.Table, error) {
	kind, known := extract.FindRecordFormat(f.overview.Format)
	if !known || kind.Tables == nil || r.Failed() {
		return nil, nil
	}
	return kind.Tables(r.Content)
}

func (a *Area) table(w http.ResponseWriter, r *http.Request) {
	f, record, err := a.requestedRecord(r)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	all, err := f.tables(&record)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	index, err := strconv.Atoi(r.PathValue("table"))
	if err != nil || index < 0 || index >= len(all) {
		web.WriteError(w, r, web.NotFound("The record has no table with this index."))
		return
	}
	f.headers(w, formatCSV, fmt.Sprintf("-%d-%d", record.Index+1, index+1))
	if err := all[index].WriteCSV(w); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices the truncation
	}
}
