package uploads

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// presignedTermsHold: the bucket rejects requests that do not match the reservation; the file stays PENDING and can
// still be uploaded.
func presignedTermsHold(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(31, 50)
	digest := sha256.Sum256([]byte(text))
	for name, breach := range map[string]struct {
		body   string
		change func(*http.Request)
	}{
		"longer":      {text + "x", nil},
		"shorter":     {text[:len(text)-1], nil},
		"chunked":     {text, func(r *http.Request) { r.ContentLength = -1 }},
		"other type":  {text, func(r *http.Request) { r.Header.Set("Content-Type", "application/pdf") }},
		"other bytes": {strings.ToUpper(text), nil},
		"no checksum": {strings.ToUpper(text), func(r *http.Request) { r.Header.Del("X-Amz-Checksum-Sha256") }},
		"no condition": {text, func(r *http.Request) {
			r.Header.Del("If-None-Match")
		}},
		"other metadata": {text, func(r *http.Request) { r.Header.Set("X-Amz-Meta-Request-Id", "another-request") }},
		"other object":   {text, func(r *http.Request) { r.URL.Path += "x" }},
		"no signature":   {text, func(r *http.Request) { r.URL.RawQuery = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reserved, err := c.Reserve(system.Within(t), client.Reservation{
				FileName: name, Size: int64(len(text)), ContentType: "text/plain", SHA256: hex.EncodeToString(digest[:]),
			})
			if err != nil {
				t.Fatal(err)
			}
			// The bucket can also reject an upload by closing the connection.
			if status, body := system.TryPut(t, reserved.Upload, breach.body, breach.change); status/100 == 2 {
				t.Fatalf("the bucket returned %d, want an error status: %s", status, body)
			}
			checkMissing(t, s, reserved)
			if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
				t.Fatalf("the subsequent PUT of the correct bytes returned %d %s, want 200", status, body)
			}
			system.CheckResult(t, system.Await(t, c, reserved.FileID), system.Count(text))
		})
	}
}

// encodingsHaveNoEffect: a Content-Encoding cannot be excluded by the signature. The bucket rejects it, as the embedded S3
// does, or the bytes are analyzed and downloaded as they were sent.
func encodingsHaveNoEffect(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(33, 50)
	reserved := system.Reserve(t, c, "encoded.txt", "text/plain", text)
	status, body := system.Put(t, reserved.Upload, text, func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") })
	if status/100 != 2 {
		checkMissing(t, s, reserved)
		status, body = system.Put(t, reserved.Upload, text, nil)
	}
	if status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	system.CheckResult(t, system.Await(t, c, reserved.FileID), system.Count(text))
	content, err := c.Content(system.Within(t), reserved.FileID)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if got, err := io.ReadAll(content); err != nil || string(got) != text {
		t.Errorf("the download is %q, %v; want %q", got, err, text)
	}
}

// checkMissing checks that a file is PENDING and has no bytes.
func checkMissing(t *testing.T, s system.System, reserved client.Reserved) {
	t.Helper()
	resp, body := s.Ask(t, http.MethodPost, "/v1/files/"+reserved.FileID+"/uploaded", map[string]string{"X-Owner-Id": reserved.OwnerID}, "")
	system.Refused(t, resp, body, http.StatusConflict, "not-uploaded")
	file, err := s.Client(t, reserved.OwnerID).Get(system.Within(t), reserved.FileID, 0)
	if err != nil || file.Status != client.Pending {
		t.Errorf("the file is %s, %v; want PENDING", file.Status, err)
	}
}

// usedURLIsRejected: a presigned URL cannot replace the stored bytes.
func usedURLIsRejected(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(32, 50)
	reserved := system.Reserve(t, c, "once.txt", "text/plain", text)
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	for range 2 {
		if status, body := system.Put(t, reserved.Upload, strings.ToUpper(text), nil); status != http.StatusPreconditionFailed {
			t.Errorf("the second use of the URL returned %d, want 412: %s", status, body)
		}
		system.CheckResult(t, system.Await(t, c, reserved.FileID), system.Count(text))
	}
}
