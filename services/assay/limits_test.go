package main

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/assay/serve"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// The limits of requests beyond the quota of requests per second, which applies to every operation of the public
// address, by owner or, without one, by client.
const (
	backlog  = "too-much-waiting" // share of the work queue per owner; package fair
	stored   = "quota-exceeded"   // quotas of bytes, items and uploads, or of streams, per owner
	held     = "too-many-at-once" // held requests per owner, per client and in total; web.NewHeldLimiter
	requests = "too-many-requests"
)

// limits lists the operations of the public address with further limits. A new operation must be added here or to
// rated: one that creates an item needs stored, one that queues work for a new item needs backlog, and one that can hold
// its request for long needs held.
var limits = map[string][]string{
	"GET /v1/events":                                            {stored, held},
	"GET /v1/feed/events":                                       {stored, held},
	"POST /v1/feed/items":                                       {stored, backlog},
	"GET /v1/feed/items/{sourceId}":                             {held},
	"POST /v1/files":                                            {stored, backlog},
	"GET /v1/files/{id}":                                        {held},
	"POST /v1/library/files":                                    {stored, backlog},
	"GET /v1/library/files/{id}/export":                         {held},
	"GET /v1/library/files/{id}/pages/{page}":                   {held},
	"GET /v1/library/files/{id}/reader":                         {held},
	"GET /v1/library/files/{id}/records/summary":                {held},
	"GET /v1/library/files/{id}/records/{index}/content":        {held},
	"GET /v1/library/files/{id}/records/{index}/image.svg":      {held},
	"GET /v1/library/files/{id}/records/{index}/tables":         {held},
	"GET /v1/library/files/{id}/records/{index}/tables/{table}": {held},
	"GET /v1/library/files/{id}/similar":                        {held},
	"GET /v1/library/files/{id}/text":                           {held},
	"POST /v1/items/{area}/{id}/send":                           {stored, backlog},
	"POST /v1/library/folders":                                  {stored},
	"POST /v1/library/models":                                   {stored, backlog},
	"GET /v1/library/models/{id}/report":                        {held},
	"POST /v1/library/models/{id}/predictions":                  {stored, backlog},
	"GET /v1/library/nodes":                                     {held},
	"GET /v1/library/nodes/public":                              {held},
	"GET /v1/library/nodes/shared":                              {held},
	"GET /v1/library/nodes/{id}":                                {held},
	"GET /v1/library/nodes/{id}/children":                       {held},
	"GET /v1/library/nodes/{id}/events":                         {stored, held},
	"GET /v1/library/nodes/{id}/zip":                            {held},
	"POST /v1/library/pages":                                    {stored, backlog},
	"GET /v1/library/search":                                    {held},
	"POST /v1/photo-batches":                                    {stored, backlog},
	"GET /v1/photo-batches/{id}":                                {held},
	"POST /v1/photos":                                           {stored, backlog},
	"GET /v1/photos/{id}":                                       {held},
	"GET /v1/photos/{id}/{file}":                                {held},
	"GET /v1/search":                                            {held},
	"GET /v1/searches/{name}/events":                            {stored, held},
	"POST /v1/webhooks/{id}/test":                               {held},
}

// rated lists the operations of the public address without further limits.
var rated = []string{
	"GET /v1/feed/alerts", "GET /v1/feed/alerts/{name}", "GET /v1/feed/items", "GET /v1/feed/series", "GET /v1/feed/summary", "DELETE /v1/files/{id}",
	"GET /v1/files/{id}/content", "GET /v1/files/{id}/parts", "POST /v1/files/{id}/parts",
	"POST /v1/files/{id}/retry", "POST /v1/files/{id}/uploaded", "GET /v1/library/files/{id}/content",
	"GET /v1/library/files/{id}/images", "GET /v1/library/files/{id}/images/{image}",
	"GET /v1/library/files/{id}/metadata", "GET /v1/library/files/{id}/parts", "GET /v1/library/files/{id}/preview", "POST /v1/library/files/{id}/parts",
	"GET /v1/library/files/{id}/records", "GET /v1/library/files/{id}/records/{index}",
	"POST /v1/library/files/{id}/reprocess", "POST /v1/library/files/{id}/retry",
	"POST /v1/library/files/{id}/uploaded", "GET /v1/library/files/{id}/workflow",
	"POST /v1/library/files/{id}/workflow/steps/{step}/retry", "GET /v1/library/links/{token}",
	"POST /v1/library/nodes/bulk", "GET /v1/library/models/{id}",
	"GET /v1/library/nodes/root", "GET /v1/library/nodes/trash",
	"PATCH /v1/library/nodes/{id}", "DELETE /v1/library/nodes/{id}",
	"GET /v1/library/nodes/{id}/links", "POST /v1/library/nodes/{id}/links", "DELETE /v1/library/nodes/{id}/links",
	"GET /v1/library/nodes/{id}/path", "GET /v1/library/nodes/{id}/permissions",
	"PUT /v1/library/nodes/{id}/permissions", "POST /v1/library/nodes/{id}/restore",
	"GET /v1/items", "GET /v1/items/{area}/{id}", "PUT /v1/items/{area}/{id}/tags/{tag}", "DELETE /v1/items/{area}/{id}/tags/{tag}", "GET /v1/tags",
	"GET /v1/searches", "GET /v1/searches/{name}", "PUT /v1/searches/{name}", "DELETE /v1/searches/{name}", "GET /v1/searches/{name}/hits",
	"GET /v1/rules", "GET /v1/rules/{name}", "PUT /v1/rules/{name}", "DELETE /v1/rules/{name}", "POST /v1/rules/{name}/dry-run", "GET /v1/items/{area}/{id}/rules",
	"GET /v1/library/operations/{id}", "GET /v1/me", "GET /v1/owners/{ownerId}/files",
	"GET /v1/owners/{ownerId}/photos", "DELETE /v1/photo-batches/{id}",
	"POST /v1/photo-batches/{id}/retry", "DELETE /v1/photos/{id}", "POST /v1/photos/{id}/cancel",
	"GET /v1/photos/{id}/download", "POST /v1/photos/explain", "POST /v1/photos/{id}/retry", "POST /v1/photos/{id}/uploaded", "POST /v1/photos/{id}/urls", "GET /v1/session",
	"POST /v1/session", "DELETE /v1/session", "GET /v1/session/callback", "GET /v1/session/start",
	"GET /v1/webhooks", "POST /v1/webhooks", "GET /v1/webhooks/{id}", "PATCH /v1/webhooks/{id}", "DELETE /v1/webhooks/{id}",
	"POST /v1/webhooks/{id}/rotate", "GET /v1/webhooks/{id}/deliveries", "POST /v1/webhooks/{id}/replay",
}

