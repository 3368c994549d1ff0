package convert_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/convert"
)

// program installs a script as the LibreOffice executable and returns a converter that runs it.
func program(t *testing.T, script string) *convert.Converter {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "soffice"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return open(t, "soffice")
}

func open(t *testing.T, setting string) *convert.Converter {
	t.Helper()
	c, err := convert.New(setting)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// out is the start of a script; it sets the variables out and in to the output folder and the input
// file.
const out = `while [ "$1" != --outdir ]; do shift; done; out=$2; in=$3
`

func TestProgram(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for name, c := range map[string]struct {
		script string
		want   error
	}{
		"converts":     {out + `echo "%PDF-1.4 $(cat $in) $(env | grep -c AWS_)" > $out/document.pdf`, nil},
		"no output":    {"exit 0", convert.ErrRefused},
		"fails":        {"exit 77", convert.ErrRefused},
		"wrong output": {out + `echo text > $out/document.pdf`, convert.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			pdf, err := program(t, c.script).PDF(t.Context(), "doc", []byte("a document"))
			if !errors.Is(err, c.want) {
				t.Fatalf("got error %v, want %v", err, c.want)
			}
			if want := "%PDF-1.4 a document 0\n"; err == nil && string(pdf) != want { // without the credentials of this process
				t.Errorf("got %q, want %q", pdf, want)
			}
		})
	}
}

// TestHangingProgram checks that canceling the context kills the program and its children.
func TestHangingProgram(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	c := program(t, "mkfifo "+started+".fifo; (read x < "+started+".fifo; touch "+started+".late) & echo $! > "+started+"; wait")
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	go func() {
		for {
			if pid, err := os.ReadFile(started); err == nil && strings.HasSuffix(string(pid), "\n") {
				break
			}
		}
		cancel(stop)
	}()
	if _, err := c.PDF(ctx, "doc", nil); !errors.Is(err, stop) {
		t.Errorf("got error %v, want %v", err, stop)
	}
	fifo, err := os.OpenFile(started+".fifo", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := fifo.Close(); err != nil {
			t.Error(err)
		}
	}()
	pid, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	tick, late := time.NewTicker(time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for { // the kernel ends a killed process some time after the signal
		state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("got a running child %s after 10s, want it killed", state)
		}
	}
}

func TestServer(t *testing.T) {
	status, body := atomic.Int64{}, atomic.Value{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("files")
		if err != nil || r.URL.Path != "/office/forms/libreoffice/convert" || r.Method != http.MethodPost || header.Filename != "document.ppt" {
			t.Errorf("got request %s %s, %+v, %v, want a POST of document.ppt to the conversion route", r.Method, r.URL, header, err)
			return
		}
		data, err := io.ReadAll(file)
		if err != nil || string(data) != "a document" {
			t.Errorf("got content %q, %v, want a document", data, err)
		}
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, body.Load().(string))
	}))
	defer server.Close()
	c := open(t, server.URL+"/office/")
	for _, test := range []struct {
		status int
		body   string
		want   error
	}{
		{http.StatusOK, "%PDF-1.7", nil},
		{http.StatusOK, "<html>", convert.ErrRefused},
		{http.StatusBadRequest, "", convert.ErrRefused},
		{http.StatusTooManyRequests, "", convert.ErrTemporary},
		{http.StatusServiceUnavailable, "", convert.ErrTemporary},
	} {
		status.Store(int64(test.status))
		body.Store(test.body)
		pdf, err := c.PDF(t.Context(), "ppt", []byte("a document"))
		if !errors.Is(err, test.want) || err == nil && string(pdf) != test.body {
			t.Errorf("status %d: got %q, %v, want %v", test.status, pdf, err, test.want)
		}
	}
	server.Close()
	if _, err := c.PDF(t.Context(), "ppt", nil); !errors.Is(err, convert.ErrTemporary) {
		t.Errorf("without a server: got %v, want ErrTemporary", err)
	}
}

func TestSettings(t *testing.T) {
	if open(t, "").On() {
		t.Error("New(\"\").On() = true, want false")
	}
	t.Setenv("PATH", t.TempDir())
	for _, setting := range []string{"soffice", "libreoffice", "ftp://example.com", "http://", "example.com"} {
		if c, err := convert.New(setting); err == nil || !strings.Contains(err.Error(), convert.Setting) {
			t.Errorf("setting %q: got %v, %v, want an error that names the setting", setting, c, err)
		}
	}
}

var real = flag.Bool("soffice", false, "test with LibreOffice, which must be on PATH")

// TestLibreOffice checks that LibreOffice converts a document and does not request the external resources that the
// document references. It runs only with -soffice.
func TestLibreOffice(t *testing.T) {
	if !*real {
		return
	}
	requested := atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requested.Add(1) }))
	defer server.Close()
	c := open(t, "soffice")
	page := `<html><body><p>The quick brown fox</p><img src="` + server.URL + `/a.png"></body></html>`
	pdf, err := c.PDF(t.Context(), "html", []byte(page))
	if err != nil {
		t.Fatal(err)
	}
	linked := `{\rtf1\ansi fox {\field{\*\fldinst { INCLUDEPICTURE "` + server.URL + `/b.png" \\d }}{\fldrslt x}}}`
	if _, err := c.PDF(t.Context(), "rtf", []byte(linked)); err != nil {
		t.Fatal(err)
	}
	if n := requested.Load(); n > 0 {
		t.Errorf("got %d requests, want none", n)
	}
	t.Logf("%d bytes", len(pdf))
	if _, err := c.PDF(t.Context(), "doc", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 no document")); err != nil {
		t.Logf("a damaged document: %v", err)
	}
}
