package library

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// who is a caller.
type who struct{ name, owner, link string }

// permissionsHold: a node can be read by its owner, and by other callers only through a link or if it is public. Only
// its owner can change it.
func permissionsHold(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	linked, public := folder(t, c, "linked", ""), folder(t, c, "public", "")
	if err := c.PublishNode(system.Within(t), public.ID, true); err != nil {
		t.Fatal(err)
	}
	link, err := c.CreateLink(system.Within(t), linked.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	inLinked, inPublic := file(t, c, "a.csv", linked.ID, "name\nlinked\n"), file(t, c, "a.csv", public.ID, "name\npublic\n")
	private := file(t, c, "a.csv", "", "name\nprivate\n")
	stranger, holder, anonymous := who{"stranger", system.NewOwner(), ""}, who{"link holder", system.NewOwner(), link.Token}, who{"anonymous", "", ""}

	reads := []string{"/nodes/{id}", "/nodes/{id}?wait=1s", "/nodes/{id}/path", "/nodes/{id}/zip", "/files/{id}/content", "/files/{id}/images", "/files/{id}/metadata", "/files/{id}/workflow",
		"/files/{id}/text", "/files/{id}/pages/1?q=name", "/files/{id}/records", "/files/{id}/records/0", "/files/{id}/records/summary", "/files/{id}/records/0/content", "/files/{id}/export?format=csv"}
	folderReads := []string{"/nodes/{id}", "/nodes/{id}/path", "/nodes/{id}/children", "/nodes/{id}/children?sort=name", "/nodes/{id}/zip"}
	writes := []struct {
		method, path, body string
		own                int // status for the owner of a processed file
	}{
		{http.MethodPatch, "/nodes/{id}", `{"name":"b"}`, http.StatusOK}, {http.MethodPost, "/nodes/{id}/restore", "", http.StatusConflict},
		{http.MethodPut, "/nodes/{id}/permissions", `{"isPublic":true}`, http.StatusOK}, {http.MethodPost, "/nodes/{id}/links", `{"expiresIn":"1h"}`, http.StatusCreated},
		{http.MethodDelete, "/nodes/{id}/links", "", http.StatusNoContent}, {http.MethodPost, "/files/{id}/uploaded", "", http.StatusAccepted},
		{http.MethodPost, "/files/{id}/retry", "", http.StatusConflict}, {http.MethodPost, "/files/{id}/workflow/steps/metadata/retry", "", http.StatusConflict},
		{http.MethodPost, "/files/{id}/reprocess", "", http.StatusAccepted},
	}
	creates := []struct{ path, body string }{
		{"/folders", `{"name":"b","parentId":"{id}"}`}, {"/files", `{"name":"b","size":1,"parentId":"{id}"}`},
	}
	ask := func(w who, method, path, id, body string) (int, string) {
		t.Helper()
		path = "/v1/library" + strings.ReplaceAll(path, "{id}", id)
		if w.link != "" && method == http.MethodGet {
			path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "link=" + w.link
		}
		resp, answer := request(t, s, method, path, w.owner, body)
		if w.owner != owner && strings.Contains(answer, owner) {
			t.Errorf("%s %s by %s returned %s, want a response without the owner's id", method, path, w.name, answer)
		}
		return resp.StatusCode, answer
	}
	for _, c := range []struct {
		who     who
		id      string
		folder  bool
		visible bool
	}{
		{who{"owner", owner, ""}, private.ID, false, true},
		{stranger, private.ID, false, false}, {anonymous, private.ID, false, false}, {holder, private.ID, false, false},
		{stranger, inLinked.ID, false, false}, {holder, inLinked.ID, false, true}, {who{"anonymous with a link", "", link.Token}, inLinked.ID, false, true},
		{stranger, inPublic.ID, false, true}, {anonymous, inPublic.ID, false, true},
		{stranger, linked.ID, true, false}, {holder, linked.ID, true, true}, {stranger, public.ID, true, true},
	} {
		paths := reads
		if c.folder {
			paths = folderReads
		}
		for _, path := range paths {
			status, answer := ask(c.who, http.MethodGet, path, c.id, "")
			if good := status == http.StatusOK || status == http.StatusTemporaryRedirect; good != c.visible || !good && status != http.StatusNotFound {
				t.Errorf("%s: GET %s: %d %s, want access %t", c.who.name, path, status, answer, c.visible)
			}
		}
		if c.who.owner == owner {
			continue
		}
		want := http.StatusNotFound
		if c.visible && c.who.link == "" { // calls that change a node accept no link
			want = http.StatusForbidden
		}
		for _, w := range writes {
			if c.folder && strings.HasPrefix(w.path, "/files") {
				continue
			}
			if status, answer := ask(c.who, w.method, w.path, c.id, w.body); status != want {
				t.Errorf("%s: %s %s: %d %s, want %d", c.who.name, w.method, w.path, status, answer, want)
			}
		}
		noLink := who{c.who.name, c.who.owner, ""} // this call accepts no link
		if status, answer := ask(noLink, http.MethodGet, "/nodes/{id}/permissions", c.id, ""); status != http.StatusNotFound {
			t.Errorf("%s: the permissions: %d %s, want 404", c.who.name, status, answer)
		}
		// A delete does not reveal whether a node that the caller cannot see exists.
		gone := map[int]int{http.StatusNotFound: http.StatusNoContent, http.StatusForbidden: http.StatusForbidden}[want]
		for _, query := range []string{"", "?permanent=true"} {
			if status, answer := ask(c.who, http.MethodDelete, "/nodes/{id}"+query, c.id, ""); status != gone {
				t.Errorf("%s: DELETE%s: %d %s, want %d", c.who.name, query, status, answer, gone)
			}
		}
		if c.folder && c.who.owner != "" {
			for _, call := range creates {
				if status, answer := ask(c.who, http.MethodPost, call.path, "", strings.ReplaceAll(call.body, "{id}", c.id)); status != want {
					t.Errorf("%s: POST %s into the folder: %d %s, want %d", c.who.name, call.path, status, answer, want)
				}
			}
		}
	}
	for _, id := range []string{private.ID, inLinked.ID, inPublic.ID} {
		if n, err := c.Node(system.Within(t), id, client.Reading{}); err != nil || n.Name != "a.csv" || n.Status != client.LibraryProcessed {
			t.Errorf("after all calls: %+v, %v; want an unchanged file", n, err)
		}
	}

	self := who{"owner", owner, ""}
	own := file(t, c, "a.csv", linked.ID, "name\nown\n")
	for _, w := range writes {
		if status, answer := ask(self, w.method, w.path, own.ID, w.body); status != w.own {
			t.Errorf("owner: %s %s: %d %s, want %d", w.method, w.path, status, answer, w.own)
		}
	}
	if n, err := c.Node(system.Within(t), own.ID, client.Reading{}); err != nil || n.Name != "b" || !n.Permissions.IsPublic {
		t.Errorf("after the owner's calls: %+v, %v; want a public file named b", n, err)
	}
	for _, call := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodDelete, "/nodes/{id}", "", http.StatusNoContent}, {http.MethodPost, "/nodes/{id}/restore", "", http.StatusOK},
		{http.MethodDelete, "/nodes/{id}?permanent=true", "", http.StatusNoContent}, {http.MethodGet, "/nodes/{id}", "", http.StatusNotFound},
	} {
		if status, answer := ask(self, call.method, call.path, own.ID, call.body); status != call.want {
			t.Errorf("owner: %s %s: %d %s, want %d", call.method, call.path, status, answer, call.want)
		}
	}
	for _, call := range creates {
		if status, answer := ask(self, http.MethodPost, call.path, "", strings.ReplaceAll(call.body, "{id}", linked.ID)); status != http.StatusCreated {
			t.Errorf("owner: POST %s into the folder: %d %s, want 201", call.path, status, answer)
		}
	}
}

