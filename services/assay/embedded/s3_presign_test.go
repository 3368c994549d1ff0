package embedded

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const presignedBody = "one two three"

// presign signs an upload with its terms: length, type, checksum and If-None-Match.
func presign(t *testing.T, client *s3.Client, key string) *v4.PresignedHTTPRequest {
	t.Helper()
	sum := sha256.Sum256([]byte(presignedBody))
	req, err := s3.NewPresignClient(client).PresignPutObject(t.Context(), &s3.PutObjectInput{
		Bucket:         aws.String(testBucket),
		Key:            &key,
		ContentLength:  aws.Int64(int64(len(presignedBody))),
		ContentType:    aws.String("text/plain"),
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum[:])),
		IfNoneMatch:    aws.String("*"),
	}, s3.WithPresignExpires(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// send sends body with the signed request, after change has modified its headers.
func send(ctx context.Context, signed *v4.PresignedHTTPRequest, body string, change func(*http.Request)) (status int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, signed.Method, signed.URL, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for name, values := range signed.SignedHeader {
		if name != "Host" && name != "Content-Length" {
			req.Header[name] = values
		}
	}
	if change != nil {
		change(req)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		return 0, "", err
	}
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, "", err
	}
	return resp.StatusCode, string(content), resp.Body.Close()
}

// TestS3ResponsesAreNotSniffed checks that browsers do not guess another type for a download, or for an error.
func TestS3ResponsesAreNotSniffed(t *testing.T) {
	client, key := startS3(t, S3Config{}), "files/a"
	if status, answer, err := send(t.Context(), presign(t, client, key), presignedBody, nil); err != nil || status != http.StatusOK {
		t.Fatalf("got status %d, %v, want 200: %s", status, err, answer)
	}
	signed, err := s3.NewPresignClient(client).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(testBucket), Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int{signed.URL: http.StatusOK, strings.Replace(signed.URL, "files/a", "files/b", 1): http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := new(http.Client).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("X-Content-Type-Options"); resp.StatusCode != want || got != "nosniff" {
			t.Errorf("got %s with X-Content-Type-Options %q, want %d with nosniff", resp.Status, got, want)
		}
	}
}

func TestS3PresignedPutEnforcesSignedTerms(t *testing.T) {
	client := startS3(t, S3Config{})
	tests := []struct {
		name   string
		body   string
		change func(*http.Request)
		want   int
	}{
		{"longer", presignedBody + "!", nil, http.StatusForbidden},
		{"shorter", presignedBody[1:], nil, http.StatusForbidden},
		{"other bytes", strings.ToUpper(presignedBody), nil, http.StatusBadRequest},
		{"other type", presignedBody, func(r *http.Request) { r.Header.Set("Content-Type", "image/png") }, http.StatusForbidden},
		{"no type", presignedBody, func(r *http.Request) { r.Header.Del("Content-Type") }, http.StatusForbidden},
		{"no checksum", presignedBody, func(r *http.Request) { r.Header.Del("X-Amz-Checksum-Sha256") }, http.StatusForbidden},
		{"without If-None-Match", presignedBody, func(r *http.Request) { r.Header.Del("If-None-Match") }, http.StatusForbidden},
		{"other key", presignedBody, func(r *http.Request) { r.URL.Path += "x" }, http.StatusForbidden},
		{"other method", presignedBody, func(r *http.Request) { r.Method = http.MethodPost }, http.StatusMethodNotAllowed},
		{"longer expiry", presignedBody, func(r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "X-Amz-Expires=60", "X-Amz-Expires=600", 1)
		}, http.StatusForbidden},
	}
	for _, name := range []string{
		"Content-Encoding", "Content-Language", "Content-Disposition", "Expires", "X-Amz-Meta-Author", "X-Amz-Tagging",
		"X-Amz-Storage-Class", "X-Amz-Website-Redirect-Location", "X-Amz-Acl", "X-Amz-Object-Lock-Mode",
	} {
		tests = append(tests, struct {
			name   string
			body   string
			change func(*http.Request)
			want   int
		}{"unsigned " + name, presignedBody, func(r *http.Request) { r.Header.Set(name, "gzip") }, http.StatusForbidden})
	}
	signed := presign(t, client, "files/1/a")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, answer, err := send(t.Context(), signed, tt.body, tt.change)
			if err != nil {
				t.Fatal(err)
			}
			if status != tt.want {
				t.Errorf("got status %d, want %d: %s", status, tt.want, answer)
			}
			if objects := list(t, client); len(objects) != 0 {
				t.Errorf("stored %q, want no objects", objects)
			}
		})
	}
	for _, want := range []int{http.StatusOK, http.StatusPreconditionFailed} {
		asABrowser := func(r *http.Request) { r.Header.Set("Cache-Control", "no-cache") }
		if status, answer, err := send(t.Context(), signed, presignedBody, asABrowser); err != nil || status != want {
			t.Fatalf("got status %d, %v, want %d: %s", status, err, want, answer)
		}
	}
	if body, contentType := get(t, client, "files/1/a"); body != presignedBody || contentType != "text/plain" {
		t.Fatalf("stored %q of type %q, want %q of type text/plain", body, contentType, presignedBody)
	}
	head, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String(testBucket), Key: aws.String("files/1/a")})
	if err != nil || head.CacheControl != nil {
		t.Errorf("stored with Cache-Control %q, %v, want none", aws.ToString(head.CacheControl), err)
	}
}

func list(t *testing.T, client *s3.Client) (keys []string) {
	t.Helper()
	out, err := client.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(testBucket)})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range out.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}
