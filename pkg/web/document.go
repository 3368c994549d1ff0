package web

import (
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"slices"
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
		Info:    &huma.Info{Title: o.Title, Version: o.Version, Description: o.Description},
		Servers: []*huma.Server{{URL: "/", Description: "this server"}},
		Components: &huma.Components{Schemas: schemas, Headers: sharedHeaders(), SecuritySchemes: map[string]*huma.SecurityScheme{
			BearerScheme:  {Type: "http", Scheme: "bearer", Description: "An API key or a token of the identity provider. Required by servers with ASSAY_AUTH=token, ignored by others."},
			SessionScheme: {Type: "apiKey", In: "cookie", Name: "assay_session", Description: "The session of the web app, created with POST /v1/session. Over TLS the cookie is __Host-assay_session."},
		}},
		Security: []map[string][]string{{BearerScheme: {}}, {SessionScheme: {}}},
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

func documentHandler(api *huma.OpenAPI) http.HandlerFunc {
	document := sync.OnceValues(func() ([]byte, error) {
		complete(api)
		return json.MarshalIndent(api, "", "  ")
	})
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := document()
		if err != nil {
			WriteError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(body) // fails only if the client has disconnected
	}
}
