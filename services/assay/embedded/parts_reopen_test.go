package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// TestS3ReopensUploads checks that an upload that was being completed when the process was killed is open
// after a restart, with its parts.
func TestS3ReopensUploads(t *testing.T) {
	dir := t.TempDir()
	srv, err := StartS3(t.Context(), S3Config{Dir: dir, AccessKey: testKey, SecretKey: testSecret})
	if err != nil {
		t.Fatal(err)
	}
	client, bucket, key := s3Client(srv.URL()), aws.String(testBucket), aws.String("a/b")
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: bucket}); err != nil {
		t.Fatal(err)
	}
	upload, err := client.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: bucket, Key: key, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32, Metadata: map[string]string{"note": strings.Repeat("x", 1500)},
	})
	if err != nil {
		t.Fatal(err)
	}
	part, err := client.UploadPart(t.Context(), &s3.UploadPartInput{
		Bucket: bucket, Key: key, UploadId: upload.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("text"), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "objects", testBucket, ".sgwtmp", "multipart", "*", *upload.UploadId))
	if err != nil || len(found) != 1 {
		t.Fatalf("got the upload directories %v, %v, want one", found, err)
	}
	// The gateway renames the directory in this form while it completes the upload.
	if err := os.Rename(found[0], found[0]+".0123456789abcdef0123456789abcdef-1.inprogress"); err != nil {
		t.Fatal(err)
	}

	client = startS3(t, S3Config{Dir: dir})
	listed, err := client.ListParts(t.Context(), &s3.ListPartsInput{Bucket: bucket, Key: key, UploadId: upload.UploadId})
	if err != nil || len(listed.Parts) != 1 {
		t.Fatalf("ListParts = %+v, %v, want one part", listed, err)
	}
	if _, err := client.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: bucket, Key: key, UploadId: upload.UploadId, IfNoneMatch: aws.String("*"),
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32}}},
	}); err != nil {
		t.Fatal(err)
	}
	if body, _ := get(t, client, "a/b"); body != "text" {
		t.Errorf("stored %q, want text", body)
	}
}
