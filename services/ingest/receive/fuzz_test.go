package receive

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
)

// FuzzForm checks that the standard library finds the same single file in a form that the package accepts.
func FuzzForm(f *testing.F) {
	const boundary = "b"
	for _, body := range []string{
		"", "--b--", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--b--\r\n",
		"--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{}\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../a\"\r\nContent-Type: text/plain\r\n\r\n\r\n--b--\r\n",
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n2\r\n--b--",
		"--b\r\nContent-Disposition: form-data; name=file; filename*=UTF-8''%ff\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=\r\n--b--",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req := httptest.NewRequest(http.MethodPost, "/v1/files", bytes.NewReader(body))
		req.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		form, leave, err := New(Config{MaxSize: 1 << 10, Streamed: 1}).Form(httptest.NewRecorder(), req)
		if err != nil {
			return
		}
		defer leave()
		file, err := form.File("options")
		if err != nil {
			return
		}
		defer file.Close()
		content, err := io.ReadAll(file)
		if err != nil {
			return
		}
		if len(content) > 1<<10 {
			t.Fatalf("got %d bytes, want at most %d", len(content), 1<<10)
		}
		parts, found := multipart.NewReader(bytes.NewReader(body), boundary), 0
		for {
			part, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("a truncated form: got no error, want %v", err)
			}
			if part.FormName() != FilePart {
				continue
			}
			found++
			if other, err := io.ReadAll(part); err != nil || !bytes.Equal(other, content) {
				t.Fatalf("got content %q, want %q, error %v", content, other, err)
			}
		}
		if found != 1 {
			t.Fatalf("a form with %d files: got no error, want one", found)
		}
	})
}
