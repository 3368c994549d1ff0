package embedded

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/s3response"
)

// CompleteMultipartUpload joins the parts.
func (d *durableStore) CompleteMultipartUpload(ctx context.Context, in *s3.CompleteMultipartUploadInput) (s3response.CompleteMultipartUploadResult, string, error) {
	c := &completion{meta: d.meta, bucket: *in.Bucket}
	if in.MultipartUpload != nil {
		c.parts = in.MultipartUpload.Parts
	}
	if in.Key != nil {
		defer d.retention.change(*in.Bucket, *in.Key)()
	}
	if in.Key != nil && in.UploadId != nil {
		done, alone := d.placing.complete(path.Join(*in.Bucket, uploadDir(*in.Key, *in.UploadId)))
		defer done()
		c.copies = !alone
	}
	out, version, err := d.Posix.CompleteMultipartUploadWithCopy(ctx, in, c.add)
	if err != nil {
		if c.failed != nil {
			err = c.failed
		}
		return out, version, err
	}
	etag := ""
	if out.ETag != nil {
		etag = *out.ETag
	}
	return out, version, d.finish(ctx, *in.Bucket, *in.Key, etag)
}

// completion is one request to complete an upload.
type completion struct {
	meta   meta.MetadataStorer
	bucket string
	parts  []types.CompletedPart
	copies bool // the parts are copied to the new file
	taken  bool // the file of the upload has become the object
	failed error
}

// add adds a part to the new file of the object. After an error it closes from, because the gateway would
// otherwise copy the file of the part, which may have no bytes.
func (c *completion) add(from, to *os.File) (repeatable bool, err error) {
	if !c.taken && !c.copies {
		c.taken, err = c.take(filepath.Dir(from.Name()), to)
		c.copies = !c.taken
	}
	if err == nil && c.copies {
		err = c.copy(from, to)
	}
	if err != nil {
		c.failed = errors.Join(c.failed, err)
		err = errors.Join(err, from.Close())
	}
	return true, err
}

// take turns the upload's file for parts of the first part's size into the object. It returns false unless the
// parts have consecutive numbers and equal sizes, except for a smaller last part. dir is the directory of the upload.
func (c *completion) take(dir string, to *os.File) (taken bool, err error) {
	sizes := make([]int64, len(c.parts))
	total := int64(0)
	for i, part := range c.parts {
		info, err := os.Lstat(filepath.Join(dir, strconv.Itoa(int(*part.PartNumber))))
		if err != nil {
			return false, err
		}
		sizes[i] = info.Size()
		total += sizes[i]
		if *part.PartNumber != int32(i+1) || sizes[i] > sizes[0] || i > 0 && sizes[i-1] != sizes[0] {
			return false, nil
		}
	}
	file, err := os.OpenFile(filepath.Join(dir, placedName(sizes[0])), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if info, err := file.Stat(); err != nil || linksOf(info) > 1 || info.Size() > total {
		return false, err
	}
	for i, size := range sizes {
		if err := c.put(dir, i+1, size == sizes[0], file, placedAt(int32(i+1), sizes[0])); err != nil {
			return false, err
		}
	}
	now, err := to.Stat()
	if err == nil {
		err = file.Chmod(now.Mode().Perm())
	}
	if err != nil {
		return false, err
	}
	return replace(to, file)
}

// put copies a part to its place in the file of the upload, unless it is already there.
func (c *completion) put(dir string, number int, fits bool, to *os.File, at int64) (err error) {
	from, err := os.Open(filepath.Join(dir, strconv.Itoa(number)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	placed, err := c.placed(from)
	if err != nil || placed && fits {
		return err
	}
	if _, err := to.Seek(at, io.SeekStart); err != nil {
		return err
	}
	return c.copy(from, to)
}

// copy copies the bytes of a part to the current offset of a file.
func (c *completion) copy(from, to *os.File) (err error) {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	placed, err := c.placed(from)
	if err != nil {
		return err
	}
	if !placed {
		_, err = io.CopyN(to, from, info.Size())
		return err
	}
	number, err := strconv.Atoi(filepath.Base(from.Name()))
	if err != nil {
		return err
	}
	source, err := os.Open(filepath.Join(filepath.Dir(from.Name()), placedName(info.Size())))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if _, err = source.Seek(placedAt(int32(number), info.Size()), io.SeekStart); err == nil {
		_, err = io.CopyN(to, source, info.Size())
	}
	return err
}

// placed reports whether the bytes of a part are in the file of its upload.
func (c *completion) placed(part *os.File) (bool, error) {
	_, err := c.meta.RetrieveAttribute(part, c.bucket, "", placedAttribute)
	if errors.Is(err, meta.ErrNoSuchKey) {
		return false, nil
	}
	return err == nil, err
}
