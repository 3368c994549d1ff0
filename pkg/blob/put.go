package blob

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	transfer "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	// partSize is the buffer of a streamed upload, the least that S3 takes as a
	// part. With 10,000 parts it bounds a streamed upload to 48.8 GiB.
	partSize = 5 << 20
	// smallSize is up to where an object goes in one request from a buffer of
	// its own size: a part's buffer would cost more than the upload.
	smallSize = 64 << 10
	// usualSize is what that buffer begins with.
	usualSize = 4 << 10
)

// Put streams body into the bucket without knowing its length beforehand; a
// larger one goes in parts of 5 MiB, one after the other, so that an upload of
// any size holds few buffers. A failed upload, also one whose body fails,
// leaves no object. It returns ErrExists, or the object as Head would, but for the
// time, which is that of this process.
func (s *Store) Put(ctx context.Context, key, contentType string, metadata map[string]string, body io.Reader) (Object, error) {
	stored := func(etag *string, size int64) Object {
		return Object{Key: key, ETag: unquote(etag), Size: size, ContentType: contentType, Modified: time.Now(), Metadata: metadata}
	}
	var head bytes.Buffer
	head.Grow(usualSize + bytes.MinRead)
	size, err := io.Copy(&head, io.LimitReader(body, smallSize+1))
	if err != nil {
		return Object{}, fmt.Errorf("put %s: %w", key, err)
	}
	if size <= smallSize {
		out, err := s.client.PutObject(ctx, &s3.PutObjectInput{
			Bucket: &s.Bucket, Key: &key, Body: bytes.NewReader(head.Bytes()), ContentType: &contentType, Metadata: metadata,
			IfNoneMatch: aws.String("*"), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		})
		if err != nil {
			return Object{}, translate("put", key, err)
		}
		return stored(out.ETag, size), nil
	}
	uploads := transfermanager.New(s.client, func(o *transfermanager.Options) {
		o.PartSizeBytes, o.MultipartUploadThreshold, o.Concurrency = partSize, partSize, 1
	})
	counted := &counter{Reader: io.MultiReader(&head, body)}
	out, err := uploads.UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: &s.Bucket, Key: &key, Body: counted, ContentType: &contentType, Metadata: metadata,
		IfNoneMatch: aws.String("*"), ChecksumAlgorithm: transfer.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return Object{}, translate("put", key, err)
	}
	return stored(out.ETag, counted.read), nil
}

type counter struct {
	io.Reader
	read int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	return n, err
}
