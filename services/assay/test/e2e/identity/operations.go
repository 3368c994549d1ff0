package identity

// kind states which callers an operation accepts.
type kind int

const (
	public   kind = iota // everyone; credentials are ignored
	common               // every caller with a credential, for its own items or the feed
	own                  // the owner of the item that the request names
	linked               // everyone with a share link, even without a credential
	operator             // operators
)

// operation is a valid request. {x} in path, query and body is replaced by the id of the item named x.
type operation struct {
	kind  kind
	query string
	body  string
	// names maps parameters of the path to names of items, or to values. By default, {id} is the item of the path's area.
	names map[string]string
	// absent means that the owner can get 404 too, because the item lacks the requested resource.
	absent bool
	// silent means that the response can be 204 whether or not the item exists.
	silent bool
}

const (
	partBody   = `{"uploadId":"abc","numbers":[1],"crc32":["AAAAAA=="]}`
	photoTerms = `{"fileName":"a.png","size":100,"contentType":"image/png"}`
)

// operations lists every operation of the public address by method and path. New operations must be added here with
// their kind.
var operations = map[string]operation{
	"GET /v1/session":          {kind: public},
	"POST /v1/session":         {kind: public, body: `{"key":"assay_x"}`},
	"DELETE /v1/session":       {kind: public},
	"GET /v1/session/start":    {kind: public},
	"GET /v1/session/callback": {kind: public},
	"GET /v1/me":               {kind: common},

	"GET /v1/events": {kind: own, query: "owner={owner}"},

	"POST /v1/files":                {kind: common, body: `{"fileName":"b.txt","size":3}`},
	"POST /v1/files/{id}/uploaded":  {kind: own},
	"POST /v1/files/{id}/retry":     {kind: own},
	"POST /v1/files/{id}/parts":     {kind: own, body: partBody},
	"GET /v1/files/{id}/parts":      {kind: own, query: "uploadId=abc", absent: true},
	"DELETE /v1/files/{id}":         {kind: own, silent: true},
	"GET /v1/files/{id}":            {kind: own},
	"GET /v1/files/{id}/content":    {kind: own, absent: true},
	"GET /v1/owners/{owner}/files":  {kind: own},
	"GET /v1/owners/{owner}/photos": {kind: own},

	"POST /v1/feed/items":           {kind: common, body: `{"source_id":"rss#identity","source_type":"rss","text":"A good day.","timestamp":"2026-11-24T08:00:00Z"}`},
	"GET /v1/feed/items/{sourceId}": {kind: common, absent: true},
	"GET /v1/feed/items":            {kind: common},
	"GET /v1/feed/summary":          {kind: common},
	"GET /v1/feed/series":           {kind: common, query: "bucket=1h"},
	"GET /v1/feed/events":           {kind: common},

	"POST /v1/photos":                   {kind: common, body: photoTerms},
	"POST /v1/photo-batches":            {kind: common, body: `{"photos":[` + photoTerms + `]}`},
	"POST /v1/photos/{id}/uploaded":     {kind: own},
	"POST /v1/photos/{id}/cancel":       {kind: own},
	"POST /v1/photos/{id}/retry":        {kind: own},
	"DELETE /v1/photos/{id}":            {kind: own, silent: true},
	"GET /v1/photos/{id}":               {kind: own},
	"GET /v1/photos/{id}/download":      {kind: own, query: "variant=original"},
	"GET /v1/photo-batches/{id}":        {kind: own},
	"POST /v1/photo-batches/{id}/retry": {kind: own},
	"DELETE /v1/photo-batches/{id}":     {kind: own, silent: true},

	"POST /v1/library/folders":                                {kind: common, body: `{"name":"b"}`},
	"POST /v1/library/files":                                  {kind: common, body: `{"name":"b.txt","size":3}`},
	"POST /v1/library/pages":                                  {kind: common, body: `{"url":"https://example.com/a"}`},
	"POST /v1/library/nodes/bulk":                             {kind: common, body: `{"operations":[{"op":"trash","id":"{node}"}]}`},
	"GET /v1/library/nodes":                                   {kind: common, query: "type=File"},
	"GET /v1/library/nodes/root":                              {kind: common},
	"GET /v1/library/nodes/trash":                             {kind: common},
	"GET /v1/library/nodes/shared":                            {kind: common},
	"GET /v1/library/nodes/public":                            {kind: linked},
	"GET /v1/library/search":                                  {kind: common, query: "q=identity"},
	"GET /v1/library/links/{link}":                            {kind: linked},
	"GET /v1/library/operations/{id}":                         {kind: own, absent: true},
	"PATCH /v1/library/nodes/{id}":                            {kind: own, body: `{"displayName":"x"}`},
	"DELETE /v1/library/nodes/{id}":                           {kind: own, silent: true},
	"POST /v1/library/nodes/{id}/restore":                     {kind: own},
	"GET /v1/library/nodes/{id}":                              {kind: own},
	"GET /v1/library/nodes/{id}/children":                     {kind: own, names: map[string]string{"id": "folder"}},
	"GET /v1/library/nodes/{id}/events":                       {kind: own},
	"GET /v1/library/nodes/{id}/path":                         {kind: own},
	"GET /v1/library/nodes/{id}/zip":                          {kind: own, names: map[string]string{"id": "folder"}},
	"GET /v1/library/nodes/{id}/permissions":                  {kind: own},
	"PUT /v1/library/nodes/{id}/permissions":                  {kind: own, body: `{"isPublic":false}`},
	"POST /v1/library/nodes/{id}/links":                       {kind: own, body: `{"expiresIn":"1h"}`},
	"GET /v1/library/nodes/{id}/links":                        {kind: own},
	"DELETE /v1/library/nodes/{id}/links":                     {kind: own},
	"POST /v1/library/files/{id}/uploaded":                    {kind: own},
	"POST /v1/library/files/{id}/retry":                       {kind: own},
	"POST /v1/library/files/{id}/reprocess":                   {kind: own},
	"POST /v1/library/files/{id}/parts":                       {kind: own, body: partBody},
	"GET /v1/library/files/{id}/parts":                        {kind: own, query: "uploadId=abc", absent: true},
	"POST /v1/library/files/{id}/workflow/steps/{step}/retry": {kind: own, names: map[string]string{"step": "text"}},
	"GET /v1/library/files/{id}/content":                      {kind: own},
	"GET /v1/library/files/{id}/text":                         {kind: own, absent: true},
	"GET /v1/library/files/{id}/images":                       {kind: own},
	"GET /v1/library/files/{id}/images/{image}":               {kind: own, names: map[string]string{"image": "300"}, absent: true},
	"GET /v1/library/files/{id}/metadata":                     {kind: own, absent: true},
	"GET /v1/library/files/{id}/workflow":                     {kind: own, absent: true},
	"GET /v1/library/files/{id}/records":                      {kind: own, absent: true},
	"GET /v1/library/files/{id}/records/{index}":              {kind: own, names: map[string]string{"index": "0"}, absent: true},
	"GET /v1/library/files/{id}/records/{index}/image.svg":    {kind: own, names: map[string]string{"index": "0"}, absent: true},
	"GET /v1/library/files/{id}/records/{index}/content":      {kind: own, names: map[string]string{"index": "0"}, absent: true},
	"GET /v1/library/files/{id}/export":                       {kind: own, query: "format=csv", absent: true},
}

