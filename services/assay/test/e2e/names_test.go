package e2e

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// namesStayAsGiven: any file name is stored and shown
// unchanged, and breaks no key, header or event.
func namesStayAsGiven(t *testing.T, s system) {
	for _, name := range []string{
		"a/b/c.txt", "/", "..", "../../etc/passwd", ".", "C:\\Users\\me\\notes.txt", "back\\slash\\",
		"100%.txt", "%2F%00%zz", "a#b?c=d&e.txt", "😀👨‍👩‍👧‍👦.txt", "\u202etxt.exe\u202c", "שלום עולם.txt",
		`quote".txt`, `"`, "it's.txt", " leading and trailing ", "tab\there", "semi;colon=1, comma",
		"FILE#x", "META", "OWNER#y/FILE#z", "e\u0301 is not \u00e9", "<script>alert(1)</script>",
		strings.Repeat("n", 255), strings.Repeat("й", 127) + "z", strings.Repeat("x", 1024),
	} {
		for wayName, upload := range ways {
			t.Run(wayName+"/"+name[:min(len(name), 20)], func(t *testing.T) {
				t.Parallel()
				owner := newOwner()
				c := s.client(t, owner)
				ends := s.listen(t, "assay.analysis.completed.textfile.*")
				uploads := s.listen(t, "assay.file.uploaded.*")
				text := "one name " + name
				file := upload(t, c, name, "text/plain", []byte(text))
				shown(t, "upload", file.FileName, name)
				done := final(t, c, file.FileID)
				shown(t, "get", done.FileName, name)
				if done.Status != client.Completed {
					t.Errorf("it is %s: %s", done.Status, done.ErrorMessage)
				}
				shown(t, "list", onlyFile(t, c).FileName, name)
				shown(t, "AnalysisCompleted", eventField(t, nextOf(t, ends, file.FileID).Data, "name"), name)
				shown(t, "FileUploaded", eventField(t, nextOf(t, uploads, file.FileID).Data, "fileName"), name)
				downloaded(t, s, file.FileID, name, text)
			})
		}
	}
}

func shown(t *testing.T, where, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s shows %q instead of %q", where, got, want)
	}
}

// onlyFile returns the only file of an owner.
func onlyFile(t *testing.T, c *client.Client) client.File {
	t.Helper()
	page, err := c.ListPage(within(t), client.Listing{})
	if err != nil || len(page.Files) != 1 || page.NextCursor != "" {
		t.Fatalf("list: %v, %v", page, err)
	}
	return page.Files[0]
}

func eventField(t *testing.T, data []byte, field string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatalf("the event is not JSON: %v: %s", err, data)
	}
	text, _ := fields[field].(string)
	return text
}

// downloaded checks the content call: the redirect, the bytes, and the name
// under which a browser saves them.
func downloaded(t *testing.T, s system, fileID, name, want string) {
	t.Helper()
	resp, body := s.ask(t, http.MethodGet, "/v1/files/"+fileID+"/content", nil, "")
	if resp.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("content answers %d: %s", resp.StatusCode, body)
	}
	req, err := http.NewRequestWithContext(within(t), http.MethodGet, resp.Header.Get("Location"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, body = exchange(t, req)
	if resp.StatusCode != http.StatusOK || body != want {
		t.Errorf("the download is %d %q, want %q", resp.StatusCode, body, want)
	}
	disposition, parameters, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
	if err != nil || disposition != "attachment" || parameters["filename"] != name {
		t.Errorf("Content-Disposition %q names %q, %v; want %q", resp.Header.Get("Content-Disposition"), parameters["filename"], err, name)
	}
}
