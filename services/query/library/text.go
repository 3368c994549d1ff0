package library

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
)

func textOperation() huma.Operation {
	text := &huma.Schema{Type: "string"}
	return huma.Operation{
		OperationID: "get-library-text", Method: http.MethodGet, Path: "/v1/library/files/{id}/text", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary:     "Download the text of a file",
		Description: "The text extracted from a document, in UTF-8, at most 8 MiB. The metadata field textCut states whether it was truncated. Returns 404 for a file without text.",
		Parameters: []*huma.Param{
			{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string", Format: "uuid"}},
			{Name: web.OwnerHeader, In: "header", Schema: text},
			{Name: "link", In: "query", Schema: text, Description: "the token of a share link"},
		},
		Responses: map[string]*huma.Response{"200": {Description: "The text", Content: map[string]*huma.MediaType{"text/plain": {Schema: text}}, Headers: map[string]*huma.Param{"Cache-Control": {Schema: text}}}},
	}
}

// text is the plain handler of textOperation.
func (a *Area) text(w http.ResponseWriter, r *http.Request) {
	body, err := a.openText(r)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	defer body.Close()
	text, err := gzip.NewReader(body)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", noStore)
	if _, err := io.Copy(w, text); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices the truncation
	}
}

// openText opens the compressed text of the file that a request names.
func (a *Area) openText(r *http.Request) (io.ReadCloser, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return nil, lifecycle.ErrNotFound
	}
	who := ReaderParam{CallerParam: web.CallerParam{Caller: web.CallerOf(r.Context())}, Link: r.URL.Query().Get("link")}
	file, _, _, err := a.readableFile(r.Context(), id.String(), who)
	if err != nil {
		return nil, err
	}
	body, err := a.bucket.Open(r.Context(), library.ResultKey(file.ID, file.Run, library.TextName), "")
	if errors.Is(err, blob.ErrNotFound) {
		return nil, web.NotFound("The file has no text" + a.without(r.Context(), file, extract.StepText) + ".")
	}
	return body, err
}
