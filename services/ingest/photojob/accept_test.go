package photojob

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
)

// statusOf returns the HTTP status that a client receives for an error.
func statusOf(t *testing.T, err error) int {
	t.Helper()
	p, ok := errors.AsType[*web.Problem](problem(err))
	if !ok {
		t.Fatalf("got error %v, want a problem", err)
	}
	return p.Status
}

func TestTermsAreCheckedAndCompleted(t *testing.T) {
	hex, base64 := strings.Repeat("ab", 32), "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
	valid := photojob.Terms{FileName: "a.jpg", ContentType: "Image/JPEG; x=y", Size: photojob.MaxSize, SHA256: hex}
	got, err := checked(valid, "body.")
	if err != nil || got.ContentType != "image/jpeg" || got.SHA256 != base64 || got.Options.Provider != photojob.Stub {
		t.Errorf("got %+v, error %v, want image/jpeg, the digest in base64 and the local provider", got, err)
	}
	for name, test := range map[string]struct {
		change func(*photojob.Terms)
		status int
	}{
		"no file name":         {func(t *photojob.Terms) { t.FileName = "" }, http.StatusUnprocessableEntity},
		"file name of bytes":   {func(t *photojob.Terms) { t.FileName = "\xff.jpg" }, http.StatusUnprocessableEntity},
		"reordered file name":  {func(t *photojob.Terms) { t.FileName = "a\u202egpj.exe" }, http.StatusUnprocessableEntity},
		"prompt too long":      {func(t *photojob.Terms) { t.Prompt = strings.Repeat("é", 2001) }, http.StatusUnprocessableEntity},
		"invalid digest":       {func(t *photojob.Terms) { t.SHA256 = "abc" }, http.StatusUnprocessableEntity},
		"unknown provider":     {func(t *photojob.Terms) { t.Options.Provider = "magic" }, http.StatusUnprocessableEntity},
		"quality too high":     {func(t *photojob.Terms) { t.Options.Quality = 101 }, http.StatusUnprocessableEntity},
		"invalid aspect ratio": {func(t *photojob.Terms) { t.Options.AspectRatio = "0:1" }, http.StatusUnprocessableEntity},
		"SVG":                  {func(t *photojob.Terms) { t.ContentType = "image/svg+xml" }, http.StatusUnsupportedMediaType},
		"no media type":        {func(t *photojob.Terms) { t.ContentType = "" }, http.StatusUnsupportedMediaType},
		"empty":                {func(t *photojob.Terms) { t.Size = 0 }, http.StatusUnprocessableEntity},
		"too large":            {func(t *photojob.Terms) { t.Size++ }, http.StatusRequestEntityTooLarge},
	} {
		terms := valid
		test.change(&terms)
		if _, err := checked(terms, "body."); err == nil || statusOf(t, err) != test.status {
			t.Errorf("%s: got error %v, want status %d", name, err, test.status)
		}
	}
}

// part is one part of a form.
type part struct{ name, file, contentType, content string }

// request returns a request with a form.
func request(t *testing.T, parts ...part) *http.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, p := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + p.name + `"`}}
		if p.file != "" {
			header = textproto.MIMEHeader{"Content-Disposition": {multipart.FileContentDisposition(p.name, p.file)}, "Content-Type": {p.contentType}}
		}
		to, err := w.CreatePart(header)
		if err == nil {
			_, err = to.Write([]byte(p.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/photos", &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func TestReadForm(t *testing.T) {
	photo := part{"file", "a.jpg", "image/jpeg", "bytes"}
	f, err := readForm(request(t, part{name: "prompt", content: "sepia"}, part{name: "other", content: "x"}, photo, part{name: "options", content: `{"width":64}`}))
	if err != nil || string(f.photo) != "bytes" || f.terms.FileName != "a.jpg" || f.terms.ContentType != "image/jpeg" || f.terms.Size != 5 ||
		f.terms.Prompt != "sepia" || f.terms.Options.Width != 64 || f.terms.SHA256 == "" {
		t.Errorf("got terms %+v, error %v, want those of the form, with a digest", f.terms, err)
	}
	photo.content, photo.contentType = "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "application/octet-stream"
	if f, err := readForm(request(t, photo)); err != nil || f.terms.ContentType != "image/jpeg" {
		t.Errorf("a JPEG without a media type: got %q, error %v, want image/jpeg", f.terms.ContentType, err)
	}
	large := photo
	large.content = strings.Repeat("x", photojob.MaxSize+1)
	for name, test := range map[string]struct {
		parts  []part
		status int
	}{
		"no photo":        {[]part{{name: "prompt", content: "sepia"}}, http.StatusUnprocessableEntity},
		"empty photo":     {[]part{{"file", "a.jpg", "image/jpeg", ""}}, http.StatusUnprocessableEntity},
		"two photos":      {[]part{photo, photo}, http.StatusUnprocessableEntity},
		"too large":       {[]part{large}, http.StatusRequestEntityTooLarge},
		"invalid options": {[]part{photo, {name: "options", content: "sepia"}}, http.StatusUnprocessableEntity},
		"prompt too long": {[]part{photo, {name: "prompt", content: strings.Repeat("x", maxField+1)}}, http.StatusUnprocessableEntity},
	} {
		if _, err := readForm(request(t, test.parts...)); err == nil || statusOf(t, err) != test.status {
			t.Errorf("%s: got error %v, want status %d", name, err, test.status)
		}
	}
	broken := request(t, photo)
	broken.Body = io.NopCloser(io.MultiReader(io.LimitReader(broken.Body, 150), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if _, err := readForm(broken); err == nil || statusOf(t, err) != http.StatusBadRequest {
		t.Errorf("a truncated body: got error %v, want status 400", err)
	}
}
