// Package ui is the web app of Assay. It serves the files that package bundle builds from the sources in app.
package ui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

//go:embed dist
var dist embed.FS

//go:embed dist/licenses.txt
var licenses string

// Notices returns the licenses of the packages that the scripts contain.
func Notices() []string { return []string{licenses} }

// pages contains the paths of the areas' pages, one per line, such as /files/:id. The build writes it.
//
//go:embed dist/pages.txt
var pages string

// parameter matches a parameter in a path.
var parameter = regexp.MustCompile(`:(\w+)`)

// operatorPaths are the patterns that OperatorRoutes serves.
var operatorPaths = []string{
	"GET /ui/{name}", "GET /operations",
	"GET /operations/dead", "GET /operations/dead/{sequence}", "GET /operations/sweeps",
	"GET /operations/sources", "GET /operations/providers",
}

// Patterns returns the patterns of the requests that Routes serves: the files below /ui/ and the paths of the
// app's pages, which all return the same HTML.
func Patterns() []string {
	all := []string{"GET /{$}", "GET /ui/{name}", "GET /account", "GET /rules", "GET /webhooks", "GET /webhooks/{id}"}
	for path := range strings.Lines(pages) {
		all = append(all, "GET "+parameter.ReplaceAllString(strings.TrimSpace(path), "{$1}"))
	}
	return all
}

// Routes registers the app. origins are the hosts of presigned URLs, such as
// https://bucket.s3.amazonaws.com. The pages may send requests to them and show their images.
func Routes(r *web.Router, origins ...string) {
	files := load(origins)
	register(r, Patterns(), index, files)
	r.Missing(http.HandlerFunc(files[index].serveMissing))
}

// OperatorRoutes registers the pages for operators, which are served only at the operator address, and redirects
// its root to them. app is the address of the web app, as host:port, to which the page of the sign-in leads.
func OperatorRoutes(r *web.Router, app string) {
	register(r, operatorPaths, operations, load(nil))
	r.Mux.Handle("GET /{$}", http.RedirectHandler("/operations", http.StatusFound))
	r.Mux.HandleFunc("GET /operations/sign-in", func(w http.ResponseWriter, req *http.Request) { signIn(w, req, app) })
}

// signIn redirects to the web app at the host name of the request, because a session is valid only there.
func signIn(w http.ResponseWriter, r *http.Request, app string) {
	host := (&url.URL{Host: r.Host}).Hostname()
	if _, port, err := net.SplitHostPort(app); err == nil {
		host = net.JoinHostPort(host, port)
	}
	to := url.URL{Scheme: web.SchemeOf(r), Host: host, Path: "/"}
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// register registers files below /ui/, and a page at the other patterns.
func register(r *web.Router, patterns []string, page string, files map[string]file) {
	maps.DeleteFunc(files, func(name string, _ file) bool { return path.Ext(name) == ".html" && name != page })
	for _, pattern := range patterns {
		r.Mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			name := req.PathValue("name")
			if name == "" {
				name = page
			}
			file, ok := files[name]
			if !ok {
				web.WriteError(w, req, web.NotFound("There is no such file."))
				return
			}
			file.serve(w, req)
		})
	}
}

const (
	index      = "index.html"
	operations = "operations.html"
)

// file is a file of the app, with its response headers.
type file struct {
	name, kind, tag string
	compressed      []byte // with gzip
	content         func() []byte
	header          map[string]string
}

func load(origins []string) map[string]file {
	names, err := fs.Glob(dist, "dist/*.gz")
	if err != nil {
		panic(err) // a bug: the pattern is malformed
	}
	policy := policyFor(origins)
	files := map[string]file{}
	for _, at := range names {
		compressed, err := dist.ReadFile(at)
		if err != nil {
			panic(err) // a bug: an embedded file cannot be read
		}
		name := strings.TrimSuffix(path.Base(at), ".gz")
		f := file{
			name: name, compressed: compressed, kind: mime.TypeByExtension(path.Ext(name)), tag: fmt.Sprintf("%x", sha256.Sum256(compressed)),
			content: sync.OnceValue(func() []byte { return decompress(compressed) }),
			header: map[string]string{
				"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Vary": "Accept-Encoding",
				// The names of these files contain a hash of their content.
				"Cache-Control": "public, max-age=31536000, immutable",
			},
		}
		if ext := path.Ext(name); ext != ".js" && ext != ".css" {
			f.header["Cache-Control"] = "no-cache"
		}
		files[name] = f
	}
	return files
}

// policyFor returns a content security policy that allows only the app's own scripts, so that injected markup
// cannot run code.
func policyFor(origins []string) string {
	outside := strings.Join(append([]string{"'self'"}, origins...), " ")
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src blob: " + outside + "; connect-src " + outside + "; " +
		"frame-src 'self'; " + // the reports of models
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// decompress returns the content of a file that the build has compressed.
func decompress(file []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err == nil {
		file, err = io.ReadAll(r)
	}
	if err != nil {
		panic(err) // a bug: the embedded file is damaged
	}
	return file
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	for name, value := range f.header {
		header.Set(name, value)
	}
	header.Set("Content-Type", f.kind)
	content, tag := f.compressed, f.tag+"-gzip"
	if web.AcceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
	} else {
		content, tag = f.content(), f.tag
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(content))
}

// serveMissing serves the file with status 404, so that the app shows that there is no page at this address.
func (f file) serveMissing(w http.ResponseWriter, r *http.Request) {
	for _, condition := range []string{"If-None-Match", "If-Modified-Since", "Range"} { // of the file, which has another address
		r.Header.Del(condition)
	}
	f.serve(notFound{w}, r)
}

// notFound is a response whose status is 404.
type notFound struct{ http.ResponseWriter }

func (n notFound) WriteHeader(int) { n.ResponseWriter.WriteHeader(http.StatusNotFound) }
