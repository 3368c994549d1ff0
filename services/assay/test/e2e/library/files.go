package library

import (
	"archive/zip"
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// keysPreventDuplicates: a repeated call with an idempotency key returns the first node; a call with the same key and
// other parameters is rejected.
func keysPreventDuplicates(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	parent := folder(t, c, "parent", "")
	for range 3 {
		if _, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "a", ParentID: parent.ID, Key: "folder"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "b", Size: 5, ParentID: parent.ID, Key: "file"}); err != nil {
			t.Fatal(err)
		}
	}
	if found := children(t, c, parent.ID); len(found) != 2 {
		t.Errorf("the folder contains %+v, want 2 nodes", found)
	}
	_, err := c.CreateFolder(system.Within(t), client.NewFolder{Name: "other", ParentID: parent.ID, Key: "folder"})
	_, err2 := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "b", Size: 6, ParentID: parent.ID, Key: "file"})
	_, err3 := c.CreateFolder(system.Within(t), client.NewFolder{Name: "b", ParentID: parent.ID, Key: "file"})
	for _, err := range []error{err, err2, err3} {
		if !system.IsProblem(err, http.StatusUnprocessableEntity) {
			t.Errorf("a call with a used key and other parameters returned %v, want 422", err)
		}
	}
}

// formsUpload: a file in a form is processed like a presigned upload, and stored in the folder that the form names.
func formsUpload(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	parent := folder(t, c, "parent", "")
	const boundary = "e2e-boundary"
	form := func(parentID, name, text string) string {
		return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"parentId\"\r\n\r\n" + parentID +
			"\r\n--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\nContent-Type: text/plain\r\n\r\n" + text +
			"\r\n--" + boundary + "--\r\n"
	}
	header := map[string]string{"X-Owner-Id": owner, "Content-Type": "multipart/form-data; boundary=" + boundary}
	resp, body := s.Ask(t, http.MethodPost, "/v1/library/files", header, form(parent.ID, "a.txt", "some text"))
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("the form returned %d, want 202: %s", resp.StatusCode, body)
	}
	var n client.Node
	system.Decode(t, body, &n)
	n, err := c.WaitNode(system.Within(t), n.ID)
	if err != nil || n.Status != client.LibraryProcessed || n.ParentID != parent.ID || n.Name != "a.txt" || n.Length == nil || *n.Length != 9 {
		t.Errorf("got %+v, %v; want the processed file a.txt of 9 bytes in the folder", n, err)
	}
	if text := content(t, c, n.ID); text != "some text" {
		t.Errorf(`the content is %q, want "some text"`, text)
	}
	for parentID, want := range map[string]int{"nonsense": http.StatusUnprocessableEntity, "01a205ce-cb6c-7d91-8be8-2d36ba6eb30e": http.StatusNotFound} {
		if resp, body := s.Ask(t, http.MethodPost, "/v1/library/files", header, form(parentID, "b.txt", "b")); resp.StatusCode != want {
			t.Errorf("a form for folder %s returned %d, want %d: %s", parentID, resp.StatusCode, want, body)
		}
	}
	header["Idempotency-Key"] = "form"
	for text, want := range map[string]int{"one": http.StatusAccepted} {
		for range 2 {
			if resp, body := s.Ask(t, http.MethodPost, "/v1/library/files", header, form(parent.ID, "c.txt", text)); resp.StatusCode != want {
				t.Errorf("a form with a key returned %d, want %d: %s", resp.StatusCode, want, body)
			}
		}
	}
	if resp, body := s.Ask(t, http.MethodPost, "/v1/library/files", header, form(parent.ID, "c.txt", "two")); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("other content with the same key: %d %s, want 422", resp.StatusCode, body)
	}
	if found := children(t, c, parent.ID); len(found) != 2 {
		t.Errorf("the folder contains %+v, want 2 files", found)
	}
}

