package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/embedded"
)

// stoppedFolder returns a data directory with one object, and the object's file.
func stoppedFolder(t *testing.T) (dir, object string) {
	t.Helper()
	dir = t.TempDir()
	streams, err := embedded.StartNATS(embedded.NATSConfig{Dir: filepath.Join(dir, "nats"), User: "assay", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	streams.Close()
	database, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(dir, "dynamodb.db"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: filepath.Join(dir, "s3"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(objects.URL()), Region: "us-east-1", UsePathStyle: true, Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	})
	_, err = client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("files")})
	if err == nil {
		_, err = client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("files"), Key: aws.String("a"), Body: strings.NewReader("kept")})
	}
	if err := errors.Join(err, objects.Close(), database.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, filepath.Join(dir, "s3", "objects", "files", "a")
}

func verify(t *testing.T, dir string, repair bool) (string, error) {
	t.Helper()
	var out strings.Builder
	err := Verify(context.Background(), dir, repair, &out)
	return out.String(), err
}

func TestVerify(t *testing.T) {
	dir, object := stoppedFolder(t)
	if out, err := verify(t, dir, false); err != nil || !strings.Contains(out, "objects: 1 objects read") {
		t.Fatalf("undamaged folder: got %v, want no error\n%s", err, out)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if out, err := verify(t, copied, false); err != nil {
		t.Errorf("copy without extended attributes: got %v, want no error\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "s3", "metadata")); err != nil {
		t.Fatal(err)
	}
	if out, err := verify(t, dir, false); !errors.Is(err, ErrDamaged) || !strings.Contains(out, "object a in bucket files: the copy of its metadata") {
		t.Errorf("without the copies of metadata: got %v, want %v\n%s", err, ErrDamaged, out)
	}
	if out, err := verify(t, dir, true); err != nil {
		t.Errorf("repair: got %v, want no error\n%s", err, out)
	}
	file, err := os.OpenFile(object, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte("K"), 0)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if out, err := verify(t, dir, false); !errors.Is(err, ErrDamaged) || !strings.Contains(out, "object a in bucket files: the object is damaged") {
		t.Errorf("changed object: got %v, want %v\n%s", err, ErrDamaged, out)
	}
	_, release, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := verify(t, dir, false); !errors.Is(err, ErrInUse) {
		t.Errorf("folder in use: got %v, want %v", err, ErrInUse)
	}
}
