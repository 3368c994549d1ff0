package web

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	_ "embed"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
	"time"
)

// The viewer of the API page is Redoc; see docs/SOURCE.
var (
	//go:embed docs/redoc.js.gz
	viewer []byte
	//go:embed docs/LICENSE
	viewerLicense string
	//go:embed docs/page.css
	docsStyle string
	//go:embed docs/page.js
	docsScript string
)

// DocsNotice returns the license of the viewer that every router serves.
func DocsNotice() string {
	return "The API page contains the npm package redoc, version 3.0.1, under this license (MIT):\n\n" + viewerLicense
}

const (
	viewerPath = "/docs/redoc-3.0.1-1.js" // the name changes with the content
	eventsPath = "/docs/asyncapi.yaml"
)

// handleDocs registers the pages that show the API and, if there is a description of them, the events. The pages
// load nothing from other addresses and send nothing to them: their policy allows only requests to their own
// address. The policy has a nonce for scripts and styles, including the styles that the viewer adds.
func handleDocs(mux *http.ServeMux, title string, events []byte) {
	page := func(pattern, document string) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, _ *http.Request) {
			nonce, header := rand.Text(), w.Header()
			header.Set("Content-Type", "text/html; charset=utf-8")
			header.Set("Cache-Control", "no-store")
			header.Set("Referrer-Policy", "no-referrer")
			header.Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; "+
				"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", nonce))
			_, _ = io.WriteString(w, docsPage(title, document, pattern, nonce, len(events) > 0)) // fails only if the client has disconnected
		})
	}
	page("/docs", "/openapi.json")
	mux.HandleFunc("GET "+viewerPath, serveViewer)
	if len(events) == 0 {
		return
	}
	page("/docs/events", eventsPath)
	mux.HandleFunc("GET "+eventsPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(events)
	})
}

func docsPage(title, document, at, nonce string, events bool) string {
	var links strings.Builder
	link := func(to, text string) {
		current := ""
		if to == at {
			current = ` aria-current="page"`
		}
		fmt.Fprintf(&links, `<a href="%s"%s>%s</a>`, to, current, text)
	}
	link("/docs", "HTTP API")
	if events {
		link("/docs/events", "Events")
	}
	link(document, "Document")
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" nonce="%[1]s">
<title>%[2]s API</title>
<style nonce="%[1]s">
%[3]s</style>
<script nonce="%[1]s">window.__webpack_nonce__ = "%[1]s"</script>
<script nonce="%[1]s">
%[7]s</script>
</head>
<body>
<nav class="documents" aria-label="Documents">%[4]s</nav>
<redoc spec-url="%[5]s" disable-telemetry="true"></redoc>
<noscript><p>The page needs JavaScript. For programs: <a href="%[5]s">%[5]s</a>.</p></noscript>
<script type="module" nonce="%[1]s" src="%[6]s"></script>
</body>
</html>
`, nonce, html.EscapeString(title), docsStyle, links.String(), document, viewerPath, docsScript)
}

// serveViewer serves the viewer, which is stored compressed. It decompresses the viewer for clients that do not
// accept gzip.
func serveViewer(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/javascript; charset=utf-8")
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	if AcceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(viewer))
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(viewer))
	if err != nil {
		WriteError(w, r, err)
		return
	}
	_, _ = io.Copy(w, plain) // fails only if the client has disconnected
}
