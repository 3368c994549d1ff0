package feed

import (
	"net/http"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
)

// Callers states who may call the operations of the feed.
func Callers() identity.Area {
	return identity.Area{
		Operations: map[string]identity.Operation{
			"POST /v1/feed/items":           {Kind: identity.Common, Body: `{"source_id":"rss#identity","source_type":"rss","text":"A good day.","timestamp":"2026-11-24T08:00:00Z"}`},
			"GET /v1/feed/items/{sourceId}": {Kind: identity.Common, Names: map[string]string{"sourceId": "rss%23nothing"}, Absent: true},
			"GET /v1/feed/items":            {Kind: identity.Common},
			"GET /v1/feed/summary":          {Kind: identity.Common},
			"GET /v1/feed/series":           {Kind: identity.Common, Query: "bucket=1h"},
			"GET /v1/feed/events":           {Kind: identity.Common},
			"GET /v1/feed/alerts":           {Kind: identity.Common},
			"GET /v1/feed/alerts/{name}":    {Kind: identity.Common, Names: map[string]string{"name": "none"}, Absent: true},
		},
		Reads: []string{"GET /v1/feed/sources", "GET /v1/feed/sources/{name}", "GET /v1/feed/opml", "GET /v1/feed/alerts", "GET /v1/feed/alerts/{name}"},
		Writes: map[string]identity.Write{
			"PUT /v1/feed/sources/{name}":      {Path: "/v1/feed/sources/news", Body: `{"kind":"rss","url":"https://example.com/feed","enabled":false,"tags":["a"]}`, Status: http.StatusCreated, Repeated: http.StatusPreconditionRequired},
			"DELETE /v1/feed/sources/{name}":   {Path: "/v1/feed/sources/none", Status: http.StatusNoContent},
			"PUT /v1/feed/alerts/{name}":       {Path: "/v1/feed/alerts/news", Body: `{"kind":"match","keyword":"outage","enabled":false}`, Status: http.StatusCreated, Repeated: http.StatusPreconditionRequired},
			"DELETE /v1/feed/alerts/{name}":    {Path: "/v1/feed/alerts/none", Status: http.StatusNoContent},
			"DELETE /v1/feed/items/{sourceId}": {Path: "/v1/feed/items/rss%23none", Status: http.StatusNoContent},
			"POST /v1/feed/opml":               {Body: `<opml version="2.0"><body/></opml>`, Status: http.StatusOK},
			"POST /v1/feed/reanalyze":          {Body: `{"dryRun":true}`, Status: http.StatusOK},
		},
	}
}
