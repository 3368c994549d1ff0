// Package ui is the web page of Assay: the feed in numbers, and the processing of a text file. Its
// files are served unchanged, and call the HTTP API of their own address only.
package ui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

//go:embed *.html *.css *.js *.svg
var files embed.FS

// policy allows the page to load its own files and call its own address, and nothing else: a text
// that became markup could do no harm.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Routes registers the page at /, and what it loads below /ui/.
func Routes(r *web.Router) {
	r.Mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, req *http.Request) { serve(w, req, "index.html") })
	r.Mux.HandleFunc("GET /ui/{name}", func(w http.ResponseWriter, req *http.Request) { serve(w, req, req.PathValue("name")) })
}

func serve(w http.ResponseWriter, r *http.Request, name string) {
	content, err := files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		err = web.NotFound("No such file.")
	}
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	// Revalidated on each request: a page and its scripts must have the same version.
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(content)))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
