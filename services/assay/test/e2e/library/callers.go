package library

import (
	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
)

// Callers states who may call the operations of the library.
func Callers() identity.Area {
	return identity.Area{
		Items: []identity.Item{
			{Name: "folder", Path: "/v1/library/folders", Body: `{"name":"{marker}-folder"}`, Field: "id", Unknown: uuid.NewString, Shown: "/v1/library/nodes/{folder}"},
			{Name: "node", In: "library", Path: "/v1/library/files", Body: `{"name":"{marker}.txt","size":3,"parentId":"{folder}"}`, Field: "id", Unknown: uuid.NewString, Shown: "/v1/library/nodes/{node}"},
			{Name: "link", Path: "/v1/library/nodes/{folder}/links", Body: `{"expiresIn":"1h"}`, Field: "token"},
		},
		Operations: map[string]identity.Operation{
			"POST /v1/library/folders":                                  {Kind: identity.Common, Body: `{"name":"b"}`},
			"POST /v1/library/files":                                    {Kind: identity.Common, Body: `{"name":"b.txt","size":3}`},
			"POST /v1/library/pages":                                    {Kind: identity.Common, Body: `{"url":"https://example.com/a"}`},
			"POST /v1/library/nodes/bulk":                               {Kind: identity.Common, Body: `{"operations":[{"op":"trash","id":"{node}"}]}`},
			"POST /v1/library/models":                                   {Kind: identity.Own, Body: `{"fileId":"{node}","column":"x"}`},
			"GET /v1/library/models/{id}":                               {Kind: identity.Own, Absent: true},
			"GET /v1/library/models/{id}/report":                        {Kind: identity.Own, Absent: true},
			"POST /v1/library/models/{id}/predictions":                  {Kind: identity.Own, Body: `{"records":[{"x":1}]}`},
			"GET /v1/library/nodes":                                     {Kind: identity.Common, Query: "type=File"},
			"GET /v1/library/nodes/root":                                {Kind: identity.Common},
			"GET /v1/library/nodes/trash":                               {Kind: identity.Common},
			"GET /v1/library/nodes/shared":                              {Kind: identity.Common},
			"GET /v1/library/nodes/public":                              {Kind: identity.Linked},
			"GET /v1/library/search":                                    {Kind: identity.Common, Query: "q=identity"},
			"GET /v1/library/links/{token}":                             {Kind: identity.Linked, Names: map[string]string{"token": "link"}},
			"GET /v1/library/operations/{id}":                           {Kind: identity.Own, Absent: true},
			"PATCH /v1/library/nodes/{id}":                              {Kind: identity.Own, Body: `{"displayName":"x"}`},
			"DELETE /v1/library/nodes/{id}":                             {Kind: identity.Own, Silent: true},
			"POST /v1/library/nodes/{id}/restore":                       {Kind: identity.Own},
			"GET /v1/library/nodes/{id}":                                {Kind: identity.Own},
			"GET /v1/library/nodes/{id}/children":                       {Kind: identity.Own, Names: map[string]string{"id": "folder"}},
			"GET /v1/library/nodes/{id}/events":                         {Kind: identity.Own},
			"GET /v1/library/nodes/{id}/path":                           {Kind: identity.Own},
			"GET /v1/library/nodes/{id}/zip":                            {Kind: identity.Own, Names: map[string]string{"id": "folder"}},
			"GET /v1/library/nodes/{id}/permissions":                    {Kind: identity.Own},
			"PUT /v1/library/nodes/{id}/permissions":                    {Kind: identity.Own, Body: `{"isPublic":false}`},
			"POST /v1/library/nodes/{id}/links":                         {Kind: identity.Own, Body: `{"expiresIn":"1h"}`},
			"GET /v1/library/nodes/{id}/links":                          {Kind: identity.Own},
			"DELETE /v1/library/nodes/{id}/links":                       {Kind: identity.Own},
			"POST /v1/library/files/{id}/uploaded":                      {Kind: identity.Own},
			"POST /v1/library/files/{id}/retry":                         {Kind: identity.Own},
			"POST /v1/library/files/{id}/reprocess":                     {Kind: identity.Own},
			"POST /v1/library/files/{id}/parts":                         {Kind: identity.Own, Body: identity.PartBody},
			"GET /v1/library/files/{id}/parts":                          {Kind: identity.Own, Query: "uploadId=abc", Absent: true},
			"POST /v1/library/files/{id}/workflow/steps/{step}/retry":   {Kind: identity.Own, Names: map[string]string{"step": "text"}},
			"GET /v1/library/files/{id}/content":                        {Kind: identity.Own},
			"GET /v1/library/files/{id}/text":                           {Kind: identity.Own, Absent: true},
			"GET /v1/library/files/{id}/pages/{page}":                   {Kind: identity.Own, Names: map[string]string{"page": "1"}, Absent: true},
			"GET /v1/library/files/{id}/reader":                         {Kind: identity.Own, Absent: true},
			"GET /v1/library/files/{id}/images":                         {Kind: identity.Own},
			"GET /v1/library/files/{id}/images/{image}":                 {Kind: identity.Own, Names: map[string]string{"image": "300"}, Absent: true},
			"GET /v1/library/files/{id}/similar":                        {Kind: identity.Own, Absent: true},
			"GET /v1/library/files/{id}/metadata":                       {Kind: identity.Own, Absent: true},
			"GET /v1/library/files/{id}/workflow":                       {Kind: identity.Own, Absent: true},
			"GET /v1/library/files/{id}/records":                        {Kind: identity.Own, Absent: true},
			"GET /v1/library/files/{id}/records/{index}":                {Kind: identity.Own, Names: map[string]string{"index": "0"}, Absent: true},
			"GET /v1/library/files/{id}/records/{index}/image.svg":      {Kind: identity.Own, Names: map[string]string{"index": "0"}, Absent: true},
			"GET /v1/library/files/{id}/records/{index}/content":        {Kind: identity.Own, Names: map[string]string{"index": "0"}, Absent: true},
			"GET /v1/library/files/{id}/records/{index}/tables":         {Kind: identity.Own, Names: map[string]string{"index": "0"}, Absent: true},
			"GET /v1/library/files/{id}/records/{index}/tables/{table}": {Kind: identity.Own, Names: map[string]string{"index": "0", "table": "0"}, Absent: true},
			"GET /v1/library/files/{id}/export":                         {Kind: identity.Own, Query: "format=csv", Absent: true},
			"GET /v1/library/files/{id}/preview":                        {Kind: identity.Own},
			"GET /v1/library/files/{id}/records/summary":                {Kind: identity.Own, Absent: true},
		},
		Reads: []string{"GET /v1/library/files", "GET /v1/library/workflows"},
	}
}
