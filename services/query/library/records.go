package library

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/extract/structure"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/web"
)

func (a *Area) recordRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-library-records", Method: http.MethodGet, Path: "/v1/library/files/{id}/records", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "List the records of a file, in the order of the file or sorted",
		Description: "Molecules, reactions, crystals, spectra or rows. Fields are read from the file; properties are computed by Assay. " +
			"Returns 409 until the file is processed. See docs/library.md for the filters.",
	}, a.listRecords, linked, ofRecords)
	web.Register(r, huma.Operation{
		OperationID: "summarize-library-records", Method: http.MethodGet, Path: "/v1/library/files/{id}/records/summary", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Describe the values of the records of a file",
		Description: "Count, minimum, maximum, mean, standard deviation, histogram and most frequent values of each field and property, of all records or of those that a filter selects, and of groups of them. " +
			"Returns 409 until the file is processed. See docs/library.md.",
	}, a.summarizeRecords, linked, ofRecords, tooManyDownloads)
	web.Register(r, huma.Operation{
		OperationID: "get-library-record", Method: http.MethodGet, Path: "/v1/library/files/{id}/records/{index}", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get a record of a file",
	}, a.getRecord, linked, ofRecords)
	r.Handle(recordOperation("get-library-record-image", "/image.svg", "Get the drawing of a record",
		"Drawn from the coordinates, points or cell of the record. Returns 404 if it has none.", drawing()), a.limited(a.recordImage), linked, ofRecords, tooManyDownloads)
	r.Handle(recordOperation("get-library-record-content", "/content", "Download a record in the format of its file",
		"Includes its fields. Table rows are returned as CSV with a header.", download(), formulasParameter()), a.limited(a.recordContent), linked, ofRecords, tooManyDownloads)
	r.Handle(exportOperation(), a.limited(a.export), linked, ofRecords, tooManyDownloads)
	a.tableRoutes(r)
}

// recordFile is a file with its records.
type recordFile struct {
	records  records.File
	overview records.Overview
	name     string
	id       string
	run      int64
	part     part // of the content of the file
}

// records opens the records of a file that the caller may read. It can return errRunning and *noRecordsError.
func (a *Area) records(ctx context.Context, id string, who ReaderParam) (*recordFile, error) {
	file, _, _, err := a.readableFile(ctx, id, who)
	switch {
	case err != nil:
		return nil, err
	case !file.Final():
		return nil, errRunning
	case !library.PlanOf(file.Type).HasRecords():
		return nil, &noRecordsError{"Files of type " + string(file.Type) + " have no records."}
	}
	get := func(ctx context.Context, name string, offset, length int64) ([]byte, error) {
		return a.bucket.Part(ctx, library.ResultKey(file.ID, file.Run, name), offset, length)
	}
	document, err := get(ctx, records.OverviewName, 0, -1)
	if errors.Is(err, blob.ErrNotFound) {
		if file.Status == library.Failed {
			return nil, &noRecordsError{"The file Failed: " + file.ErrorMessage}
		}
		return nil, &noRecordsError{"The file has no records."}
	}
	if err != nil {
		return nil, err
	}
	o, err := records.ParseOverview(document)
	all := records.File{Get: get, Total: o.Total(), Starts: o.Starts, Columns: o.Columns}
	content := func(offset, length int64) ([]byte, error) { return a.bucket.Part(ctx, file.Key, offset, length) }
	return &recordFile{records: all, overview: o, name: file.Name, id: file.ID, run: file.Run, part: content}, err
}

type recordsInput struct {
	web.IDParam
	ReaderParam
	From   int    `query:"from" minimum:"0" example:"2000" doc:"zero-based index of the first record to consider; not with sort"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Fields string `query:"fields" maxLength:"10000" example:"formula,weight,logP" doc:"comma-separated names of the fields and properties to return; quote a name that contains a comma; default: all"`
	Sort   string `query:"sort" maxLength:"10000" example:"-weight,name" doc:"comma-separated names of up to 5 fields and properties; a minus sign before a name sorts in descending order; default: the order of the file"`
	Filter string `query:"filter" maxLength:"2000" example:"logP<3" doc:"filter on fields and properties: comparisons with < <= > >= = != ~ !~, combined with and, or, not and parentheses"`
	Cursor string `query:"cursor" doc:"the nextCursor of the previous page; keep fields, filter and sort unchanged"`
}

type recordsOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         recordList
}

type recordList struct {
	Total          int          `json:"total" doc:"number of records of the file that were processed or failed, whatever the filter" example:"100000"`
	Failed         int          `json:"failed" doc:"number of records of the file that failed, whatever the filter"`
	Matched        *int         `json:"matched,omitempty" doc:"number of records that the filter selects, on all pages; absent if counting them would take more than 2 seconds"`
	MatchedAtLeast int          `json:"matchedAtLeast,omitempty" doc:"instead of matched: the filter selects at least this number of records"`
	Found          int          `json:"found" doc:"number of records in the file; only the first 100,000, or 1,000,000 rows of a table, are processed"`
	Records        []recordView `json:"records"`
	// Incomplete is omitted if all properties are determined.
	Incomplete map[string]int `json:"incomplete,omitempty" doc:"for each property in the filter or in fields, the number of records for which it could not be determined; the filter does not find them"`
	NextCursor string         `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

func (a *Area) listRecords(ctx context.Context, in *recordsInput) (*recordsOutput, error) {
	f, err := a.records(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	found, m, next, err := a.recordPage(ctx, f, in)
	if err != nil {
		return nil, problem(err)
	}
	out := &recordsOutput{CacheControl: noStore, Body: recordList{
		Total: f.overview.Total(), Failed: f.overview.Failed, Found: f.overview.Found, Matched: m.exact, MatchedAtLeast: m.atLeast,
		Records: make([]recordView, len(found)), Incomplete: m.incomplete, NextCursor: next,
	}}
	for i := range found {
		r := &found[i]
		if in.Fields == "" && structure.Applies(f.overview.Format) {
			structure.NotIdentified(r)
		}
		out.Body.Records[i] = view(r)
	}
	return out, nil
}

// filter parses a filter. It returns nil for an empty filter and an HTTP problem for an invalid one.
func (f *recordFile) filter(text string) (*records.Filter, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	filter, err := records.ParseFilter(text, f.overview.Columns)
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "query.filter", Message: err.Error()})
	}
	return filter, nil
}