// rejectedFormsLeaveNothing: a form with two files is rejected, even after its first file was stored in parts, and
// leaves no node, no object and no open upload behind.
func rejectedFormsLeaveNothing(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	parent := folder(t, c, "parent", "")
	const boundary = "e2e-boundary"
	part := func(name, value string) string {
		return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"a.txt\"\r\n\r\n" + value + "\r\n"
	}
	post := func(want int, files ...string) string {
		t.Helper()
		form := part("parentId", parent.ID)
		for _, text := range files {
			form += part("file", text)
		}
		header := map[string]string{"X-Owner-Id": owner, "Content-Type": "multipart/form-data; boundary=" + boundary}
		resp, body := s.Ask(t, http.MethodPost, "/v1/library/files", header, form+"--"+boundary+"--\r\n")
		if resp.StatusCode != want {
			t.Errorf("a form with %d files, the first of %d bytes, returned %d, want %d: %s", len(files), len(files[0]), resp.StatusCode, want, body)
		}
		return body
	}
	for _, size := range []int{10, 11 << 20} { // the second is stored in parts
		post(http.StatusUnprocessableEntity, strings.Repeat("a", size), "b")
	}
	if found := children(t, c, parent.ID); len(found) != 0 {
		t.Errorf("the folder contains %+v, want nothing", found)
	}

	// The last element of an upload's key depends only on owner, folder, name, type and size, which is unknown in a form.
	var n client.Node
	system.Decode(t, post(http.StatusAccepted, "a"), &n)
	keys := s.Keys(t)
	stored := slices.IndexFunc(keys, func(key string) bool {
		id, run, err := library.ParseKey(key)
		return err == nil && id == n.ID && run == 0
	})
	if stored < 0 {
		t.Fatalf("no object of the accepted form in %q", keys)
	}
	same := func(key string) bool { return path.Base(key) == path.Base(keys[stored]) && key != keys[stored] }
	if left := slices.IndexFunc(keys, same); left >= 0 {
		t.Errorf("the bucket contains %s, want no object of a rejected form", keys[left])
	}
	open, err := s.Objects().ListMultipartUploads(system.Within(t), &s3.ListMultipartUploadsInput{Bucket: &s.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range open.Uploads {
		if same(*u.Key) {
			t.Errorf("an upload to %s is open, want none of a rejected form", *u.Key)
		}
	}
}

func content(t *testing.T, c *client.Client, id string) string {
	t.Helper()
	return read(t)(c.NodeContent(system.Within(t), id, client.Reading{}))
}

// picturesAreDisplayed: with inline=true, a browser displays a picture with its detected type, but downloads an HTML
// page.
func picturesAreDisplayed(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	shown, saved := file(t, c, "picture.png", "", picture.String()), file(t, c, "page.html", "", "<html><body><script>alert(1)</script></body></html>")
	for _, test := range []struct{ id, query, disposition, contentType string }{
		{shown.ID, "?inline=true", "inline; filename=picture.png", "image/png"}, // declared as text/plain
		{shown.ID, "", "attachment; filename=picture.png", "text/plain"},
		{saved.ID, "?inline=true", "attachment; filename=page.html", "text/plain"},
	} {
		resp, body := s.Ask(t, http.MethodGet, "/v1/library/files/"+test.id+"/content"+test.query, map[string]string{"X-Owner-Id": owner}, "")
		if resp.StatusCode != http.StatusTemporaryRedirect {
			t.Fatalf("the content returned %d, want 307: %s", resp.StatusCode, body)
		}
		req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, resp.Header.Get("Location"), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, _ = system.Exchange(t, req)
		if got := resp.Header.Get("Content-Disposition"); resp.StatusCode != http.StatusOK || got != test.disposition || resp.Header.Get("Content-Type") != test.contentType {
			t.Errorf("content%s: %s %q %s, want 200 %q %s", test.query, resp.Status, got, resp.Header.Get("Content-Type"), test.disposition, test.contentType)
		}
	}
}

// failuresAreExplained: a file that cannot be processed becomes Failed and shows its readers the reason.
func failuresAreExplained(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	n, err := upload(system.Within(t), c, "empty.pdf", "", "")
	if err == nil {
		n, err = c.WaitNode(system.Within(t), n.ID)
	}
	if err != nil || n.Status != client.LibraryFailed || n.ErrorMessage != "the file is empty" {
		t.Fatalf("got %+v, %v; want Failed with a reason", n, err)
	}
	if _, err := c.RetryLibraryFile(system.Within(t), n.ID); err != nil {
		t.Fatal(err)
	}
	if n, err := c.WaitNode(system.Within(t), n.ID); err != nil || n.Status != client.LibraryFailed {
		t.Errorf("after a retry: %+v, %v; want Failed", n, err)
	}
	done := file(t, c, "a.txt", "", "a")
	if _, err := c.RetryLibraryFile(system.Within(t), done.ID); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("the retry of a Processed file returned %v, want 409", err)
	}
	w, err := c.Workflow(system.Within(t), done.ID)
	if err != nil || w.State != client.LibraryProcessed || len(w.Steps) != 2 || w.Steps[0].State != "done" || w.Steps[0].Engine == "" || w.Steps[0].Attempts != 1 {
		t.Errorf("got %+v, %v; want 2 steps, the first done in 1 attempt", w, err)
	}
	if resp, body := request(t, s, http.MethodPost, "/v1/library/files/"+done.ID+"/reprocess", done.OwnedBy, ""); resp.StatusCode != http.StatusAccepted {
		t.Fatalf("reprocessing returned %d %s, want 202", resp.StatusCode, body)
	}
	if n, err := c.WaitNode(system.Within(t), done.ID); err != nil || n.Status != client.LibraryProcessed {
		t.Errorf("after reprocessing: %+v, %v; want Processed", n, err)
	}
	if w, err := c.Workflow(system.Within(t), done.ID); err != nil || w.Run != 2 {
		t.Errorf("after reprocessing: %+v, %v; want run 2", w, err)
	}
}

// foldersAreZipped: the archive contains all files with their paths, and duplicate names are made unique.
func foldersAreZipped(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	top := folder(t, c, "top", "")
	below, empty := folder(t, c, "below", top.ID), folder(t, c, "empty", top.ID)
	file(t, c, "a.txt", top.ID, "one")
	file(t, c, "A.txt", top.ID, "two")
	file(t, c, "ä.txt", below.ID, "three")
	gone := file(t, c, "gone.txt", below.ID, "gone")
	if err := c.TrashNode(system.Within(t), gone.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReserveLibraryFile(system.Within(t), client.NewLibraryFile{Name: "loading.txt", Size: 5, ParentID: empty.ID}); err != nil {
		t.Fatal(err)
	}
	body, err := c.NodeZip(system.Within(t), top.ID, client.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(body)
	if err := errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range z.File {
		r, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		found[entry.Name] = string(text)
	}
	want := map[string]string{"A.txt": "two", "a (2).txt": "one", "below/": "", "below/ä.txt": "three", "empty/": ""}
	if !maps.Equal(found, want) { // the newest file keeps its name
		t.Errorf("the archive contains %q, want %q", found, want)
	}
}

// operatorsList: operators list the files of an owner, of a folder and of a blob, and the workflows of a type.
func operatorsList(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	parent := folder(t, c, "parent", "")
	one, two := file(t, c, "one.txt", parent.ID, "one"), file(t, c, "two.txt", "", "two")
	operator := system.System{HTTP: s.LiveOperator} // the operator address of query
	type listed struct{ ID, BlobID, OwnedBy string }
	list := func(query url.Values) []listed {
		t.Helper()
		resp, body := request(t, operator, http.MethodGet, "/v1/library/files?"+query.Encode(), "", "")
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("listing %v returned %d %s, want 200", query, resp.StatusCode, body)
		}
		var page struct{ Files []listed }
		system.Decode(t, body, &page)
		return page.Files
	}
	if all := list(url.Values{"ownedBy": {owner}}); len(all) != 2 || all[0].ID != two.ID || all[1].ID != one.ID || all[0].OwnedBy != owner {
		t.Errorf("by owner: %+v, want %s and %s", all, two.ID, one.ID)
	}
	in := list(url.Values{"parentId": {parent.ID}})
	if len(in) != 1 || in[0].ID != one.ID {
		t.Fatalf("by parent: %+v, want %s", in, one.ID)
	}
	if of := list(url.Values{"blobId": {in[0].BlobID}}); !slices.Equal(of, in) {
		t.Errorf("by blob: %+v, want %+v", of, in)
	}
	if resp, body := request(t, operator, http.MethodGet, "/v1/library/files", "", ""); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("listing without a filter: %d %s, want 422", resp.StatusCode, body)
	}
	resp, body := request(t, operator, http.MethodGet, "/v1/library/workflows?type=File&limit=1000", "", "")
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, one.ID) || !strings.Contains(body, two.ID) {
		t.Errorf("workflows: %d %s, want 200 and those of %s and %s", resp.StatusCode, body, one.ID, two.ID)
	}
	if resp, body := request(t, s, http.MethodGet, "/v1/library/files?ownedBy="+owner, owner, ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("the operators' list at the public address: %d %s, want 405", resp.StatusCode, body)
	}
}

