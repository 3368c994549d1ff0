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
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3response"
)

// noticeTime is the timeout of S3Config.Created, which delays the response to the client.
const noticeTime = 5 * time.Second

// durableStore extends the gateway's file store: an object is durable before the response to its
// request, and its creation is reported.
type durableStore struct {
	*posix.Posix
	meta       *metadata
	objects    string // absolute; contains a directory for each bucket
	attributes string // absolute; for metadata stored in files
	copies     *metadataCopies
	sync       func(*os.File) error
	folders    folders
	placing    placing
	retention  retention
	pages      []byte // CORS rules for buckets that have none; may be nil
	created    func(context.Context, Object) error
	log        zerolog.Logger
}

// CreateBucket creates a bucket and syncs its directory.
func (d *durableStore) CreateBucket(ctx context.Context, in *s3.CreateBucketInput, acl []byte) error {
	if err := d.Posix.CreateBucket(ctx, in, acl); err != nil {
		return err
	}
	return errors.Join(
		d.syncUp(filepath.Join(d.objects, *in.Bucket), d.objects),
		d.syncAttributes(*in.Bucket, ""))
}

// CopyObject serves PUT with a copy source.
func (d *durableStore) CopyObject(ctx context.Context, in s3response.CopyObjectInput) (s3response.CopyObjectOutput, error) {
	defer d.retention.change(*in.Bucket, *in.Key)()
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

// DeleteObject removes an object and the directories that become empty.
func (d *durableStore) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	defer d.folders.remove()()
	defer d.retention.change(*in.Bucket, *in.Key)()
	done, err := d.copies.delete(*in.Bucket, *in.Key)
	if err != nil {
		return nil, err
	}
	out, err := d.Posix.DeleteObject(ctx, in)
	if ended := done(); err == nil {
		err = ended
	}
	return out, err
}

// DeleteObjects removes several objects.
func (d *durableStore) DeleteObjects(ctx context.Context, in *s3.DeleteObjectsInput) (out s3response.DeleteResult, err error) {
	defer d.folders.remove()()
	keys := make([]string, len(in.Delete.Objects))
	for i, object := range in.Delete.Objects {
		keys[i] = *object.Key
	}
	defer d.retention.change(*in.Bucket, keys...)()
	var ends []func() error
	for _, object := range in.Delete.Objects {
		done, markErr := d.copies.delete(*in.Bucket, *object.Key)
		if err = markErr; err != nil {
			break
		}
		ends = append(ends, done)
	}
	if err == nil {
		out, err = d.Posix.DeleteObjects(ctx, in)
	}
	for _, done := range ends {
		if ended := done(); err == nil {
			err = ended
		}
	}
	return out, err
}

// exists reports whether an object is stored. It returns true if this cannot be determined.
func (d *durableStore) exists(bucket, key string) bool {
	_, err := os.Lstat(d.pathOf(bucket, key))
	return !errors.Is(err, fs.ErrNotExist)
}

// DeleteBucket removes a bucket.
func (d *durableStore) DeleteBucket(ctx context.Context, bucket string) error {
	defer d.folders.remove()()
	done, err := d.copies.delete(bucket, "")
	if err != nil {
		return err
	}
	err = d.Posix.DeleteBucket(ctx, bucket)
	if ended := done(); err == nil {
		err = ended
	}
	return err
}

// finish syncs a stored object and then reports it. If the sync fails, the object is removed, so that
// a retry with If-None-Match sends the bytes again instead of failing because the object exists. If a
// concurrent request deletes the object, finish succeeds, as if the deletion had followed it.
func (d *durableStore) finish(ctx context.Context, bucket, key, etag string) error {
	info, err := d.persist(bucket, key)
	for try := 1; try < 3 && errors.Is(err, fs.ErrNotExist); try++ {
		if !d.exists(bucket, key) {
			return nil
		}
		info, err = d.persist(bucket, key) // the object was deleted and stored again
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
		d.log.Warn().Err(err).Str("bucket", bucket).Str("key", key).Msg("cannot send the notification of a stored object")
	}
	return nil
}

// persist stores the copy of an object's metadata and syncs it. The error is fs.ErrNotExist if the object was
// deleted meanwhile.
func (d *durableStore) persist(bucket, key string) (fs.FileInfo, error) {
	info, err := os.Stat(d.pathOf(bucket, key))
	if err == nil {
		err = d.copies.settle(bucket, key)
	}
	if err == nil {
		err = d.syncObject(bucket, key)
	}
	return info, err
}

// syncObject syncs an object's file with its extended attributes, the directories up to the bucket
// whose entries may not be on disk, and its metadata files. It joins the syncs of the directories
// before it syncs the file, so that concurrent uploads share them.
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
	for _, wait := range entries {
		err = errors.Join(err, wait())
	}
	return errors.Join(err, d.syncAttributes(bucket, key))
}

// syncAttributes syncs the metadata files of an object, or of the bucket if key is empty.
func (d *durableStore) syncAttributes(bucket, key string) error {
	// The gateway's name for the directory with the metadata files of one object.
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

// syncUp syncs path and every directory above it, up to and including top. Concurrent uploads share
// the syncs of their common directories.
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

// joinFolder joins the next sync of a directory, and returns a function that waits for it.
func (d *durableStore) joinFolder(path string) (wait func() error) {
	return d.folders.syncs.join(path, func() error { return d.syncOne(path) })
}

func (d *durableStore) syncOne(path string) error {
	file, err := openForSync(path)
	if err != nil || file == nil {
		return err
	}
	return errors.Join(d.sync(file), file.Close())
}

// openForSync opens a file or directory for syncing. It returns nil for a directory on Windows,
// which persists directory entries itself and cannot sync them.
func openForSync(path string) (*os.File, error) {
	if runtime.GOOS == "windows" {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil, err
		}
		return os.OpenFile(path, os.O_RDWR, 0)
	}
	for {
		// os.Open makes five more system calls, to register the file with the poller, which does
		// not support files.
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), path), nil
		case !errors.Is(err, syscall.EINTR):
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