// operatorLimits lists the operations of the operator addresses with limits. Operators have no quota of requests.
var operatorLimits = map[string][]string{
	"GET /v1/events":              {stored, held},
	"POST /v1/webhooks/{id}/test": {held},
}

// unlimited lists the operations of the operator addresses without limits.
var unlimited = []string{
	"GET /v1/audit", "GET /v1/backups", "POST /v1/backups", "DELETE /v1/backups", "GET /v1/dead", "POST /v1/dead/drop", "POST /v1/dead/replay", "GET /v1/dead/{sequence}",
	"DELETE /v1/dead/{sequence}", "DELETE /v1/feed/items/{sourceId}", "POST /v1/feed/reanalyze", "GET /v1/feed/opml", "POST /v1/feed/opml",
	"GET /v1/feed/alerts", "GET /v1/feed/alerts/{name}", "PUT /v1/feed/alerts/{name}", "DELETE /v1/feed/alerts/{name}",
	"GET /v1/feed/sources", "GET /v1/feed/sources/{name}", "PUT /v1/feed/sources/{name}",
	"DELETE /v1/feed/sources/{name}", "GET /v1/keys", "POST /v1/keys", "DELETE /v1/keys/{id}",
	"POST /v1/keys/{id}/rotate", "GET /v1/library/files", "GET /v1/library/workflows", "GET /v1/photo-providers",
	"PUT /v1/photo-providers", "GET /v1/photo-providers/{name}", "PUT /v1/photo-providers/{name}",
	"POST /v1/photo-providers/{name}/check", "GET /v1/photos", "GET /v1/photos/costs", "GET /v1/photos/{id}/calls",
	"GET /v1/quotas/{ownerId}", "PUT /v1/quotas/{ownerId}", "GET /v1/status", "GET /v1/status/items", "GET /v1/trace/{id}", "GET /v1/sweeps", "POST /v1/sweeps",
	"GET /v1/webhooks", "POST /v1/webhooks", "GET /v1/webhooks/{id}", "PATCH /v1/webhooks/{id}", "DELETE /v1/webhooks/{id}",
	"POST /v1/webhooks/{id}/rotate", "GET /v1/webhooks/{id}/deliveries", "POST /v1/webhooks/{id}/replay",
}

// TestEveryOperationHasItsLimits compares the table with the problems that the API documents state for each operation.
func TestEveryOperationHasItsLimits(t *testing.T) {
	public, operators := web.NewRouter(web.Options{}), web.NewRouter(web.Options{Roles: []web.Role{web.Operator}})
	ingest.Describe(public)
	query.Describe(public)
	ingest.DescribeOperator(operators)
	query.DescribeOperator(operators)
	analyzer.DescribeOperator(operators)
	serve.DescribeOperator(operators)
	for _, address := range []struct {
		router *web.Router
		limits map[string][]string
		others []string
	}{{public, limits, rated}, {operators, operatorLimits, unlimited}} {
		found := map[string]bool{}
		for pattern, op := range web.Operations(address.router.API.OpenAPI()) {
			found[pattern] = true
			want, known := address.limits[pattern]
			got := limitsOf(op)
			if !slices.Equal(got, want) || known == slices.Contains(address.others, pattern) {
				t.Errorf("%s is documented with the limits %v, the table has %v: add it once, with its limits", pattern, got, want)
			}
		}
		for _, pattern := range slices.AppendSeq(slices.Clone(address.others), maps.Keys(address.limits)) {
			if !found[pattern] {
				t.Errorf("%s is listed but is not in an API document", pattern)
			}
		}
	}
}

// limitsOf returns the problems with status 429 of an operation, other than that of the quota of requests.
func limitsOf(op *huma.Operation) []string {
	var all []string
	for _, slug := range web.Problems(op)[http.StatusTooManyRequests] {
		if slug != requests {
			all = append(all, slug)
		}
	}
	slices.Sort(all)
	return all
}
