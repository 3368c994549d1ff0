package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

const (
	formatCSV   = "csv"
	formatJSONL = "jsonl"
)

// mediaTypes maps export formats to media types.
var mediaTypes = map[string]string{
	formatCSV: "text/csv; charset=utf-8", formatJSONL: "application/x-ndjson",
	"sdf": "chemical/x-mdl-sdfile", "rdf": "chemical/x-mdl-rdfile", "rxn": "chemical/x-mdl-rxnfile", "cif": "chemical/x-cif", "jdx": "chemical/x-jcamp-dx",
	"smi": "chemical/x-daylight-smiles",
}

// fileParameters returns the parameters of the plain handlers that serve a file, followed by more.
func fileParameters(more ...*huma.Param) []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	return append([]*huma.Param{
		{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}},
		{Name: web.OwnerHeader, In: "header", Schema: text},
		{Name: "link", In: "query", Schema: text, Description: "the token of a share link"},
	}, more...)
}

func recordOperation(id, path, summary, description string, of map[string]*huma.Response, more ...*huma.Param) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: "/v1/library/files/{id}/records/{index}" + path, Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: summary, Description: description,
		Parameters: append(fileParameters(&huma.Param{Name: "index", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(float64)}}), more...),
		Responses:  of,
	}
}

// drawing describes a response that contains the drawing of a record.
func drawing() map[string]*huma.Response {
	return bytesOf([]string{"image/svg+xml"}, "Content-Security-Policy")
}

// download describes a response that contains records in one of the export formats.
func download() map[string]*huma.Response {
	return bytesOf(slices.Sorted(maps.Values(mediaTypes)), "Content-Disposition", incompleteHeader)
}

func bytesOf(mediaTypes []string, headers ...string) map[string]*huma.Response {
	text, content := &huma.Schema{Type: huma.TypeString}, map[string]*huma.MediaType{}
	documented := map[string]*huma.Param{"Cache-Control": {Schema: text}}
	for _, header := range headers {
		documented[header] = &huma.Param{Schema: text}
	}
	for _, of := range mediaTypes {
		of, _, _ = strings.Cut(of, ";")
		content[of] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	return map[string]*huma.Response{"200": {
		Description: "The content", Content: content, Headers: documented,
	}}
}

func exportOperation() huma.Operation {
	text := &huma.Schema{Type: huma.TypeString}
	return huma.Operation{
		OperationID: "export-library-records", Method: http.MethodGet, Path: "/v1/library/files/{id}/export", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Download the records of a file as CSV, JSON Lines or in the file's own format",
		Description: "Every record that the filter selects, except those that failed. The response has no Content-Length; after an error, the transfer is aborted. " +
			"If a selected property could not be determined for some records, the header Assay-Incomplete states their number, as in smiles=3. " +
			"Returns 409 until the file is processed. Values are unchanged. A spreadsheet evaluates a value such as =1+1 of a CSV file as a formula, which can also open addresses (OWASP: CSV injection): for CSV that a spreadsheet opens, use formulas=text. Exports as RXN, CIF and JCAMP-DX also contain the fields of each record.",
		Parameters: fileParameters(
			&huma.Param{Name: "format", In: "query", Required: true, Example: formatCSV, Description: "csv, jsonl, or the format of the file", Schema: &huma.Schema{
				Type: huma.TypeString, Enum: []any{formatCSV, formatJSONL, "sdf", "smi", "rdf", "rxn", "cif", "jdx"},
			}},
			&huma.Param{Name: "fields", In: "query", Schema: text, Example: "formula,weight,logP", Description: "comma-separated names of fields and properties, in the order of the output; quote a name that contains a comma; default: all"},
			&huma.Param{Name: "rename", In: "query", Schema: text, Example: "weight:Molecular weight", Description: "comma-separated pairs name:new, where new is the name in the export"},
			&huma.Param{Name: "filter", In: "query", Schema: text, Example: "logP<3", Description: "the same as for the list of records"},
			formulasParameter(),
		),
		Responses: download(),
	}
}

// formulasParameter describes the parameter of downloads that requestedFormulas returns.
func formulasParameter() *huma.Param {
	return &huma.Param{Name: "formulas", In: "query", Example: string(records.FormulasText), Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{string(records.FormulasText)}},
		Description: "for CSV: with text, a value or name that begins with =, +, -, @, a tab or a line break, also in full width, and is not a number gets a leading apostrophe, so that a spreadsheet does not evaluate it; default: all values are unchanged",
	}
}

// requestedFormulas returns the parameter formulas of a request to a plain handler.
func requestedFormulas(r *http.Request) (records.Formulas, error) {
	formulas := records.Formulas(r.URL.Query().Get("formulas"))
	if formulas != records.FormulasUnchanged && formulas != records.FormulasText {
		return "", web.Invalid(web.FieldError{Field: "query.formulas", Message: "must be text, or absent"})
	}
	return formulas, nil
}

// requestedFile opens the records of the file named by a request to a plain handler.
func (a *Area) requestedFile(r *http.Request) (*recordFile, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return nil, lifecycle.ErrNotFound
	}
	return a.records(r.Context(), id.String(), ReaderParam{
		CallerParam: web.CallerParam{Caller: web.CallerOf(r.Context())}, Link: r.URL.Query().Get("link"),
	})
}

