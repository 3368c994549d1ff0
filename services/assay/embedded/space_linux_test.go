package embedded

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/assay-project/assay/pkg/dynamolite/disktest"
)

// TestFullDiskRejectsObjects runs in a child process.
func TestFullDiskRejectsObjects(t *testing.T) {
	disktest.Run(t, "size=16m", fillBucket)
}

func fillBucket(t *testing.T, dir string) {
	free := disktest.Fill(t, dir, 14<<20)
	if err := CheckSpace(dir); !errors.Is(err, ErrDiskFull) {
		t.Errorf("CheckSpace = %v, want %v", err, ErrDiskFull)
	}
	client := startS3(t, S3Config{Dir: dir})
	put := func() error {
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(testBucket), Key: aws.String("a"), Body: bytes.NewReader(contentOf(4 << 20)), IfNoneMatch: aws.String("*"),
		}, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
		return err
	}
	err := put()
	status, _ := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	if api, ok := errors.AsType[smithy.APIError](err); !ok || api.ErrorCode() != "StorageFull" || status.HTTPStatusCode() != http.StatusServiceUnavailable {
		t.Errorf("put on a full disk: got %v, want StorageFull with status 503", err)
	}
	free()
	if err := put(); err != nil {
		t.Errorf("put after space was freed: %v", err)
	}
}
