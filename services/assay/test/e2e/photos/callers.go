package photos

import (
	"net/http"

	"github.com/oklog/ulid/v2"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
)

// Callers states who may call the operations of photo jobs.
func Callers() identity.Area {
	photo := func(name string) string { return `{"fileName":"` + name + `","size":100,"contentType":"image/png"}` }
	unknown := func() string { return ulid.Make().String() }
	return identity.Area{
		Items: []identity.Item{
			{Name: "photo", In: "photos", Path: "/v1/photos", Body: photo("{marker}.png"), Field: "jobId", Unknown: unknown, Shown: "/v1/photos/{photo}"},
			{Name: "batch", In: "photo-batches", Path: "/v1/photo-batches", Body: `{"photos":[` + photo("{marker}.png") + `]}`, Field: "batchId", Unknown: unknown, Shown: "/v1/photo-batches/{batch}"},
		},
		Operations: map[string]identity.Operation{
			"GET /v1/owners/{ownerId}/photos":   {Kind: identity.Own},
			"POST /v1/photos":                   {Kind: identity.Common, Body: photo("a.png")},
			"POST /v1/photo-batches":            {Kind: identity.Common, Body: `{"photos":[` + photo("a.png") + `]}`},
			"POST /v1/photos/explain":           {Kind: identity.Common, Body: `{"prompt":"sharpen"}`},
			"POST /v1/photos/{id}/uploaded":     {Kind: identity.Own},
			"POST /v1/photos/{id}/cancel":       {Kind: identity.Own},
			"POST /v1/photos/{id}/retry":        {Kind: identity.Own},
			"DELETE /v1/photos/{id}":            {Kind: identity.Own, Silent: true},
			"GET /v1/photos/{id}":               {Kind: identity.Own},
			"POST /v1/photos/{id}/urls":         {Kind: identity.Own, Body: `{"format":"webp","width":80,"expiresIn":"1h"}`},
			"GET /v1/photos/{id}/{file}":        {Kind: identity.Public, Names: map[string]string{"file": "w80.gif"}},
			"GET /v1/photos/{id}/download":      {Kind: identity.Own, Query: "variant=original"},
			"GET /v1/photo-batches/{id}":        {Kind: identity.Own},
			"POST /v1/photo-batches/{id}/retry": {Kind: identity.Own},
			"DELETE /v1/photo-batches/{id}":     {Kind: identity.Own, Silent: true},
		},
		Reads: []string{"GET /v1/photo-providers", "GET /v1/photo-providers/{name}", "GET /v1/photos/costs", "GET /v1/photos", "GET /v1/photos/{id}/calls"},
		Writes: map[string]identity.Write{
			"PUT /v1/photo-providers/{name}":        {Path: "/v1/photo-providers/gemini", Body: `{}`, Status: http.StatusUnprocessableEntity},
			"PUT /v1/photo-providers":               {Body: `{"default":"stub"}`, Status: http.StatusOK, Repeated: http.StatusPreconditionRequired},
			"POST /v1/photo-providers/{name}/check": {Path: "/v1/photo-providers/gemini/check", Status: http.StatusOK},
		},
	}
}
