package library

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/sheet"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/web"
)

const (
	previewRows = 20
	// previewed is the maximum number of bytes of a file that a preview reads.
	previewed = 256 << 10
)

func (a *Area) previewRoute(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "preview-library-table", Method: http.MethodGet, Path: "/v1/library/files/{id}/preview", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get the first rows of a table, read with other options",
		Description: "Shows what a file would contain after it is processed again with these options instead of its present ones, and stores nothing. " +
			"At most 20 rows from the first 256 KiB of the file, from which the other options are detected. The file may be in any state after its upload.",
	}, a.getPreview, linked, ofFile, web.Refusals{http.StatusUnprocessableEntity: {"not-a-table"}})
}

type previewInput struct {
	web.IDParam
	ReaderParam
	Charset   string `query:"charset" maxLength:"64" example:"gbk" doc:"the charset"`
	Header    string `query:"header" maxLength:"8" example:"no" doc:"yes: the first row names the columns; no: it is a row of values"`
	Delimiter string `query:"delimiter" maxLength:"8" example:";" doc:"a comma, a semicolon, a vertical bar or tab"`
	Decimal   string `query:"decimal" maxLength:"8" example:"," doc:"the decimal mark of numbers: a point or a comma"`
}

type previewOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         tablePreview
}

type tablePreview struct {
	Columns   []string            `json:"columns" nullable:"false" doc:"names of the columns"`
	Rows      []tableRow          `json:"rows" nullable:"false"`
	Charset   string              `json:"charset" example:"utf-8"`
	Delimiter string              `json:"delimiter" example:","`
	Remarks   []string            `json:"remarks,omitempty" doc:"what was guessed or skipped and could be read otherwise"`
	Preamble  string              `json:"preamble,omitempty" doc:"the lines before the table"`
	Options   library.ReadOptions `json:"options" doc:"the present options of the file"`
}

type tableRow struct {
	Cells []string `json:"cells" nullable:"false" doc:"a value for each column"`
	Error string   `json:"error,omitempty" doc:"why the row cannot be read"`
}

func (a *Area) getPreview(ctx context.Context, in *previewInput) (*previewOutput, error) {
	file, _, _, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	switch {
	case err != nil:
		return nil, problem(err)
	case file.Status == library.Loading:
		return nil, problem(errLoading)
	}
	options, name, err := library.ReadOptions{Charset: in.Charset, Header: in.Header, Delimiter: in.Delimiter, Decimal: in.Decimal}.Checked()
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "query." + name, Message: err.Error()})
	}
	head, err := a.bucket.Part(ctx, file.Key, 0, previewed)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil, problem(errGone)
	case err != nil:
		return nil, err
	}
	p, err := sheet.NewPreview(head, file.Length >= 0 && file.Length <= int64(len(head)), options.ContentType(file.ContentType), options.Table(), previewRows)
	if reason.Stated(err) {
		return nil, web.NewProblem(http.StatusUnprocessableEntity, "not-a-table", "The file cannot be read as a table: "+reason.Of(err)+".")
	}
	if err != nil {
		return nil, err
	}
	out := &previewOutput{CacheControl: noStore, Body: tablePreview{
		Columns: append([]string{}, p.Columns...), Rows: []tableRow{}, Charset: p.Charset.Name, Delimiter: string(p.Delimiter),
		Remarks: p.Remarks, Preamble: p.Preamble, Options: file.Stated(),
	}}
	for _, row := range p.Rows {
		out.Body.Rows = append(out.Body.Rows, tableRow(row))
	}
	return out, nil
}
