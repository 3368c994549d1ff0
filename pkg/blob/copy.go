package blob

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	// maxCopy is the largest object in bytes that S3 copies in one request.
	maxCopy = 5 << 30
	// copyPart is the part size for larger objects. S3 accepts 10,000 parts and objects of up to 5
	// TiB.
	copyPart = 1 << 30
)

// Copy describes the source of a server-side copy and the changes to it.
type Copy struct {
	Bucket string // bucket of the source; default: the target bucket
	Key    string
	ETag   string // entity tag that the source must have; empty for any

	// ContentType and Metadata are copied from the source if both are empty.
	ContentType string
	Metadata    map[string]string

	// IfAbsent makes the copy fail if key exists. It costs two more requests.
	IfAbsent bool
	// PartSize is the size in bytes, at least 5 MiB, above which an object is copied in parts of
	// that size. By default, objects above 5 GiB are copied in parts of 1 GiB.
	PartSize int64
}

// In returns the store of another bucket of the same server.
func (s *Store) In(bucket string) *Store {
	other := *s
	other.Bucket = bucket
	return &other
}

// Copy copies an object within the server, to key in this bucket. It returns ErrNotFound if the
// source does not exist, ErrChanged if it has another entity tag or is replaced during the copy,
// and, with IfAbsent, ErrExists if the key exists.
func (s *Store) Copy(ctx context.Context, key string, c Copy) (Object, error) {
	if c.Bucket == "" {
		c.Bucket = s.Bucket
	}
	source, err := s.In(c.Bucket).Head(ctx, c.Key)
	if err != nil {
		return Object{}, err
	}
	if c.ETag != "" && c.ETag != source.ETag {
		return Object{}, fmt.Errorf("copy %s: %w", c.Key, ErrChanged)
	}
	replace := c.ContentType != "" || c.Metadata != nil
	made := Object{Key: key, Size: source.Size, ContentType: source.ContentType, Metadata: source.Metadata, Modified: time.Now()}
	if replace {
		made.ContentType, made.Metadata = c.ContentType, c.Metadata
	}
	largest, part := int64(maxCopy), int64(copyPart)
	if c.PartSize > 0 {
		largest, part = c.PartSize, c.PartSize
	}
	if source.Size > largest || c.IfAbsent {
		made.ETag, err = s.copyParts(ctx, made, c, source, part)
		return made, err
	}
	in := &s3.CopyObjectInput{
		Bucket: &s.Bucket, Key: &key, CopySource: copySource(c), CopySourceIfMatch: quote(source.ETag),
		MetadataDirective: types.MetadataDirectiveCopy,
	}
	if replace {
		in.MetadataDirective, in.Metadata = types.MetadataDirectiveReplace, c.Metadata
		if c.ContentType != "" {
			in.ContentType = &c.ContentType
		}
	}
	out, err := s.client.CopyObject(ctx, in)
	if err != nil {
		return Object{}, translate("copy", c.Key, err)
	}
	made.ETag = unquote(out.CopyObjectResult.ETag)
	return made, nil
}

// copyParts creates the object with a multipart upload whose parts the server copies. Completing a
// multipart upload is the only call that all servers support conditionally: some ignore the
// condition of CopyObject.
func (s *Store) copyParts(ctx context.Context, made Object, c Copy, source Object, size int64) (etag string, err error) {
	create := &s3.CreateMultipartUploadInput{Bucket: &s.Bucket, Key: &made.Key, Metadata: made.Metadata}
	if made.ContentType != "" {
		create.ContentType = &made.ContentType
	}
	begun, err := s.client.CreateMultipartUpload(ctx, create)
	if err != nil {
		return "", translate("copy", made.Key, err)
	}
	u := &upload{store: s, key: made.Key, id: begun.UploadId}
	for from := int64(0); from == 0 || from < source.Size; from += size {
		number := int32(len(u.sent) + 1)
		in := &s3.UploadPartCopyInput{
			Bucket: &s.Bucket, Key: &made.Key, UploadId: u.id, PartNumber: &number,
			CopySource: copySource(c), CopySourceIfMatch: quote(source.ETag),
		}
		if source.Size > size { // S3 has no range for an empty object
			in.CopySourceRange = aws.String(fmt.Sprintf("bytes=%d-%d", from, min(from+size, source.Size)-1))
		}
		out, err := s.client.UploadPartCopy(ctx, in)
		if err != nil {
			return "", errors.Join(translate("copy", c.Key, err), u.abort(ctx))
		}
		u.sent = append(u.sent, types.CompletedPart{PartNumber: &number, ETag: out.CopyPartResult.ETag})
	}
	join := &s3.CompleteMultipartUploadInput{
		Bucket: &s.Bucket, Key: &made.Key, UploadId: u.id, MultipartUpload: &types.CompletedMultipartUpload{Parts: u.sent},
	}
	if c.IfAbsent {
		join.IfNoneMatch = aws.String("*")
	}
	out, err := s.client.CompleteMultipartUpload(ctx, join)
	if err != nil {
		return "", errors.Join(translate("put", made.Key, err), u.abort(ctx))
	}
	return unquote(out.ETag), nil
}

// copySource returns the value of the header that names a source. The SDK does not encode it.
func copySource(c Copy) *string {
	parts := strings.Split(c.Bucket+"/"+c.Key, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), "+", "%2B")
	}
	return aws.String(strings.Join(parts, "/"))
}

func quote(etag string) *string { return aws.String(`"` + etag + `"`) }
