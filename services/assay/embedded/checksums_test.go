package embedded

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// uploadParts uploads body in parts of 5 MiB.
func uploadParts(t *testing.T, client *s3.Client, key string, body []byte, algorithm types.ChecksumAlgorithm) {
	t.Helper()
	made, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: aws.String(testBucket), Key: &key, ChecksumAlgorithm: algorithm})
	if err != nil {
		t.Fatal(err)
	}
	var parts []types.CompletedPart
	for n := int32(1); len(body) > 0; n++ {
		part := body[:min(len(body), 5<<20)]
		body = body[len(part):]
		out, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
			Bucket: aws.String(testBucket), Key: &key, UploadId: made.UploadId, PartNumber: &n, Body: bytes.NewReader(part), ChecksumAlgorithm: algorithm,
		})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, types.CompletedPart{PartNumber: aws.Int32(n), ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32, ChecksumSHA256: out.ChecksumSHA256})
	}
	_, err = client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: aws.String(testBucket), Key: &key, UploadId: made.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the content of an object or a range of it, and the error of the request or of its body.
func read(t *testing.T, client *s3.Client, key, span string) (string, error) {
	t.Helper()
	in := &s3.GetObjectInput{Bucket: aws.String(testBucket), Key: &key}
	if span != "" {
		in.Range = &span
	}
	out, err := client.GetObject(t.Context(), in, func(o *s3.Options) {
		o.RetryMaxAttempts = 1
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired // the test requires that the server detects the damage
	})
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(out.Body)
	if closeErr := out.Body.Close(); closeErr != nil && err == nil {
		t.Fatal(closeErr)
	}
	return string(content), err
}

func TestS3RejectsDamagedObject(t *testing.T) {
	dir := t.TempDir()
	client := startS3(t, S3Config{Dir: dir})
	large := bytes.Repeat([]byte("0123456789abcdef"), 11<<16) // 11 MiB
	put(t, client, "small", strings.Repeat("s", 1000))
	put(t, client, "large", string(large))
	put(t, client, "copied-from", "copy")
	uploadParts(t, client, "parts", large, "")
	uploadParts(t, client, "parts-crc32", large, types.ChecksumAlgorithmCrc32)
	uploadParts(t, client, "parts-sha256", large, types.ChecksumAlgorithmSha256)
	_, err := client.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: aws.String(testBucket), Key: aws.String("copied"), CopySource: aws.String(testBucket + "/copied-from")})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"small", "large", "copied", "parts", "parts-crc32", "parts-sha256"} {
		path := filepath.Join(dir, "objects", testBucket, key)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, client, key, ""); err != nil || got != string(want) {
			t.Errorf("%s, undamaged: got %d bytes, %v, want the %d stored bytes", key, len(got), err, len(want))
		}
		from := max(0, len(want)-300_000)
		if got, err := read(t, client, key, fmt.Sprintf("bytes=%d-%d", from, len(want)-2)); err != nil || got != string(want[from:len(want)-1]) {
			t.Errorf("%s, a range: got %d bytes, %v, want the %d stored bytes", key, len(got), err, len(want)-1-from)
		}
		for _, at := range []int{0, len(want) / 2, len(want) - 1} {
			flip(t, path, at)
			for _, span := range []string{"", fmt.Sprintf("bytes=%d-%d", at, at), fmt.Sprintf("bytes=%d-", at/2)} {
				if got, err := read(t, client, key, span); err == nil {
					t.Errorf("%s with a flipped bit at %d, range %q: got %d bytes, want an error", key, at, span, len(got))
				}
			}
			flip(t, path, at)
		}
	}
}

// flip changes one bit of a file, in place.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	one := make([]byte, 1)
	if _, err := file.ReadAt(one, int64(at)); err != nil {
		t.Fatal(err)
	}
	one[0] ^= 1
	if _, err := file.WriteAt(one, int64(at)); err != nil {
		t.Fatal(err)
	}
}