// ownersAreNotShown: sharing with users by their ids is rejected, because an id acts as a credential.
func ownersAreNotShown(t *testing.T, s system.System) {
	owner, other := system.NewOwner(), system.NewOwner()
	c := s.Client(t, owner)
	n := folder(t, c, "n", "")
	resp, body := request(t, s, http.MethodPut, "/v1/library/nodes/"+n.ID+"/permissions", owner, system.JSON(map[string]any{"isPublic": false, "users": []string{other}}))
	if resp.StatusCode != http.StatusConflict || strings.Contains(body, other) {
		t.Errorf("sharing with a user returned %d %s, want 409 without the user's id", resp.StatusCode, body)
	}
	link, err := c.CreateLink(system.Within(t), n.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	root := library.RootID(owner) // a guess of the owner can be verified with it
	for _, path := range []string{"/links/" + link.Token, "/nodes/" + n.ID + "?link=" + link.Token, "/nodes/" + n.ID + "/path?link=" + link.Token} {
		for _, reader := range []string{"", other} {
			if resp, body := request(t, s, http.MethodGet, "/v1/library"+path, reader, ""); resp.StatusCode != http.StatusOK || strings.Contains(body, root) {
				t.Errorf("%s as %q returned %d %s, want 200 without the root of the owner", path, reader, resp.StatusCode, body)
			}
		}
		if resp, body := request(t, s, http.MethodGet, "/v1/library"+path, owner, ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, root) {
			t.Errorf("%s as the owner returned %d %s, want 200 with the root", path, resp.StatusCode, body)
		}
	}
	for _, path := range []string{"/nodes?type=File", "/nodes/trash", "/nodes/root"} {
		if resp, body := request(t, s, http.MethodGet, "/v1/library"+path, "", ""); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s without an owner returned %d %s, want 400", path, resp.StatusCode, body)
		}
	}
}

