package operation

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// servesItsDocuments: the OpenAPI document and the page that displays it are served.
func servesItsDocuments(t *testing.T, s system.System) {
	resp, body := s.Ask(t, http.MethodGet, "/openapi.json", nil, "")
	for _, call := range []string{`"3.1.0"`, `"/v1/files"`, `"/v1/files/{id}/uploaded"`, `"/v1/files/{id}/retry"`, `"/v1/files/{id}/content"`, `"/v1/owners/{ownerId}/files"`, `"/v1/events"`, `"multipart/form-data"`} {
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, call) {
			t.Errorf("/openapi.json: status %d, want 200 and a document that contains %s", resp.StatusCode, call)
		}
	}
	if resp, body = s.Ask(t, http.MethodGet, "/docs", nil, ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, "/openapi.json") {
		t.Errorf("/docs: status %d, want 200 and a page that loads /openapi.json", resp.StatusCode)
	}
}
