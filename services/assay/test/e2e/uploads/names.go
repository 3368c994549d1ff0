package uploads

import (
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// namesStayAsGiven: any file name that can be displayed is stored and shown unchanged, and does not corrupt keys, headers or events.
func namesStayAsGiven(t *testing.T, s system.System) {
	for _, name := range []string{
		"a/b/c.txt", "/", "..", "../../etc/passwd", ".", "C:\\Users\\me\\notes.txt", "back\\slash\\",
		"100%.txt", "%2F%00%zz", "a#b?c=d&e.txt", "😀👨‍👩‍👧‍👦.txt", "\u200fשלום עולם.txt",
		`quote".txt`, `"`, "it's.txt", " leading and trailing ", "semi;colon=1, comma",
		"FILE#x", "META", "OWNER#y/FILE#z", "e\u0301 is not \u00e9", "<script>alert(1)</script>",
		strings.Repeat("n", 255), strings.Repeat("й", 127) + "z", strings.Repeat("x", 1024),
	} {
		for wayName, upload := range system.Ways {
			t.Run(wayName+"/"+name[:min(len(name), 20)], func(t *testing.T) {
				t.Parallel()
				owner := system.NewOwner()
				c := s.Client(t, owner)
				ends := s.Listen(t, "assay.analysis.completed.textfile.*")
				uploads := s.Listen(t, "assay.file.uploaded.*")
				text := "one name " + name
				file := upload(t, c, name, "text/plain", []byte(text))
				shown(t, "upload", file.FileName, name)
				done := system.Await(t, c, file.FileID)
				shown(t, "get", done.FileName, name)
				if done.Status != client.Completed {
					t.Errorf("the file is %s, want %s: %s", done.Status, client.Completed, done.ErrorMessage)
				}
				shown(t, "list", system.OnlyFile(t, c).FileName, name)
				shown(t, "AnalysisCompleted", system.EventField(t, system.NextOf(t, ends, file.FileID).Data, "name"), name)
				shown(t, "FileUploaded", system.EventField(t, system.NextOf(t, uploads, file.FileID).Data, "fileName"), name)
				downloaded(t, s, file.FileID, name, text)
			})
		}
	}
}

// unprintableNamesAreRejected: a name with a control character, or a character that changes the direction of text, gets 422
// that names the field, in every area and every kind of upload.
func unprintableNamesAreRejected(t *testing.T, s system.System) {
	for _, name := range []string{"tab\there", "two\nlines", "nul\x00.txt", "\u0085", "a\u2028b", "\u202etxt.exe\u202c", "invoice\u202egpj.exe", "a\u2066b\u2069"} {
		quoted := system.JSON(name)
		for _, call := range []struct{ path, body, field string }{
			{"/v1/files", `{"fileName":` + quoted + `,"size":1}`, "body.fileName"},
			{"/v1/files", `{"fileName":` + quoted + `,"size":1,"parts":true}`, "body.fileName"},
			{"/v1/photos", `{"fileName":` + quoted + `,"size":1,"contentType":"image/png"}`, "body.fileName"},
			{"/v1/photo-batches", `{"photos":[{"fileName":` + quoted + `,"size":1,"contentType":"image/png"}]}`, "body.photos[0].fileName"},
			{"/v1/library/files", `{"name":` + quoted + `,"size":1}`, "name"},
			{"/v1/library/folders", `{"name":` + quoted + `}`, "name"},
		} {
			resp, answer := s.Ask(t, http.MethodPost, call.path, map[string]string{"Content-Type": "application/json", "X-Owner-Id": system.NewOwner()}, call.body)
			if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(answer, call.field) || !strings.Contains(answer, "changes the direction of text") {
				t.Errorf("POST %s with the name %+q: %s %s, want 422 for %s", call.path, name, resp.Status, answer, call.field)
			}
		}
		if strings.ContainsAny(name, "\n\x00") {
			continue // a header cannot contain it
		}
		for _, path := range []string{"/v1/files", "/v1/photos", "/v1/library/files"} {
			body, contentType := system.Form(`form-data; name="file"; filename="`+name+`"`, "text/plain", "one name")
			resp, answer := s.Ask(t, http.MethodPost, path, map[string]string{"Content-Type": contentType, "X-Owner-Id": system.NewOwner()}, body)
			if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(answer, "changes the direction of text") {
				t.Errorf("form to %s with the name %+q: %s %s, want 422", path, name, resp.Status, answer)
			}
		}
	}
}

// quotesStayInNamesOfForms: a %22 in the file name of a form is decoded as a quote, because browsers encode quotes.
func quotesStayInNamesOfForms(t *testing.T, s system.System) {
	body, contentType := system.Form(`form-data; name="file"; filename="the %22best%22.txt"`, "text/plain", "one name")
	resp, answer := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{"Content-Type": contentType}, body)
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("the form returned %s, want 202: %s", resp.Status, answer)
	}
	shown(t, "response", system.EventField(t, []byte(answer), "fileName"), `the "best".txt`)
}

func shown(t *testing.T, where, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("the name in %s is %q, want %q", where, got, want)
	}
}

// downloaded checks the content call: the redirect, the bytes, and the name under which a browser saves the file.
func downloaded(t *testing.T, s system.System, fileID, name, want string) {
	t.Helper()
	resp, body := s.Ask(t, http.MethodGet, "/v1/files/"+fileID+"/content", nil, "")
	if resp.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("content returned status %d, want 307: %s", resp.StatusCode, body)
	}
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, resp.Header.Get("Location"), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, body = system.Exchange(t, req)
	if resp.StatusCode != http.StatusOK || body != want {
		t.Errorf("the download returned %d %q, want 200 %q", resp.StatusCode, body, want)
	}
	disposition, parameters, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
	if err != nil || disposition != "attachment" || parameters["filename"] != name {
		t.Errorf("Content-Disposition %q names %q, %v; want %q", resp.Header.Get("Content-Disposition"), parameters["filename"], err, name)
	}
}