// linksAreRevoked: a link gives access to its node and its descendants until it expires or is revoked;
// other links are not affected.
func linksAreRevoked(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	a, b := folder(t, c, "a", ""), folder(t, c, "b", "")
	below := folder(t, c, "below", a.ID)
	stranger := s.Client(t, system.NewOwner())
	create := func(id string, valid time.Duration) string {
		t.Helper()
		link, err := c.CreateLink(system.Within(t), id, valid)
		if err != nil {
			t.Fatal(err)
		}
		return link.Token
	}
	first, second, other, short := create(a.ID, time.Hour), create(a.ID, 2*time.Hour), create(b.ID, time.Hour), create(b.ID, time.Second)
	if n, err := stranger.LinkedNode(system.Within(t), first); err != nil || n.ID != a.ID || n.OwnedBy != "" {
		t.Errorf("LinkedNode = %+v, %v; want folder a without its owner", n, err)
	}
	if path, err := stranger.NodePath(system.Within(t), below.ID, client.Reading{Link: second}); err != nil || len(path) != 2 || path[0].ID != a.ID {
		t.Errorf("the path with a link: %+v, %v; want folders a and below", path, err)
	}
	if _, err := stranger.Node(system.Within(t), b.ID, client.Reading{Link: first}); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("reading a node with a link to another node returned %v, want 404", err)
	}
	if list, err := c.NodeLinks(system.Within(t), a.ID); err != nil || len(list) != 2 || list[0].Token != first || list[1].Token != second {
		t.Errorf("the links are %v, %v; want two", list, err)
	}
	if _, err := stranger.NodeLinks(system.Within(t), a.ID); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("listing the links of another owner returned %v, want 404", err)
	}
	if err := c.RevokeLinks(system.Within(t), a.ID); err != nil {
		t.Fatal(err)
	}
	if list, err := c.NodeLinks(system.Within(t), a.ID); err != nil || len(list) != 0 {
		t.Errorf("after links were revoked, the links are %v, %v; want none", list, err)
	}
	for _, token := range []string{first, second, "AAAA", first[:len(first)-2] + "AA"} {
		if _, err := stranger.LinkedNode(system.Within(t), token); !system.IsProblem(err, http.StatusNotFound) {
			t.Errorf("LinkedNode with an invalid link returned %v, want 404", err)
		}
		if _, err := stranger.Node(system.Within(t), below.ID, client.Reading{Link: token}); !system.IsProblem(err, http.StatusNotFound) {
			t.Errorf("Node with an invalid link returned %v, want 404", err)
		}
	}
	if _, err := stranger.LinkedNode(system.Within(t), other); err != nil {
		t.Errorf("LinkedNode with a link to another node returned %v, want no error", err)
	}
	if _, err := stranger.LinkedNode(system.Within(t), create(a.ID, time.Hour)); err != nil {
		t.Errorf("LinkedNode with a new link returned %v, want no error", err)
	}
	system.Eventually(t, func() error {
		_, err := stranger.LinkedNode(system.Within(t), short)
		if system.IsProblem(err, http.StatusNotFound) {
			return nil
		}
		return err
	})
	if _, err := c.CreateLink(system.Within(t), a.ID, 31*24*time.Hour); !system.IsProblem(err, http.StatusUnprocessableEntity) {
		t.Errorf("creating a link for 31 days returned %v, want 422", err)
	}
}
