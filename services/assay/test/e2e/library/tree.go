package library

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// folder creates a folder; an empty parent means the root.
func folder(t *testing.T, c *client.Client, name, parentID string) client.Node {
	t.Helper()
	n, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: name, ParentID: parentID})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func upload(ctx context.Context, c *client.Client, name, parentID, text string) (client.Node, error) {
	sum := sha256.Sum256([]byte(text))
	return c.UploadLibraryFile(ctx, client.NewLibraryFile{
		Name: name, Size: int64(len(text)), ContentType: "text/plain", SHA256: hex.EncodeToString(sum[:]), ParentID: parentID,
	}, client.Source{Content: strings.NewReader(text)})
}

// file uploads a text and waits until it is processed.
func file(t *testing.T, c *client.Client, name, parentID, text string) client.Node {
	t.Helper()
	n, err := upload(system.Within(t), c, name, parentID, text)
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n.Status != client.LibraryProcessed {
		t.Fatalf("%s is %s, want %s", name, n.Status, client.LibraryProcessed)
	}
	return n
}

// children returns the nodes of a folder by id.
func children(t *testing.T, c *client.Client, id string) map[string]client.Node {
	t.Helper()
	found := map[string]client.Node{}
	for n, err := range c.Children(system.Within(t), id, client.Reading{}) {
		if err != nil {
			t.Fatal(err)
		}
		found[n.ID] = n
	}
	return found
}

