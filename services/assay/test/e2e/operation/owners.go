package operation

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// oneRuleForOwners: an operation whose path or query names an owner serves that owner, also if the request names none
// elsewhere, because the id proves who it is. If the request names another owner, the owner in the path does not exist.
// Operators see all owners.
func oneRuleForOwners(t *testing.T, s system.System) {
	owner, another := system.NewOwner(), system.NewOwner()
	known := map[string]bool{}
	for address, strangers := range map[string]int{s.HTTP: http.StatusNotFound, s.Operator: http.StatusOK} {
		for _, path := range ownerPaths(t, address) {
			known[path] = true
			at := address + strings.ReplaceAll(path, "{ownerId}", owner)
			for caller, want := range map[string]int{"": http.StatusOK, owner: http.StatusOK, another: strangers} {
				req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, at, nil)
				if err != nil {
					t.Fatal(err)
				}
				if caller != "" {
					req.Header.Set("X-Owner-Id", caller)
				}
				resp, err := new(http.Client).Do(req) // the body of live events does not end
				if err != nil {
					t.Fatal(err)
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
				if resp.StatusCode != want {
					t.Errorf("GET %s of the owner %s as %q: got %s, want %d", at, owner, caller, resp.Status, want)
				}
			}
		}
	}
	for _, path := range []string{"/v1/owners/{ownerId}/files", "/v1/owners/{ownerId}/photos", "/v1/events?owner={ownerId}", "/v1/quotas/{ownerId}"} {
		if !known[path] {
			t.Errorf("no API document contains GET %s; want it among %q", path, slices.Sorted(maps.Keys(known)))
		}
	}
}

// ownerPaths returns the paths of the read operations of an address that name an owner.
func ownerPaths(t *testing.T, address string) []string {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, address+"/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, text := system.Exchange(t, req)
	var document struct {
		Paths map[string]struct {
			Get *struct{ Parameters []struct{ Name, In string } }
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for path, item := range document.Paths {
		switch {
		case item.Get == nil:
		case strings.Contains(path, "{ownerId}"):
			paths = append(paths, path)
		default:
			for _, p := range item.Get.Parameters {
				if p.In == "query" && p.Name == "owner" {
					paths = append(paths, path+"?owner={ownerId}")
				}
			}
		}
	}
	return paths
}
