package library

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// afterRevealsNothing: a call with the parameter after that names a node of another owner has the response of one that
// names a node that does not exist, whatever the version. It does not wait, or the response would be 503.
func afterRevealsNothing(t *testing.T, s system.System) {
	owner, other := system.NewOwner(), system.NewOwner()
	own, mine := folder(t, s.Client(t, owner), "own", ""), folder(t, s.Client(t, other), "other", "")
	for _, path := range []string{
		"/search?q=nothing&", "/nodes/shared?", "/nodes/public?limit=1&", "/nodes?type=Folder&", "/nodes?type=File&sort=name&", "/nodes/" + own.ID + "/children?",
	} {
		for _, version := range []int{0, 1, 1000} {
			var shown [3]string
			for i, node := range []string{mine.ID, uuid.NewString(), uuid.Must(uuid.NewV7()).String()} {
				resp, body := request(t, s, http.MethodGet, fmt.Sprintf("/v1/library%safter=%s:%d", path, node, version), owner, "")
				var fields map[string]any
				if err := json.Unmarshal([]byte(body), &fields); err != nil {
					t.Fatal(err)
				}
				delete(fields, "indexedVersion") // other tests change nodes at the same time, also public ones
				if path == "/nodes/public?limit=1&" {
					fields = nil
				}
				if resp.StatusCode != http.StatusOK {
					t.Errorf("%s after version %d of node %d: %d %s, want 200", path, version, i, resp.StatusCode, body)
				}
				shown[i] = fmt.Sprint(resp.StatusCode, fields)
			}
			if shown[0] != shown[1] || shown[0] != shown[2] {
				t.Errorf("%s after version %d: the node of another owner can be distinguished from missing ones: %q", path, version, shown)
			}
		}
	}
	fresh := system.NewOwner()
	_, body := request(t, s, http.MethodGet, "/v1/library/nodes/root", fresh, "")
	if resp, body := request(t, s, http.MethodGet, "/v1/library/nodes?type=File&after="+system.EventField(t, []byte(body), "id")+":0", fresh, ""); resp.StatusCode != http.StatusOK {
		t.Errorf("after version 0 of a root that is not stored: %d %s, want 200 without a wait", resp.StatusCode, body)
	}
	if resp, body := request(t, s, http.MethodGet, fmt.Sprintf("/v1/library/nodes?type=Folder&after=%s:%d", own.ID, own.Version), owner, ""); resp.StatusCode != http.StatusOK {
		t.Errorf("after the version of an own node: %d %s, want 200", resp.StatusCode, body)
	}
	if resp, body := request(t, s, http.MethodGet, "/v1/library/nodes?type=Folder&after="+own.ID+":1000", owner, ""); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after a version that an own node never reaches: %d %s, want 503", resp.StatusCode, body)
	}
}