// selected returns the columns listed in fields, with the new names given in rename. The error is an HTTP problem.
func (f *recordFile) selected(fields, rename string) ([]records.Named, error) {
	names, err := listed(fields)
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "query.fields", Message: err.Error()})
	}
	pairs, err := listed(rename)
	renamed := map[string]string{}
	for _, pair := range pairs {
		if err == nil {
			err = f.rename(renamed, pair)
		}
	}
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "query.rename", Message: err.Error()})
	}
	selected, err := records.Select(names, renamed, f.overview.Columns)
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "query.fields", Message: err.Error()})
	}
	return selected, nil
}

// rename adds a pair of a name and its replacement, separated by a colon. The name itself may contain colons.
func (f *recordFile) rename(renamed map[string]string, pair string) error {
	for i := range len(pair) {
		if pair[i] != ':' {
			continue
		}
		if c, found := records.Find(pair[:i], f.overview.Columns); found {
			renamed[c.Name] = pair[i+1:]
			return nil
		}
	}
	name, _, two := strings.Cut(pair, ":")
	if !two {
		return fmt.Errorf("expected name:new instead of %q", pair)
	}
	return &records.UnknownFieldError{Name: name, Columns: f.overview.Columns}
}

// listed splits a comma-separated list. Names that contain a comma are quoted.
func listed(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	r := csv.NewReader(strings.NewReader(list))
	r.LazyQuotes, r.TrimLeadingSpace = true, true
	return r.Read()
}

type recordInput struct {
	web.IDParam
	ReaderParam
	Index int `path:"index" minimum:"0" doc:"zero-based index in the order of the file"`
}

type recordOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         recordView
}

func (a *Area) getRecord(ctx context.Context, in *recordInput) (*recordOutput, error) {
	f, err := a.records(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	r, err := f.records.Record(ctx, in.Index)
	if err != nil {
		return nil, problem(err)
	}
	r = f.detailed(r)
	return &recordOutput{CacheControl: noStore, Body: view(&r)}, nil
}

// recordView is the form of a record in the HTTP API.
type recordView struct {
	Index         int            `json:"index" doc:"zero-based index in the order of the file, which addresses the record"`
	Number        int            `json:"number" doc:"index + 1: the number of the record on pages, in CSV exports and in messages"`
	State         string         `json:"state" enum:"Processed,Failed"`
	Name          string         `json:"name,omitempty" doc:"title given in the file"`
	Error         string         `json:"error,omitempty" doc:"reason why the record failed"`
	Fields        fieldsView     `json:"fields" doc:"values read from the file, unchanged"`
	Properties    propertiesView `json:"properties" doc:"values computed by Assay"`
	NotDetermined []string       `json:"notDetermined,omitempty" doc:"properties that cannot be determined from the record"`
}

func view(r *records.Record) recordView {
	v := recordView{
		Index: r.Index, Number: r.Index + 1, State: string(library.Processed), Name: r.Name, Error: r.Error,
		Fields: fieldsView{r.Fields}, Properties: propertiesView{r.Properties}, NotDetermined: r.NotDetermined,
	}
	if r.Failed() {
		v.State = string(library.Failed)
	}
	return v
}

// fieldsView is a JSON object of strings in the order of the file.
type fieldsView struct{ records.Fields }

// Schema describes the JSON object.
func (fieldsView) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString}, Examples: []any{map[string]any{"CAS": "64-17-5", "logP": "-0.31"}},
	}
}

// propertiesView is a JSON object of values.
type propertiesView struct{ records.Properties }

// Schema describes the JSON object.
func (propertiesView) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Examples: []any{map[string]any{"formula": "C2H6O", "weight": 46.069, "charge": 0}},
	}
}