// requestedRecord reads the record named by a request to a plain handler.
func (a *Area) requestedRecord(r *http.Request) (*recordFile, records.Record, error) {
	f, err := a.requestedFile(r)
	if err != nil {
		return nil, records.Record{}, err
	}
	index, err := strconv.Atoi(r.PathValue("index"))
	if err != nil {
		return nil, records.Record{}, records.ErrNoRecord
	}
	record, err := f.records.Record(r.Context(), index)
	return f, record, err
}

func (a *Area) recordImage(w http.ResponseWriter, r *http.Request) {
	f, record, err := a.requestedRecord(r)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	svg, err := f.draw(&record)
	if errors.Is(err, records.ErrNotDrawn) {
		err = web.NotFound("The record cannot be drawn: it has no coordinates, points or cell.")
	}
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", noStore)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	_, _ = w.Write(svg) // fails only if the client has disconnected
}

func (a *Area) recordContent(w http.ResponseWriter, r *http.Request) {
	f, record, err := a.requestedRecord(r)
	if err == nil && record.Failed() && record.Content == "" {
		err = web.NotFound("The record has no content: " + record.Error)
	}
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	formulas, err := requestedFormulas(r)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	content, err := f.content(r.Context(), &record, formulas)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	f.headers(w, f.native(), fmt.Sprintf("-%d", record.Index+1))
	_, _ = w.Write(content) // fails only if the client has disconnected
}

// content returns a record in the format of its file, with the bytes that the file contains. A table row is written as CSV,
// with the header.
func (f *recordFile) content(ctx context.Context, record *records.Record, formulas records.Formulas) ([]byte, error) {
	if kind, known := extract.FindRecordFormat(f.overview.Format); known {
		original, err := f.original(ctx, kind, record.Index)
		return append([]byte(kind.Header), original...), err
	}
	var names, values []string
	for _, field := range record.Fields {
		names, values = append(names, field.Name), append(values, field.Value)
	}
	return formulas.AppendRow(formulas.AppendRow(nil, names), values), nil
}

// native returns the export format that matches the format of the file.
func (f *recordFile) native() string {
	switch name := f.overview.Format; name {
	case "xlsx":
		return formatCSV
	default:
		return name
	}
}

// headers sets the response headers of a download of records.
func (f *recordFile) headers(w http.ResponseWriter, format, suffix string) {
	name := strings.TrimSuffix(f.name, path.Ext(f.name)) + suffix + "." + format
	w.Header().Set("Content-Type", mediaTypes[format])
	w.Header().Set("Cache-Control", noStore)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

func (a *Area) export(w http.ResponseWriter, r *http.Request) {
	f, err := a.requestedFile(r)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	query := r.URL.Query()
	name := query.Get("format")
	if name != formatCSV && name != formatJSONL && name != f.native() {
		web.WriteError(w, r, web.Invalid(web.FieldError{Field: "query.format", Message: f.exports()}))
		return
	}
	e := records.Export{}
	if e.Formulas, err = requestedFormulas(r); err == nil {
		e.Filter, err = f.filter(query.Get("filter"))
	}
	if err == nil {
		e.Columns, err = f.selected(query.Get("fields"), query.Get("rename"))
	}
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	f.headers(w, name, "")
	if incomplete := f.incomplete(e); incomplete != "" {
		w.Header().Set(incompleteHeader, incomplete)
	}
	if err := f.write(r.Context(), w, name, e); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices the truncation
	}
}

// incompleteHeader names the properties that could not be determined for some records, each with the number of these
// records, as a dictionary of RFC 9651.
const incompleteHeader = "Assay-Incomplete"

func (f *recordFile) incomplete(e records.Export) string {
	var selected []records.Column
	for _, c := range e.Columns {
		selected = append(selected, c.Column)
	}
	var parts []string
	for name, n := range f.records.Incomplete(e.Filter, selected) {
		parts = append(parts, fmt.Sprintf("%s=%d", strings.ToLower(name), n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// exports returns a validation message that lists the formats in which the records can be exported.
func (f *recordFile) exports() string {
	if f.native() == formatCSV {
		return "must be csv or jsonl"
	}
	return fmt.Sprintf("must be csv, jsonl or %s, the format of the file", f.native())
}

// write writes the records in the named format.
func (f *recordFile) write(ctx context.Context, w io.Writer, name string, e records.Export) error {
	switch name {
	case formatCSV:
		return f.records.WriteCSV(ctx, w, e)
	case formatJSONL:
		return f.records.WriteJSONL(ctx, w, e)
	}
	kind, _ := extract.FindRecordFormat(name)
	if _, err := io.WriteString(w, kind.Header); err != nil {
		return err
	}
	return f.records.WriteNative(ctx, w, e, kind.Write)
}

// noRecordsError explains why a file has no records.
type noRecordsError struct{ reason string }

func (e *noRecordsError) Error() string { return e.reason }

// errRunning means that not all records of a file are processed yet.
var errRunning = errors.New("the file has not been processed yet")

// recordProblem converts an error of reading records into an HTTP problem.
func recordProblem(err error) error {
	none, ok := errors.AsType[*noRecordsError](err)
	switch {
	case ok:
		return web.NotFound(none.reason)
	case errors.Is(err, errRunning):
		return web.NewProblem(http.StatusConflict, "not-processed", "The file has not been processed yet. Wait for it with GET /v1/library/nodes/{id}?wait=30s.")
	case errors.Is(err, records.ErrNoRecord):
		return web.NotFound("The file has no record with this index.")
	case errors.Is(err, records.ErrDamaged):
		return fmt.Errorf("the records are damaged; reprocess the file: %w", err)
	}
	return err
}
