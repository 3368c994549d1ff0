package identity

import "net/http"

// PartBody is the body of a valid request for parts of an upload.
const PartBody = `{"uploadId":"abc","numbers":[1],"crc32":["AAAAAA=="]}`

// platform returns the operations that belong to no area.
func platform() Area {
	return Area{
		Operations: map[string]Operation{
			"GET /v1/session":          {Kind: Public},
			"POST /v1/session":         {Kind: Public, Body: `{"key":"assay_x"}`},
			"DELETE /v1/session":       {Kind: Public},
			"GET /v1/session/start":    {Kind: Public},
			"GET /v1/session/callback": {Kind: Public},
			"GET /v1/me":               {Kind: Common},
			"GET /v1/events":           {Kind: Own, Query: "owner={owner}"},
		},
		Reads: []string{"GET /v1/keys", "GET /v1/audit", "GET /v1/quotas/{ownerId}", "GET /v1/dead", "GET /v1/dead/{sequence}", "GET /v1/events", "GET /v1/status", "GET /v1/status/items", "GET /v1/trace/{id}", "GET /v1/sweeps"},
		Writes: map[string]Write{
			"POST /v1/keys":              {Body: `{"owner":"carl"}`, Status: http.StatusCreated},
			"POST /v1/keys/{id}/rotate":  {Path: "/v1/keys/{key}/rotate", Body: `{"grace":"1m"}`, Status: http.StatusOK},
			"DELETE /v1/keys/{id}":       {Path: "/v1/keys/{key}", Status: http.StatusNoContent},
			"PUT /v1/quotas/{ownerId}":   {Path: "/v1/quotas/carl", Body: `{"items":7}`, Status: http.StatusOK},
			"POST /v1/dead/replay":       {Body: `{"dryRun":true}`, Status: http.StatusOK},
			"POST /v1/dead/drop":         {Body: `{"dryRun":true}`, Status: http.StatusOK},
			"DELETE /v1/dead/{sequence}": {Path: "/v1/dead/1", Status: http.StatusNotFound},
			"POST /v1/sweeps":            {Body: `{"dryRun":true}`, Status: http.StatusOK},
		},
	}
}
