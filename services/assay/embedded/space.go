package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// minFree is the free space, in bytes, below which CheckSpace reports a full disk.
const minFree = 64 << 20

// ErrDiskFull means that the disk has less than 64 MiB of free space.
var ErrDiskFull = errors.New("the disk is full; free space")

// Space is the space of a file system in bytes.
type Space struct {
	Free uint64 // available to this process
	Size uint64 // used and free, without what is reserved
}

// SpaceOf returns the space of the file system of a directory. It supports Linux and macOS; on other systems, everything is
// free and the size is 0.
func SpaceOf(dir string) (Space, error) {
	space, err := space(dir)
	if err != nil {
		return Space{}, fmt.Errorf("free space: %w", err)
	}
	return space, nil
}

// CheckSpace returns ErrDiskFull if the file system of a directory is full. It supports Linux and macOS.
func CheckSpace(dir string) error {
	space, err := SpaceOf(dir)
	if err != nil {
		return err
	}
	if space.Free < minFree {
		return fmt.Errorf("%w: %d MiB left", ErrDiskFull, space.Free>>20)
	}
	return nil
}

// errStorageFull has the same code as the embedded DynamoDB engine. The gateway's own responses to
// a full disk are 500, 507 and 403, after which clients do not retry.
var errStorageFull = s3err.APIError{Code: "StorageFull", Description: "The disk is full; free space and try again.", HTTPStatusCode: http.StatusServiceUnavailable}

// fullDiskStore is a durableStore that responds with 503 while the disk is full.
type fullDiskStore struct{ *durableStore }

func storageFull(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG,
		s3err.GetAPIError(s3err.ErrNoSpaceLeftOnDevice), s3err.GetAPIError(s3err.ErrQuotaExceeded)} {
		if errors.Is(err, full) {
			return errStorageFull
		}
	}
	return err
}

func (f fullDiskStore) CreateBucket(ctx context.Context, in *s3.CreateBucketInput, acl []byte) error {
	return storageFull(f.durableStore.CreateBucket(ctx, in, acl))
}

func (f fullDiskStore) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	out, err := f.durableStore.PutObject(ctx, in)
	return out, storageFull(err)
}

func (f fullDiskStore) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	out, err := f.durableStore.CopyObject(ctx, in)
	return out, storageFull(err)
}

func (f fullDiskStore) CreateMultipartUpload(ctx context.Context, in s3response.CreateMultipartUploadInput) (s3response.InitiateMultipartUploadResult, error) {
	out, err := f.durableStore.CreateMultipartUpload(ctx, in)
	return out, storageFull(err)
}

func (f fullDiskStore) UploadPart(ctx context.Context, in *s3.UploadPartInput) (*s3.UploadPartOutput, error) {
	out, err := f.durableStore.UploadPart(ctx, in)
	return out, storageFull(err)
}

func (f fullDiskStore) UploadPartCopy(ctx context.Context, in *s3.UploadPartCopyInput) (s3response.CopyPartResult, error) {
	out, err := f.durableStore.UploadPartCopy(ctx, in)
	return out, storageFull(err)
}

func (f fullDiskStore) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (s3response.CompleteMultipartUploadResult, string, error) {
	out, version, err := f.durableStore.CompleteMultipartUpload(ctx, in)
	return out, version, storageFull(err)
}
