package uploads

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// lateBytesAreRemoved: bytes that a client uploads after deleting the file are removed from the bucket.
func lateBytesAreRemoved(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(33, 50)
	reserved := system.Reserve(t, c, "late.txt", "text/plain", text)
	if err := c.Delete(system.Within(t), reserved.FileID); err != nil {
		t.Fatal(err)
	}
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	at, err := url.Parse(reserved.Upload.URL)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.TrimPrefix(at.Path, "/"+s.Bucket+"/")
	system.Eventually(t, func() error {
		_, err := s.Objects().HeadObject(system.Within(t), &s3.HeadObjectInput{Bucket: &s.Bucket, Key: &key})
		if _, gone := errors.AsType[*types.NotFound](err); gone {
			return nil
		}
		if err == nil {
			err = errors.New("the bytes of the deleted file are still in the bucket")
		}
		return err
	})
}