// operatorOperations lists the operations of the operator addresses, all of which are of the kind operator. Requests
// need not be valid, because the role is checked first.
var operatorOperations = []string{
	"POST /v1/keys", "GET /v1/keys", "POST /v1/keys/{id}/rotate", "DELETE /v1/keys/{id}",
	"GET /v1/audit", "GET /v1/quotas/{ownerId}", "PUT /v1/quotas/{ownerId}",
	"GET /v1/dead", "GET /v1/dead/{sequence}", "POST /v1/dead/replay", "POST /v1/dead/drop", "DELETE /v1/dead/{sequence}",
	"GET /v1/feed/sources", "GET /v1/feed/sources/{name}", "PUT /v1/feed/sources/{name}", "DELETE /v1/feed/sources/{name}",
	"DELETE /v1/feed/items/{sourceId}", "POST /v1/feed/reanalyze",
	"GET /v1/photo-providers", "GET /v1/photo-providers/{name}", "PUT /v1/photo-providers/{name}", "PUT /v1/photo-providers",
	"GET /v1/photos/costs", "POST /v1/photo-providers/{name}/check", "GET /v1/photos", "GET /v1/photos/{id}/calls",
	"GET /v1/library/files", "GET /v1/library/workflows", "GET /v1/events", "GET /v1/status", "GET /v1/sweeps", "POST /v1/sweeps",
}