// commandLine: commands upload a folder only once, list it, move it, trash and restore it, download and share its files,
// and erase it.
func commandLine(t *testing.T, s system.System) {
	dir, owner := t.TempDir(), system.NewOwner()
	for name, text := range map[string]string{"src/a.txt": "a", "src/deep/b.txt": "b", "src/deep/c.txt": "c"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		p := system.Launch(t, "assay", []string{"ASSAY_SERVER=" + s.HTTP, "ASSAY_OWNER=" + owner}, append([]string{"library"}, args...)...)
		if status := p.End(t); status != 0 {
			t.Fatalf("assay library %v: exit status %d, want 0: %s", args, status, p.Output)
		}
		return p.Output.String()
	}
	src := filepath.Join(dir, "src")
	run("mkdir", "-p", "/new/folder")
	run("put", filepath.Join(src, "a.txt"), "--to", "/new/folder/inside", "--wait")
	if out := run("tree", "/new"); out != "new/\n└── folder/\n    └── inside/\n        └── a.txt\n2 folders, 1 file\n" {
		t.Errorf("tree: %s, want a.txt in the created folders", out)
	}
	run("rm", "--permanent", "/new")
	for range 2 {
		if out := run("put", src, "--wait"); strings.Count(out, client.LibraryProcessed) != 3 {
			t.Errorf("put: %s, want 3 processed files", out)
		}
	}
	want := "/\n└── src/\n    ├── a.txt\n    └── deep/\n        ├── b.txt\n        └── c.txt\n2 folders, 3 files\n"
	if out := run("tree"); out != want {
		t.Errorf("tree: %s, want %s", out, want)
	}
	run("mv", "/src/deep", "/")
	run("mv", "/deep", "/moved")
	run("rm", "/src")
	if out := run("ls", "--trash"); !strings.Contains(out, "src/") {
		t.Errorf("ls --trash: %s, want src/", out)
	}
	run("restore", "src")
	if out := run("ls"); !strings.Contains(out, "moved/") || !strings.Contains(out, "src/") {
		t.Errorf("ls: %s, want moved/ and src/", out)
	}
	target := filepath.Join(dir, "a.txt")
	run("get", "/src/a.txt", "-o", target)
	if text, err := os.ReadFile(target); err != nil || string(text) != "a" {
		t.Errorf(`get wrote %q, %v; want "a"`, text, err)
	}
	shared, _, _ := strings.Cut(run("share", "/moved"), "\n")
	at, err := url.Parse(shared)
	if err != nil {
		t.Fatal(err)
	}
	if resp, body := request(t, s, http.MethodGet, at.Path, "", ""); resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Errorf("GET of the link returned %d %s, want 200 and a page", resp.StatusCode, body)
	}
	if out := run("wait", "/moved/b.txt"); !strings.Contains(out, client.LibraryProcessed) {
		t.Errorf("wait: %s, want %s", out, client.LibraryProcessed)
	}
	run("rm", "--permanent", "/moved", "/src")
	if out := run("tree"); out != "/\n0 folders, 0 files\n" {
		t.Errorf("tree: %s, want an empty library", out)
	}
}
