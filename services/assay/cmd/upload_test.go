package cmd

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// aPDF is the beginning of a file that is not text.
const aPDF = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"

// write creates files from pairs of name and content and returns their paths.
func write(t *testing.T, namesAndContents ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(namesAndContents); i += 2 {
		path := filepath.Join(dir, namesAndContents[i])
		if err := os.WriteFile(path, []byte(namesAndContents[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestUpload(t *testing.T) {
	p := newPerson(t)
	path := write(t, "a.txt", "one two one")[0]
	p.run("upload", path).want(t, 0, "ID  PENDING      a.txt\n", "")
	p.run("upload", path, "--wait").want(t, 0, "ID  COMPLETED    a.txt  (3 words, 2 distinct)\n", "")
	p.run("upload", path, "--wait", "--name", "ü/../\u200e.txt").want(t, 0, "ID  COMPLETED    \"ü/../\\u200e.txt\"  (3 words, 2 distinct)\n", "")
	p.run("upload", path, "--name", "a\x1b.txt").want(t, 1, "", path+": Invalid request: fileName contains a control character, a line separator, or a character that changes the direction of text\n")
	legacy := write(t, "legacy.txt", "\xc1\xe0")[0]
	p.run("upload", legacy, "--wait", "--content-type", "text/plain; charset=windows-1251", "--json").
		want(t, 0, `{"path":"`+legacy+`","fileId":"ID","ownerId":"`+p.owner+`","fileName":"legacy.txt","size":2,"status":"COMPLETED",`+
			`"createdAt":"TIME","updatedAt":"TIME",`+
			`"result":{"totalWords":1,"uniqueWords":1,"avgWordLength":2,"top10Words":[{"word":"ба","count":1}],"charset":"windows-1251","charsetSource":"declared"}}`+"\n", "")
}

func TestUploadOfStandardInput(t *testing.T) {
	p := newPerson(t)
	p.pipe("one two three", "upload", "-", "--wait").want(t, 0, "ID  COMPLETED    stdin  (3 words, 3 distinct)\n", "")
}

// TestUploadAsStream checks that --stream sends the content through the API instead of to the S3 server.
func TestUploadAsStream(t *testing.T) {
	p := newPerson(t)
	to, err := url.Parse(os.Getenv("ASSAY_SERVER"))
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Pointer[string] // media type of the request that creates the file
	server := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		if r.In.Method == http.MethodPost && r.In.URL.Path == "/v1/files" {
			sent.Store(new(r.In.Header.Get("Content-Type")))
		}
		r.SetURL(to)
	}})
	defer server.Close()
	path := write(t, "a.txt", "one two one")[0]
	for flag, want := range map[string]string{"--stream": "multipart/form-data", "--stream=false": "application/json"} {
		p.run("upload", path, "--wait", flag, "--server", server.URL).want(t, 0, "ID  COMPLETED    a.txt  (3 words, 2 distinct)\n", "")
		if got := sent.Load(); got == nil || !strings.HasPrefix(*got, want) {
			t.Errorf("%s: got a POST with the media type %v, want %s", flag, got, want)
		}
	}
}

func TestUploadReportsFailures(t *testing.T) {
	p := newPerson(t)
	names := []string{}
	want := []string{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		names = append(names, name, "text of "+name)
		want = append(want, "COMPLETED    "+name+"  (3 words, 3 distinct)")
	}
	paths := write(t, append(names, "x.pdf", aPDF)...)
	paths = append(paths, t.TempDir(), filepath.Join(t.TempDir(), "gone"))
	got := p.run(append([]string{"upload", "--wait", "--parallel", "3"}, paths...)...)
	if got.status != 1 {
		t.Errorf("got exit status %d, want 1", got.status)
	}
	var completed, failed []string
	for line := range strings.Lines(got.out) {
		line = strings.TrimPrefix(unique(strings.TrimSpace(line)), "ID  ")
		if strings.HasPrefix(line, "FAILED") {
			failed = append(failed, line)
		} else {
			completed = append(completed, line)
		}
	}
	slices.Sort(completed)
	if !slices.Equal(completed, want) {
		t.Errorf("completed %q, want %q", completed, want)
	}
	if len(failed) != 1 || !strings.Contains(failed[0], "x.pdf  (") || !strings.Contains(failed[0], "PDF") {
		t.Errorf("failed %q, want the PDF", failed)
	}
	for _, line := range []string{paths[7] + ": is a folder; upload it with: assay library put " + paths[7] + "\n", paths[8] + ": no such file or directory\n", "assay: 3 of 9 failed\n"} {
		if !strings.Contains(got.errors, line) {
			t.Errorf("got the errors %q, want %q among them", got.errors, line)
		}
	}
}

func TestUploadReportsFailuresAsJSON(t *testing.T) {
	p := newPerson(t)
	gone := filepath.Join(t.TempDir(), "gone")
	p.run("upload", "--json", gone).want(t, 1, `{"path":"`+gone+`","error":"no such file or directory"}`+"\n", "")
}

func TestUploadInterrupted(t *testing.T) {
	newPerson(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	paths := write(t, "a.txt", "one", "b.txt", "two")
	run(ctx, "", "upload", paths[0], paths[1]).want(t, exitInterrupted, "", "assay: interrupted\n")
}

func TestUploadUsage(t *testing.T) {
	for _, args := range [][]string{
		{"upload"},
		{"upload", "-", "-"},
		{"upload", "a", "b", "--name", "c"},
		{"upload", "a", "--parallel", "0"},
		{"upload", "a", "--no-such-flag"},
	} {
		run(t.Context(), "", args...).want(t, 2, "", "See: assay upload --help")
	}
}
