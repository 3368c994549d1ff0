package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// newDocument returns the OpenAPI document of a router without operations.
func newDocument(o Options) *huma.OpenAPI {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[Problem]())
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: o.Title, Version: o.Version, Description: o.Description,
			License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
			Contact: &huma.Contact{Name: "Assay", URL: "https://github.com/assay-project/assay"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "this server"}},
		Components: &huma.Components{Schemas: schemas, Headers: sharedHeaders(), SecuritySchemes: map[string]*huma.SecurityScheme{
			BearerScheme:  {Type: "http", Scheme: "bearer", Description: "An API key or a token of the identity provider. Required by servers with ASSAY_AUTH=token, ignored by others."},
			SessionScheme: {Type: "apiKey", In: "cookie", Name: "assay_session", Description: "The session of the web app, created with POST /v1/session. Over TLS the cookie is __Host-assay_session."},
		}},
		Security:   []map[string][]string{{BearerScheme: {}}, {SessionScheme: {}}},
		Extensions: map[string]any{headersExtension: namesOfHeaders()},
	}
}

// schemaName names the schema of a type. A body that is declared inline is named after the type of its
// operation's input or output.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if of, found := strings.CutSuffix(name, "InputBody"); found {
		return of + "Request"
	}
	if of, found := strings.CutSuffix(name, "OutputBody"); found {
		return of + "Response"
	}
	return name
}

// Operations returns the operations of an API description with their patterns for net/http, ordered by
// path and method.
func Operations(api *huma.OpenAPI) iter.Seq2[string, *huma.Operation] {
	return func(yield func(string, *huma.Operation) bool) {
		for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
			item := api.Paths[path]
			for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
				if op != nil && !yield(op.Method+" "+path, op) {
					return
				}
			}
		}
	}
}

// documentHandler serves the document, which is completed and compressed at the first request.
func documentHandler(api *huma.OpenAPI) http.HandlerFunc {
	document := sync.OnceValues(func() (packed, error) {
		complete(api)
		plain, err := json.Marshal(api)
		if err != nil {
			return packed{}, err
		}
		return pack(plain)
	})
	return func(w http.ResponseWriter, r *http.Request) {
		p, err := document()
		if err != nil {
			WriteError(w, r, err)
			return
		}
		p.serve(w, r, "application/openapi+json")
	}
}

// packed is content with its compressed form.
type packed struct{ plain, compressed []byte }

func pack(plain []byte) (packed, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	return packed{plain, b.Bytes()}, err
}

func (p packed) serve(w http.ResponseWriter, r *http.Request, contentType string) {
	body, header := p.plain, w.Header()
	header.Set("Content-Type", contentType)
	header.Set("Vary", "Accept-Encoding")
	if AcceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		body = p.compressed
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // fails only if the client has disconnected
}
