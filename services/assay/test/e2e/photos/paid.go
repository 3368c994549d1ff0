package photos

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream/seedreamtest"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// setPhotoProvider changes some settings of a provider.
func setPhotoProvider(t *testing.T, operator, name string, change system.Settings) {
	t.Helper()
	at := system.System{HTTP: operator}
	resp, body := at.Ask(t, http.MethodGet, "/v1/photo-providers/"+name, nil, "")
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("get %s: %d %s, want 200", name, resp.StatusCode, body)
	}
	if strings.Contains(body, geminitest.Key) || strings.Contains(body, seedreamtest.Key) {
		t.Errorf("the provider is %s, want it without its API key", body)
	}
	all := system.Settings{}
	system.Decode(t, body, &all)
	delete(all, "name")
	delete(all, "state")
	delete(all, "$schema")
	for field, value := range change {
		all[field] = value
	}
	header := map[string]string{"Content-Type": "application/json", "If-Match": resp.Header.Get("ETag")}
	if resp, body := at.Ask(t, http.MethodPut, "/v1/photo-providers/"+name, header, system.JSON(all)); resp.StatusCode != http.StatusOK {
		t.Fatalf("put %s: %d %s, want 200", name, resp.StatusCode, body)
	}
}
