package uploads

import (
	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/test/e2e/identity"
)

// Callers states who may call the operations of text files.
func Callers() identity.Area {
	return identity.Area{
		Items: []identity.Item{
			{Name: "file", In: "files", Path: "/v1/files", Body: `{"fileName":"{marker}.txt","size":3}`, Field: "fileId", Unknown: func() string { return uuid.Must(uuid.NewV7()).String() }, Shown: "/v1/files/{file}"},
		},
		Operations: map[string]identity.Operation{
			"POST /v1/files":                 {Kind: identity.Common, Body: `{"fileName":"b.txt","size":3}`},
			"POST /v1/files/{id}/uploaded":   {Kind: identity.Own},
			"POST /v1/files/{id}/retry":      {Kind: identity.Own},
			"POST /v1/files/{id}/parts":      {Kind: identity.Own, Body: identity.PartBody},
			"GET /v1/files/{id}/parts":       {Kind: identity.Own, Query: "uploadId=abc", Absent: true},
			"DELETE /v1/files/{id}":          {Kind: identity.Own, Silent: true},
			"GET /v1/files/{id}":             {Kind: identity.Own},
			"GET /v1/files/{id}/content":     {Kind: identity.Own, Absent: true},
			"GET /v1/owners/{ownerId}/files": {Kind: identity.Own},
			"POST /v1/items/{area}/{id}/send": {
				Kind: identity.Own, Body: `{"to":"library"}`, Names: map[string]string{"area": "textfile", "id": "file"},
			},
		},
	}
}
