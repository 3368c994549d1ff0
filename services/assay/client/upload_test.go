package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assay-project/assay/services/assay/client"
)

const text = "one two three"

func textSource() client.Source {
	return client.Source{
		Reservation: client.Reservation{FileName: "a.txt", Size: int64(len(text)), ContentType: "text/plain"},
		Content:     strings.NewReader(text),
	}
}

// reserved responds to a reservation with an upload to /bucket of the same server.
func reserved(w http.ResponseWriter, r *http.Request) {
	answer(201, client.Reserved{FileID: "1", Status: client.Pending, Upload: client.UploadRequest{
		Method: http.MethodPut, URL: "http://" + r.Host + "/bucket?signed=yes",
		Headers: map[string]string{"Content-Type": "text/plain", "If-None-Match": "*", "Content-Length": "13"},
	}})(w, r)
}

func bucket(status int, code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><Error><Code>%s</Code><Message>rejected</Message></Error>`, code)
	}
}

func TestUploadReservesPutsAndConfirms(t *testing.T) {
	s, c := serve(t, reserved, answer(200, nil), answer(202, client.File{FileID: "1", Status: client.Pending}))
	var sent int64
	src := textSource()
	src.Progress = func(n int64) { sent = n }
	if file, err := c.Upload(t.Context(), src); err != nil || file.FileID != "1" {
		t.Fatalf("Upload = %+v, %v, want the file 1", file, err)
	}
	if sent != int64(len(text)) {
		t.Errorf("progress ended at %d, want %d", sent, len(text))
	}
	reserve, put, confirm := s.requests()[0], s.requests()[1], s.requests()[2]
	if want := `{"fileName":"a.txt","size":13,"contentType":"text/plain"}`; reserve.body != want {
		t.Errorf("reserved %s, want %s", reserve.body, want)
	}
	isV7(t, reserve.header.Get("Idempotency-Key"))
	isV7(t, reserve.header.Get("X-Request-Id"))
	if put.body != text || put.header.Get("If-None-Match") != "*" || put.header.Get("X-Owner-Id") != "" {
		t.Errorf("put %+v, want the content with If-None-Match and no owner", put)
	}
	if confirm.path != "/v1/files/1/uploaded" || confirm.header.Get("X-Request-Id") != reserve.header.Get("X-Request-Id") {
		t.Errorf("confirmed %+v, want /v1/files/1/uploaded with the request id of the reservation", confirm)
	}
}

func TestUploadRetriesWithoutSecondFile(t *testing.T) {
	s, c := serve(t,
		hangUp, reserved, hangUp, // no response to the reservation, then none to the upload
		reserved, bucket(503, "SlowDown"),
		reserved, bucket(403, "AccessDenied"), // the URL expired
		reserved, bucket(412, "PreconditionFailed"), // the broken attempt has stored the content
		answer(202, client.File{FileID: "1"}))
	if _, err := c.Upload(t.Context(), textSource()); err != nil {
		t.Fatal(err)
	}
	keys := map[string]int{}
	for _, r := range s.requests() {
		if r.path == "/v1/files" {
			keys[r.header.Get("Idempotency-Key")]++
		}
		if strings.HasPrefix(r.path, "/bucket") && r.body != text {
			t.Errorf("put %q, want %q", r.body, text)
		}
	}
	if len(keys) != 1 {
		t.Errorf("got the idempotency keys %v, want one", keys)
	}
}

func TestCompletedUploadSendsNothing(t *testing.T) {
	done := client.File{FileID: "1", Status: client.Completed}
	_, c := serve(t, answer(201, client.Reserved{FileID: "1", Status: client.Completed}), answer(200, done))
	if file, err := c.Upload(t.Context(), textSource()); err != nil || file.Status != client.Completed {
		t.Fatalf("Upload = %+v, %v, want the completed file", file, err)
	}
}

func TestUploadStopsWhenContentIsRejected(t *testing.T) {
	_, c := serve(t, reserved, bucket(400, "BadDigest"))
	_, err := c.Upload(t.Context(), textSource())
	if refused, ok := errors.AsType[*client.Refused](err); !ok || refused.Code != "BadDigest" {
		t.Fatalf("got %v, want BadDigest", err)
	}
}

func TestEmptyUpload(t *testing.T) {
	s, c := serve(t, reserved, answer(200, nil), answer(202, client.File{FileID: "1"}))
	if _, err := c.Upload(t.Context(), client.Source{Content: strings.NewReader("")}); err != nil {
		t.Fatal(err)
	}
	if put := s.requests()[1]; put.body != "" || put.header.Get("Content-Length") != "0" {
		t.Errorf("put %q with length %q, want no content with length 0", put.body, put.header.Get("Content-Length"))
	}
}

func TestPostFileStreamsOnePart(t *testing.T) {
	const name = `a "b"; ü.txt`
	s, c := serve(t, answer(202, client.File{FileID: "1"}))
	file, err := c.PostFile(t.Context(), client.Posted{FileName: name, Content: strings.NewReader(text)})
	if err != nil || file.FileID != "1" {
		t.Fatalf("PostFile = %+v, %v, want the file 1", file, err)
	}
	got := s.requests()[0]
	isV7(t, got.header.Get("Idempotency-Key"))
	_, params, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form := multipart.NewReader(strings.NewReader(got.body), params["boundary"])
	part, err := form.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(part)
	if err != nil {
		t.Fatal(err)
	}
	if part.FormName() != "file" || part.FileName() != name || string(content) != text {
		t.Errorf("got part %q, file %q, content %q, want part file, file %q, content %q", part.FormName(), part.FileName(), content, name, text)
	}
	if _, err := form.NextPart(); !errors.Is(err, io.EOF) {
		t.Errorf("after the first part: got %v, want EOF", err)
	}
}

func TestPostFileReportsReadError(t *testing.T) {
	broken := errors.New("broken pipe")
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			t.Error("the server read a complete body, want an error")
		}
	}))
	defer server.Close()
	c, err := client.New(client.Config{Server: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	content := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), iotest.ErrReader(broken))
	_, err = c.PostFile(t.Context(), client.Posted{FileName: "-", Content: content})
	if !errors.Is(err, broken) {
		t.Fatalf("PostFile: got %v, want %v", err, broken)
	}
}

// TestPostFileRepeatsWhatItCanReadAgain: content that can seek is sent again, with the same key and from its first
// position. A stream is sent once.
func TestPostFileRepeatsWhatItCanReadAgain(t *testing.T) {
	busy := problem(503, map[string]string{"Retry-After": "0"}, client.Problem{})
	s, c := serve(t, busy, hangUp, answer(202, client.File{FileID: "1"}))
	content := strings.NewReader("skipped " + text)
	if _, err := content.Seek(int64(len("skipped ")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	file, err := c.PostFile(t.Context(), client.Posted{FileName: "a.txt", Content: content})
	if err != nil || file.FileID != "1" || len(s.requests()) != 3 {
		t.Fatalf("PostFile = %+v, %v after %d requests, want the file 1 after 3", file, err, len(s.requests()))
	}
	first, last := s.requests()[0], s.requests()[2]
	if !strings.Contains(last.body, "\r\n\r\n"+text+"\r\n") || last.header.Get("Idempotency-Key") != first.header.Get("Idempotency-Key") {
		t.Errorf("the last request has the body %q and key %s, want the content and key %s", last.body,
			last.header.Get("Idempotency-Key"), first.header.Get("Idempotency-Key"))
	}
	s, c = serve(t, busy)
	_, err = c.PostFile(t.Context(), client.Posted{FileName: "-", Content: io.MultiReader(strings.NewReader(text))})
	if failed, ok := errors.AsType[*client.Problem](err); !ok || failed.Status != 503 || len(s.requests()) != 1 {
		t.Errorf("a stream: got error %v after %d requests, want 503 after one", err, len(s.requests()))
	}
}
