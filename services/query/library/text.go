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
	return resultOperation("get-library-text", "/v1/library/files/{id}/text", "Download the text of a file", "text/plain", "The text",
		"The text extracted from a document, in UTF-8: at most 100 MiB. The text of a "+
			"web page is that of the complete page. The metadata field textCut states whether it was truncated, and noText why it is empty. Returns 404 for a file without text.")
}

func readerOperation() huma.Operation {
	return resultOperation("get-library-reader", "/v1/library/files/{id}/reader", "Get the article of a web page", "text/html", "An HTML document",
		"The article of a web page, or the complete page if the metadata field article is not true, as HTML without scripts, "+
			"styles, forms and pictures. Its links point to other pages. Returns 404 for other files.")
}

// resultOperation describes a call that returns a result of processing as a text.
func resultOperation(id, path, summary, media, result, description string) huma.Operation {
	text := &huma.Schema{Type: "string"}
	headers := map[string]*huma.Param{"Cache-Control": {Schema: text}}
	if media == "text/html" {
		headers["Content-Security-Policy"] = &huma.Param{Schema: text}
	}
	return huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: summary, Description: description,
		Parameters: []*huma.Param{
			{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string", Format: "uuid"}},
			{Name: web.OwnerHeader, In: "header", Schema: text},
			{Name: "link", In: "query", Schema: text, Description: "the token of a share link"},
		},
		Responses: map[string]*huma.Response{
			"200": {Description: result, Content: map[string]*huma.MediaType{media: {Schema: text}}, Headers: headers},
		},
	}
}

// text is the plain handler of textOperation.
func (a *Area) text(w http.ResponseWriter, r *http.Request) {
	body, err := a.openResult(r, extract.StepText, library.TextName, "The file has no text")
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
	send(w, "text/plain; charset=utf-8", text)
}

// page is the plain handler of readerOperation. The document contains no active content; the policy ensures that a
// browser would not run any.
func (a *Area) page(w http.ResponseWriter, r *http.Request) {
	a.document(w, r, "", extract.StepText, library.ReaderName, "The file is not a web page that has been read")
}

// document sends an HTML document that a step has stored. allowed is what its policy allows; it ends in a semicolon and a space unless it is
// empty. missing begins the sentence for a file without the document.
func (a *Area) document(w http.ResponseWriter, r *http.Request, allowed, step, name, missing string) {
	body, err := a.openResult(r, step, name, missing)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	defer body.Close()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; "+allowed+"sandbox")
	send(w, "text/html; charset=utf-8", body)
}

func send(w http.ResponseWriter, contentType string, body io.Reader) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", noStore)
	if _, err := io.Copy(w, body); err != nil {
		panic(http.ErrAbortHandler) // so that the client notices the truncation
	}
}

// openResult opens a result of a step of the file that a request names. missing begins the sentence for a file without it.
func (a *Area) openResult(r *http.Request, step, name, missing string) (io.ReadCloser, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return nil, lifecycle.ErrNotFound
	}
	who := ReaderParam{CallerParam: web.CallerParam{Caller: web.CallerOf(r.Context())}, Link: r.URL.Query().Get("link")}
	file, _, _, err := a.readableFile(r.Context(), id.String(), who)
	if err != nil {
		return nil, err
	}
	body, err := a.bucket.Open(r.Context(), library.ResultKey(file.ID, file.Run, name), "")
	if errors.Is(err, blob.ErrNotFound) {
		return nil, web.NotFound(missing + a.without(r.Context(), file, step) + ".")
	}
	return body, err
}
