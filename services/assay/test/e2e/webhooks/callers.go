package webhooks

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
)

// Callers states who may call the operations of webhook endpoints. The operators' endpoints are not those of an owner.
func Callers() identity.Area {
	return identity.Area{
		Items: []identity.Item{{
			Name: "webhook", In: "webhooks", Path: "/v1/webhooks", Body: `{"url":"https://receiver.example/{marker}"}`, Field: "id",
			Unknown: uuid.NewString, Shown: "/v1/webhooks/{webhook}",
		}},
		Operations: map[string]identity.Operation{
			"GET /v1/webhooks":                 {Kind: identity.Common},
			"POST /v1/webhooks":                {Kind: identity.Common, Body: `{"url":"https://receiver.example/"}`},
			"GET /v1/webhooks/{id}":            {Kind: identity.Own},
			"PATCH /v1/webhooks/{id}":          {Kind: identity.Own, Body: `{"areas":["textfile"]}`},
			"DELETE /v1/webhooks/{id}":         {Kind: identity.Own, Silent: true},
			"POST /v1/webhooks/{id}/rotate":    {Kind: identity.Own},
			"POST /v1/webhooks/{id}/test":      {Kind: identity.Own},
			"GET /v1/webhooks/{id}/deliveries": {Kind: identity.Own},
			"POST /v1/webhooks/{id}/replay":    {Kind: identity.Own, Body: `{"since":"2026-11-28T00:00:00Z"}`},
		},
		Reads: []string{"GET /v1/webhooks", "GET /v1/webhooks/{id}", "GET /v1/webhooks/{id}/deliveries"},
		Writes: map[string]identity.Write{
			"POST /v1/webhooks":             {Body: `{"url":"https://receiver.example/"}`, Status: http.StatusCreated},
			"PATCH /v1/webhooks/{id}":       {Path: "/v1/webhooks/{webhook}", Body: `{"areas":[]}`, Status: http.StatusNotFound},
			"DELETE /v1/webhooks/{id}":      {Path: "/v1/webhooks/{webhook}", Status: http.StatusNoContent},
			"POST /v1/webhooks/{id}/rotate": {Path: "/v1/webhooks/{webhook}/rotate", Status: http.StatusNotFound},
			"POST /v1/webhooks/{id}/test":   {Path: "/v1/webhooks/{webhook}/test", Status: http.StatusNotFound},
			"POST /v1/webhooks/{id}/replay": {Path: "/v1/webhooks/{webhook}/replay", Body: `{"since":"2026-11-28T00:00:00Z"}`, Status: http.StatusNotFound},
		},
	}
}
