package identity

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/identity"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// sharingIsEnforced shares a folder with a user and with a group, and checks that they see it in every call: nodes, the
// list of shared nodes, search, zips and live events. They may not change what they see. After access is withdrawn,
// they no longer see it.
func sharingIsEnforced(t *testing.T, w *world) {
	chemist := w.provider.Token(t, "carl", map[string]any{
		"groups": []string{"chemists"}, "name": "Carl Lee", "given_name": "Carl", "family_name": "Lee", "preferred_username": "carl", "email": "carl@example.com",
	})
	stranger := w.provider.Token(t, "dora", map[string]any{"groups": []string{"physicists"}})
	node := w.HTTP + "/v1/library/nodes/"
	item := w.HTTP + "/v1/items/library/" + w.items["node"]
	permit := func(permissions string) {
		t.Helper()
		status, text := w.ask(t, w.anna, http.MethodPut, node+w.items["folder"]+"/permissions", permissions)
		if status != http.StatusOK {
			t.Fatalf("sharing returned %d, want 200: %s", status, text)
		}
	}
	share := func(users, groups string) {
		t.Helper()
		permit(`{"isPublic":false,"users":[` + users + `],"groups":[` + groups + `]}`)
	}
	sees := func(name, token string, sees bool) {
		t.Helper()
		read, change := http.StatusOK, http.StatusForbidden
		if !sees {
			read, change = http.StatusNotFound, http.StatusNotFound
		}
		for _, path := range []string{w.items["folder"], w.items["node"], w.items["folder"] + "/children", w.items["folder"] + "/zip", w.items["folder"] + "/events"} {
			status, text := w.ask(t, token, http.MethodGet, node+path, "")
			if status != read || strings.Contains(text, w.annasOwner) {
				t.Errorf("%s: %s: %d %s, want %d without the owner %s", name, path, status, text, read, w.annasOwner)
			}
		}
		if status, text := w.ask(t, token, http.MethodGet, item, ""); status != read || strings.Contains(text, w.annasOwner) {
			t.Errorf("%s: %s: %d %s, want %d without the owner %s", name, item, status, text, read, w.annasOwner)
		}
		if status, text := w.ask(t, token, http.MethodPatch, node+w.items["node"], `{"displayName":"x"}`); status != change {
			t.Errorf("%s: a change: %d %s, want %d", name, status, text, change)
		}
		sent := map[bool]int{true: http.StatusConflict, false: http.StatusNotFound}[sees] // the file has no content yet
		if status, text := w.ask(t, token, http.MethodPost, w.HTTP+"/v1/items/library/"+w.items["node"]+"/send", `{"to":"textfile"}`); status != sent {
			t.Errorf("%s: a copy: %d %s, want %d", name, status, text, sent)
		}
		for _, path := range []string{"nodes/shared", "search?q=" + marker} {
			system.Eventually(t, func() error {
				status, text := w.ask(t, token, http.MethodGet, w.HTTP+"/v1/library/"+path, "")
				if status != http.StatusOK || strings.Contains(text, marker) != sees {
					return fmt.Errorf("%s: %s: %d %s, want 200 and contains %s = %t", name, path, status, text, marker, sees)
				}
				return nil
			})
		}
	}
	sees("before it is shared", w.bob, false)
	share(`"bob"`, "")
	sees("a user", w.bob, true)
	sees("another user", stranger, false)
	share("", `"chemists"`)
	sees("a former user", w.bob, false)
	sees("a member of the group", chemist, true)
	sees("a member of another group", stranger, false)
	share("", "")
	sees("a former member of the group", chemist, false)
	for permissions, want := range map[string]int{`{"isPublic":true}`: http.StatusOK, `{"isPublic":false}`: http.StatusUnauthorized} {
		permit(permissions)
		for _, at := range []string{item, node + w.items["node"]} {
			if status, text := w.ask(t, "", http.MethodGet, at, ""); status != want || strings.Contains(text, w.annasOwner) {
				t.Errorf("with the permissions %s, %s without a credential: %d %s, want %d without the owner %s", permissions, at, status, text, want, w.annasOwner)
			}
		}
	}
	for at, want := range map[string]int{item + "?link=" + w.items["link"]: http.StatusOK, item + "?link=wrong": http.StatusNotFound} {
		if status, text := w.ask(t, "", http.MethodGet, at, ""); status != want {
			t.Errorf("%s without a credential: %d %s, want %d", at, status, text, want)
		}
	}

	// The names from the provider are in the user's root node, which ingest writes on the user's first call.
	if status, text := w.ask(t, chemist, http.MethodPost, w.HTTP+"/v1/library/folders", `{"name":"own"}`); status != http.StatusCreated {
		t.Fatalf("creating a folder returned %d, want 201: %s", status, text)
	}
	var root map[string]any
	_, text := w.ask(t, chemist, http.MethodGet, node+"root", "")
	system.Decode(t, text, &root)
	for name, want := range map[string]string{
		"ownedBy": identity.OwnerOf(w.provider.Issuer(), "carl"), "displayName": "Carl Lee", "firstName": "Carl", "lastName": "Lee", "loginName": "carl", "email": "carl@example.com",
	} {
		if root[name] != want {
			t.Errorf("the %s of the root node is %v, want %q", name, root[name], want)
		}
	}
}