// uploadsDoNotConflict: many concurrent uploads to one folder succeed on the first attempt, and all are listed.
func uploadsDoNotConflict(t *testing.T, s system.System) {
	const files = 200
	owner := system.NewOwner()
	c := s.Client(t, owner)
	into := folder(t, c, "inbox", "")
	var all errgroup.Group
	all.SetLimit(50)
	for i := range files {
		all.Go(func() error {
			resp, body, err := send(t, s, http.MethodPost, "/v1/library/files", owner, fmt.Sprintf(`{"name":"%d.txt","size":5,"parentId":%q}`, i, into.ID))
			if err == nil && resp.StatusCode != http.StatusCreated {
				err = fmt.Errorf("upload %d: %d %s, want 201", i, resp.StatusCode, body)
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	if found := children(t, c, into.ID); len(found) != files {
		t.Errorf("the folder contains %d files, want %d", len(found), files)
	}
}

// request sends a request without retries, and returns the response and its body.
func request(t *testing.T, s system.System, method, path, owner, body string) (*http.Response, string) {
	t.Helper()
	resp, text, err := send(t, s, method, path, owner, body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, text
}

// send is like request, but returns an error.
func send(t *testing.T, s system.System, method, path, owner, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.HTTP+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	if owner != "" {
		req.Header.Set("X-Owner-Id", owner)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return system.RoundTrip(req)
}

// movesCreateNoCycle: if two folders are moved into each other concurrently, at most one move succeeds.
func movesCreateNoCycle(t *testing.T, s system.System) {
	rounds := *moveRounds
	c := s.Client(t, system.NewOwner())
	root, err := c.Root(system.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	a, b := folder(t, c, "a", ""), folder(t, c, "b", "")
	move := func(id, to string) error {
		_, err := c.ChangeNode(system.Within(t), id, client.NodeChange{ParentID: &to})
		return err
	}
	made := 0
	for range rounds {
		var both errgroup.Group
		var results [2]error
		both.Go(func() error { results[0] = move(a.ID, b.ID); return nil })
		both.Go(func() error { results[1] = move(b.ID, a.ID); return nil })
		_ = both.Wait()
		for _, err := range results {
			if err == nil {
				made++
			} else if p, ok := errors.AsType[*client.Problem](err); !ok || p.Type != "urn:assay:problem:cycle" {
				t.Fatal(err)
			}
		}
		if results[0] == nil && results[1] == nil {
			t.Fatal("both moves succeeded, want at most one")
		}
		for _, id := range []string{a.ID, b.ID} {
			path, err := c.NodePath(system.Within(t), id, client.Reading{})
			if err != nil || path[0].ID != root.ID {
				t.Fatalf("the path of %s is %+v, %v; want one from the root", id, path, err)
			}
			if err := move(id, root.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if made < rounds/2 {
		t.Errorf("%d moves succeeded in %d rounds, want at least %d", made, rounds, rounds/2)
	}
}

// versionsAreChecked: a change with an old ETag is rejected; a change without an ETag succeeds.
func versionsAreChecked(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	n := folder(t, c, "first", "")
	path := "/v1/library/nodes/" + n.ID
	for _, step := range []struct {
		match, name string
		status      int
	}{
		{`"v1"`, "second", http.StatusOK}, {`"v1"`, "third", http.StatusPreconditionFailed}, {`"v2"`, "third", http.StatusOK},
		{"*", "fourth", http.StatusOK}, {"", "fifth", http.StatusOK}, {"nonsense", "sixth", http.StatusPreconditionFailed},
	} {
		header := map[string]string{"X-Owner-Id": owner, "Content-Type": "application/json"}
		if step.match != "" {
			header["If-Match"] = step.match
		}
		resp, body := s.Ask(t, http.MethodPatch, path, header, system.JSON(map[string]string{"name": step.name}))
		if resp.StatusCode != step.status {
			t.Errorf("%s with If-Match %s: %d %s, want %d", step.name, step.match, resp.StatusCode, body, step.status)
		}
	}
	got, err := c.Node(system.Within(t), n.ID, client.Reading{})
	if err != nil || got.Name != "fifth" || got.Version != 5 {
		t.Errorf("got %+v, %v; want the name fifth and version 5", got, err)
	}
	resp, _ := s.Ask(t, http.MethodGet, path, map[string]string{"X-Owner-Id": owner}, "")
	if tag := resp.Header.Get("ETag"); tag != `"v5"` {
		t.Errorf(`the ETag is %s, want "v5"`, tag)
	}
	if resp, body := s.Ask(t, http.MethodDelete, path, map[string]string{"X-Owner-Id": owner, "If-Match": `"v4"`}, ""); resp.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("a delete with an old ETag: %d %s, want 412", resp.StatusCode, body)
	}
}

// namesAreChecked: every call with a name validates it.
func namesAreChecked(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	n := folder(t, c, "n", "")
	for name, good := range map[string]bool{
		"a.txt": true, "ä 漢字 🎉": true, strings.Repeat("ä", 255): true, ".hidden": true,
		"a/b": false, `a\b`: false, "a:b": false, "a*": false, "a?": false, `"a"`: false, "<a>": false, "a|b": false,
		"a\tb": false, "a\u202egnp.exe": false, "a.": false, "a ": false, "nul": false, "COM1.txt": false, "..": false, "\u200b": false, "\u3000\u2060": false, strings.Repeat("ä", 256): false,
	} {
		body := system.JSON(map[string]any{"name": name})
		for _, call := range []struct{ method, path, body string }{
			{http.MethodPost, "/v1/library/folders", body},
			{http.MethodPost, "/v1/library/files", system.JSON(map[string]any{"name": name, "size": 1})},
			{http.MethodPatch, "/v1/library/nodes/" + n.ID, body},
		} {
			resp, answer := request(t, s, call.method, call.path, owner, call.body)
			if refused := resp.StatusCode == http.StatusUnprocessableEntity; refused == good || good && resp.StatusCode >= 300 {
				t.Errorf("%s %s %q: %d %s, want accepted = %t", call.method, call.path, name, resp.StatusCode, answer, good)
			}
		}
	}
	a, b := folder(t, c, "same", n.ID), folder(t, c, "same", n.ID)
	if a.ID == b.ID || len(children(t, c, n.ID)) != 2 {
		t.Errorf("two folders with the same name have the ids %s and %s, want two nodes in their parent", a.ID, b.ID)
	}
	if n := folder(t, c, "e\u0301", ""); n.Name != "\u00e9" {
		t.Errorf("the name is %q, want Unicode normalization form C", n.Name)
	}
}
