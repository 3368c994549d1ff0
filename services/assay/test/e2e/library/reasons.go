package library

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// linksOpenAsPages: a browser that opens the API address of a share link is redirected to the page of the node, and other
// programs get the node.
func linksOpenAsPages(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n := folder(t, c, "shared", "")
	link, err := c.CreateLink(system.Within(t), n.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	at, page := "/v1/library/links/"+link.Token, "/library/"+n.ID+"?link="+link.Token
	resp, body := s.Ask(t, http.MethodGet, at, map[string]string{"Accept": browser}, "")
	if resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != page || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a browser: %d %v %s, want 303 to %s", resp.StatusCode, resp.Header, body, page)
	}
	for _, accept := range []string{"", "*/*", "application/json", "application/json, text/html"} {
		resp, body := s.Ask(t, http.MethodGet, at, map[string]string{"Accept": accept}, "")
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, n.ID) {
			t.Errorf("Accept %q: %d %s, want 200 and the node", accept, resp.StatusCode, body)
		}
	}
	resp, body = s.Ask(t, http.MethodGet, page, map[string]string{"Accept": browser}, "")
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Errorf("the page: %d %s, want 200 and HTML", resp.StatusCode, body)
	}
	if resp, body := s.Ask(t, http.MethodGet, at+"x", map[string]string{"Accept": browser}, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("another token: %d %s, want 404", resp.StatusCode, body)
	}
}

// namesCanBeUnique: with uniqueName, a change that would lead to two nodes of one name in a folder is rejected with 409;
// without it, both nodes are kept.
func namesCanBeUnique(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	docs := folder(t, c, "docs", "")
	a, b := folder(t, c, "a", ""), folder(t, c, "b", "")
	folder(t, c, "b", docs.ID)
	for body, want := range map[string]int{
		`{"name":"a","uniqueName":true}`: http.StatusConflict, `{"parentId":"` + docs.ID + `","uniqueName":true}`: http.StatusConflict,
		`{"name":"b","uniqueName":true}`: http.StatusOK,
	} {
		resp, answer := request(t, s, http.MethodPatch, "/v1/library/nodes/"+b.ID, owner, body)
		if resp.StatusCode != want || want == http.StatusConflict && !strings.Contains(answer, "urn:assay:problem:name-taken") {
			t.Errorf("%s: %d %s, want %d", body, resp.StatusCode, answer, want)
		}
	}
	name := "a"
	if n, err := c.ChangeNode(system.Within(t), b.ID, client.NodeChange{Name: &name}); err != nil || n.Name != a.Name {
		t.Errorf("without uniqueName: %+v, %v; want a second node named a", n, err)
	}
}

// reasonsAreShown: a node that is not completely processed has the reason, also in lists and through a link.
func reasonsAreShown(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	parent := folder(t, c, "parent", "")
	const partly, failed = "1 of 2 records failed; the first, record 2: the row has 3 cells, but the table has 2 columns", "the file is empty"
	want := map[string]string{}
	for name, test := range map[string]struct{ text, status, reason string }{
		"partly.csv": {"a,b\nx,y\nx,y,z\n", client.LibraryProcessedPartially, partly},
		"empty.pdf":  {"", client.LibraryFailed, failed},
		"a.txt":      {"a", client.LibraryProcessed, ""},
	} {
		n, err := upload(system.Within(t), c, name, parent.ID, test.text)
		if err == nil {
			n, err = c.WaitNode(system.Within(t), n.ID)
		}
		if err != nil || n.Status != test.status || n.ErrorMessage != test.reason {
			t.Fatalf("%s: %+v, %v; want %s because of %q", name, n, err, test.status, test.reason)
		}
		want[n.ID] = test.reason
	}
	link, err := c.CreateLink(system.Within(t), parent.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	visitor := s.Client(t, system.NewOwner())
	for _, read := range []struct {
		who *client.Client
		how client.Reading
	}{{c, client.Reading{}}, {visitor, client.Reading{Link: link.Token}}} {
		found := 0
		for n, err := range read.who.Children(system.Within(t), parent.ID, read.how) {
			if err != nil || n.ErrorMessage != want[n.ID] {
				t.Errorf("the list contains %+v, %v; want the reason %q", n, err, want[n.ID])
			}
			found++
		}
		if found != len(want) {
			t.Errorf("the list has %d files, want %d", found, len(want))
		}
	}
	for id, reason := range want {
		if reason != partly {
			continue
		}
		w, err := c.Workflow(system.Within(t), id)
		if err != nil || w.FailureMessage != reason {
			t.Errorf("the workflow: %+v, %v; want the reason %q", w, err, reason)
		}
		if _, err := c.RetryLibraryFile(system.Within(t), id); err != nil {
			t.Fatal(err)
		}
		if n, err := c.WaitNode(system.Within(t), id); err != nil || n.ErrorMessage != reason {
			t.Errorf("after a retry: %+v, %v; want the reason %q", n, err, reason)
		}
	}
}

// emptyTextsAreProcessed: an empty file in a format of texts is Processed, with an empty text.
func emptyTextsAreProcessed(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	for name, subType := range map[string]string{
		"a.txt": "Text", "a.md": "Text", "a.json": "Text", "a.xml": "Text", "a.log": "Text", "a.csv": "Table", "a.tsv": "Table", "a.html": "WebPage",
		"without extension": "Text", "a.py": "Text",
	} {
		n := file(t, c, name, "", "")
		if n.SubType != subType || n.Length == nil || *n.Length != 0 || n.ErrorMessage != "" {
			t.Errorf("%s: %+v, want an empty file of type %s", name, n, subType)
		}
		if text := read(t)(c.NodeText(system.Within(t), n.ID, client.Reading{})); text != "" {
			t.Errorf("%s: the text is %q, want none", name, text)
		}
	}
	for _, name := range []string{"a.pdf", "a.docx", "a.png", "a.sdf"} {
		n, err := upload(system.Within(t), c, name, "", "")
		if err == nil {
			n, err = c.WaitNode(system.Within(t), n.ID)
		}
		if err != nil || n.Status != client.LibraryFailed || n.ErrorMessage != "the file is empty" {
			t.Errorf("%s: %+v, %v; want Failed because it is empty", name, n, err)
		}
	}
}
