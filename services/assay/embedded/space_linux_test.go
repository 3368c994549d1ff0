package embedded

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// smallDisk is set in the process that may mount a small file system on this folder.
const smallDisk = "ASSAY_TEST_SMALL_DISK"

// TestAFullDiskRefusesObjectsUntilThereIsSpace runs itself in a mount namespace of its own.
func TestAFullDiskRefusesObjectsUntilThereIsSpace(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		fillBucket(t, dir)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func fillBucket(t *testing.T, dir string) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 14<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckSpace(dir); !errors.Is(err, ErrDiskFull) {
		t.Errorf("the check returned %v", err)
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
		t.Errorf("with a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := put(); err != nil {
		t.Errorf("with space again: %v", err)
	}
}
