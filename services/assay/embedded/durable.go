package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/rs/zerolog"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3response"
)

// noticeTime bounds S3Config.Created, which the client's request waits for.
const noticeTime = 5 * time.Second

// durableStore is the gateway's file store with what it leaves out: an object
// is on disk before its request is answered, and its creation is told.
type durableStore struct {
	*posix.Posix
	meta       meta.MetadataStorer
	objects    string // absolute; a folder for each bucket
	attributes string // absolute; of metadata that is in files
	sheets     sheets
	sync       func(*os.File) error
	folders    folders
	names      windows
	pages      []byte // CORS rules of a bucket that has none; nil for none
	created    func(context.Context, Object) error
	log        zerolog.Logger
}

// CreateBucket makes a bucket whose folder is on disk when it returns.
func (d *durableStore) CreateBucket(ctx context.Context, in *s3.CreateBucketInput, acl []byte) error {
	if err := d.Posix.CreateBucket(ctx, in, acl); err != nil {
		return err
	}
	return errors.Join(
		d.sheets.write(*in.Bucket, ""),
		d.syncUp(filepath.Join(d.objects, *in.Bucket), d.objects),
		d.syncAttributes(*in.Bucket, ""))
}

// CopyObject serves PUT with a copy source.
func (d *durableStore) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	out, err := d.Posix.CopyObject(ctx, in)
	if err != nil {
		return out, err
	}
	etag := ""
	if out.CopyObjectResult != nil && out.CopyObjectResult.ETag != nil {
		etag = *out.CopyObjectResult.ETag
	}
	return out, d.finish(ctx, *in.Bucket, *in.Key, etag)
}

// CompleteMultipartUpload joins the parts.
func (d *durableStore) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (s3response.CompleteMultipartUploadResult, string, error) {
	out, version, err := d.Posix.CompleteMultipartUpload(ctx, in)
	if err != nil {
		return out, version, err
	}
	etag := ""
	if out.ETag != nil {
		etag = *out.ETag
	}
	return out, version, d.finish(ctx, *in.Bucket, *in.Key, etag)
}

// DeleteObject removes an object, and the folders that are empty then.
func (d *durableStore) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	defer d.folders.remove()()
	out, err := d.Posix.DeleteObject(ctx, in)
	if err == nil {
		err = d.dropSheet(*in.Bucket, *in.Key)
	}
	return out, err
}

// DeleteObjects removes many.
func (d *durableStore) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (s3response.DeleteResult, error) {
	defer d.folders.remove()()
	out, err := d.Posix.DeleteObjects(ctx, in)
	if err != nil {
		return out, err
	}
	for _, object := range in.Delete.Objects {
		err = errors.Join(err, d.dropSheet(*in.Bucket, *object.Key))
	}
	return out, err
}

// dropSheet removes the copy of the metadata of an object that is gone.
func (d *durableStore) dropSheet(bucket, key string) error {
	if _, err := os.Lstat(filepath.Join(d.objects, bucket, filepath.FromSlash(key))); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.sheets.remove(bucket, key)
}

// DeleteBucket removes a bucket.
func (d *durableStore) DeleteBucket(ctx context.Context, bucket string) error {
	defer d.folders.remove()()
	if err := d.Posix.DeleteBucket(ctx, bucket); err != nil {
		return err
	}
	return d.sheets.remove(bucket, "")
}

// finish puts a stored object on disk and then tells of it. When the disk
// refuses, the object is removed: a retry under If-None-Match must send the
// bytes again and not be told that they are there.
func (d *durableStore) finish(ctx context.Context, bucket, key, etag string) error {
	d.stored(bucket, key)
	info, err := os.Stat(filepath.Join(d.objects, bucket, filepath.FromSlash(key)))
	if err != nil {
		return fmt.Errorf("find %s/%s to sync it: %w", bucket, key, err)
	}
	err = d.storeSums(bucket, key)
	if err == nil {
		err = d.sheets.write(bucket, key)
	}
	if err == nil {
		err = d.syncObject(bucket, key)
	}
	if err != nil {
		_, removeErr := d.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
		return fmt.Errorf("store %s/%s on disk: %w", bucket, key, errors.Join(err, removeErr))
	}
	if d.created == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noticeTime)
	defer cancel()
	object := Object{Bucket: bucket, Key: key, ETag: strings.Trim(etag, `"`)}
	if info.Mode().IsRegular() {
		object.Size = info.Size()
	}
	if err := d.created(ctx, object); err != nil {
		d.log.Warn().Err(err).Str("bucket", bucket).Str("key", key).Msg("notice of a stored object failed")
	}
	return nil
}

// syncObject syncs an object's file with its extended attributes, the folders up to
// the bucket in which there may be an entry that is not on disk, and its metadata
// files. What it syncs of folders it shares with uploads that made their entries
// before it has synced the file.
func (d *durableStore) syncObject(bucket, key string) error {
	top, path := filepath.Join(d.objects, bucket), filepath.Join(d.objects, bucket, filepath.FromSlash(key))
	folder := filepath.Dir(path)
	entries := []func() error{d.joinFolder(folder)}
	for ; folder != top && len(folder) > len(top); folder = filepath.Dir(folder) {
		kept, since := d.folders.keeps(folder)
		if kept {
			continue
		}
		entry, sync := folder, d.joinFolder(filepath.Dir(folder))
		entries = append(entries, func() error {
			if err := sync(); err != nil {
				return err
			}
			d.folders.keep(entry, since)
			return nil
		})
	}
	err := d.syncOne(path)
	for _, need := range entries {
		err = errors.Join(err, need())
	}
	return errors.Join(err, d.syncAttributes(bucket, key))
}

// syncAttributes syncs the metadata files of an object, or of the bucket for
// an empty key.
func (d *durableStore) syncAttributes(bucket, key string) error {
	// The gateway's name for the folder of one object's metadata files.
	dir := filepath.Join(d.attributes, bucket, filepath.FromSlash(key), "meta")
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := d.syncOne(filepath.Join(dir, file.Name())); err != nil {
			return err
		}
	}
	return d.syncUp(dir, d.attributes)
}

// syncUp syncs path and every folder above it, up to and with top. Uploads that
// come together share the syncs of the folders that they have in common.
func (d *durableStore) syncUp(path, top string) error {
	if err := d.syncOne(path); err != nil {
		return err
	}
	for path != top && len(path) > len(top) {
		path = filepath.Dir(path)
		if err := d.syncFolder(path); err != nil {
			return err
		}
	}
	return nil
}

func (d *durableStore) syncFolder(path string) error { return d.joinFolder(path)() }

// joinFolder enters the next sync of a folder, and returns what waits for it.
func (d *durableStore) joinFolder(path string) (need func() error) {
	return d.folders.syncs.join(path, func() error { return d.syncOne(path) })
}

func (d *durableStore) syncOne(path string) error {
	file, err := openForSync(path)
	if err != nil || file == nil {
		return err
	}
	return errors.Join(d.sync(file), file.Close())
}

// openForSync opens a file or folder such that it can be synced; nil for a
// folder on Windows, which keeps folder entries itself and syncs none.
func openForSync(path string) (*os.File, error) {
	if runtime.GOOS == "windows" {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil, err
		}
		return os.OpenFile(path, os.O_RDWR, 0)
	}
	for {
		// os.Open takes five system calls more, to offer the file to the poller, which
		// takes no files.
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), path), nil
		case !errors.Is(err, syscall.EINTR):
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
