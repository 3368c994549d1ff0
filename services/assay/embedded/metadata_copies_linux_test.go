package embedded

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sys/unix"
)

// TestS3StartsOnCopyWithoutAttributes copies the directory as cp -r and tar do, once to
// a system with metadata in extended attributes and once to one with metadata in files.
func TestS3StartsOnCopyWithoutAttributes(t *testing.T) {
	for _, inFiles := range []bool{false, true} {
		t.Run(map[bool]string{false: "attributes", true: "files"}[inFiles], func(t *testing.T) { startOnACopy(t, inFiles) })
	}
}

func startOnACopy(t *testing.T, inFiles bool) {
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	url, kill := startChild(t, "s3", dir)
	client := s3Client(url)
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(testBucket)}); err != nil {
		t.Fatal(err)
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 40<<16) // 40 MiB: the checksums do not fit into an attribute
	put(t, client, "files/1/a", "kept")
	put(t, client, "files/2/a", "removed")
	uploadParts(t, client, "parts", large, "")
	if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: aws.String("files/2/a")}); err != nil {
		t.Fatal(err)
	}
	before, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String(testBucket), Key: aws.String("parts")})
	if err != nil {
		t.Fatal(err)
	}
	kill()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(copied, "objects", testBucket, "files", "1", "a")
	if n, err := unix.Listxattr(object, nil); err != nil || n != 0 {
		t.Fatalf("the copy has %d bytes of attributes, %v, want none", n, err)
	}
	if inFiles {
		if err := os.Mkdir(filepath.Join(copied, "attributes"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if !inFiles { // some tools preserve the attributes of directories but drop those of files
		if err := unix.Setxattr(filepath.Join(copied, "objects"), "user."+keptAttribute, []byte("1"), 0); err != nil {
			t.Fatal(err)
		}
	}
	client = startS3(t, S3Config{Dir: copied})
	if body, contentType := get(t, client, "files/1/a"); body != "kept" || contentType != "text/plain" {
		t.Errorf("got %q of type %q, want kept of type text/plain", body, contentType)
	}
	after, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String(testBucket), Key: aws.String("parts")})
	if err != nil || *after.ETag != *before.ETag {
		t.Errorf("HeadObject = %v, %v, want the ETag %s", after, err, *before.ETag)
	}
	for _, at := range []string{object, filepath.Join(copied, "objects", testBucket, "parts")} {
		key, err := filepath.Rel(filepath.Join(copied, "objects", testBucket), at)
		if err != nil {
			t.Fatal(err)
		}
		flip(t, at, 1)
		if _, err := read(t, client, filepath.ToSlash(key), ""); err == nil {
			t.Errorf("read of the damaged %s succeeded, want a checksum error", key)
		}
		flip(t, at, 1)
	}
	put(t, client, "files/3/a", "new")
}
