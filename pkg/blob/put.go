package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// abortWait limits the time to remove the parts of a failed upload.
const abortWait = 30 * time.Second

// Put streams a body of unknown length into the bucket. A body of more than 5 MiB is uploaded
// sequentially in parts of that size, so an upload of any size buffers at most two of them: the
// one being sent and the one being read. A failed upload, including one whose body fails, leaves
// no object. Put returns the object as Head would, except that Modified is taken from the clock of
// this process. It returns ErrExists if the key exists.
func (s *Store) Put(ctx context.Context, key, contentType string, metadata map[string]string, body io.Reader) (Object, error) {
	stored := func(etag *string, size int64) Object {
		return Object{Bucket: s.Bucket, Key: key, ETag: unquote(etag), Size: size, ContentType: contentType, Modified: time.Now(), Metadata: metadata}
	}
	first := &part{from: s.pieces}
	defer first.free()
	whole, err := first.fill(body)
	if err != nil {
		return Object{}, fmt.Errorf("put %s: %w", key, err)
	}
	if whole {
		out, err := s.client.PutObject(ctx, &s3.PutObjectInput{
			Bucket: &s.Bucket, Key: &key, Body: first, ContentType: &contentType, Metadata: metadata,
			IfNoneMatch: aws.String("*"), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
		})
		if err != nil {
			return Object{}, translate("put", key, err)
		}
		return stored(out.ETag, first.size), nil
	}
	id, err := s.OpenParts(ctx, key, contentType, metadata)
	if err != nil {
		return Object{}, err
	}
	upload := &upload{store: s, key: key, id: &id}
	etag, err := upload.send(ctx, first, body)
	if err != nil {
		return Object{}, errors.Join(translate("put", key, err), upload.abort(ctx))
	}
	return stored(etag, upload.size), nil
}

// upload is a multipart upload.
type upload struct {
	store *Store
	key   string
	id    *string
	sent  []types.CompletedPart
	size  int64 // bytes sent so far
}

// send uploads the first part and the remaining parts of body, and completes the upload.
func (u *upload) send(ctx context.Context, first *part, body io.Reader) (etag *string, err error) {
	second := &part{from: u.store.pieces}
	defer second.free()
	sending, filling := first, second
	for last := false; sending.size > 0; sending, filling = filling, sending {
		failed := make(chan error, 1)
		go func() { failed <- u.part(ctx, sending) }()
		if last {
			filling.size = 0
		} else {
			last, err = filling.fill(body)
		}
		if sent := <-failed; sent != nil {
			return nil, sent
		}
		if err != nil {
			return nil, err
		}
	}
	out, err := u.store.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &u.store.Bucket, Key: &u.key, UploadId: u.id, IfNoneMatch: aws.String("*"),
		MultipartUpload: &types.CompletedMultipartUpload{Parts: u.sent},
	})
	if err != nil {
		return nil, err
	}
	return out.ETag, nil
}

func (u *upload) part(ctx context.Context, p *part) error {
	number := int32(len(u.sent) + 1)
	if number > MaxParts { // 48.8 GiB
		return fmt.Errorf("the upload exceeds %d parts of %d bytes", MaxParts, partSize)
	}
	out, err := u.store.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &u.store.Bucket, Key: &u.key, UploadId: u.id, PartNumber: &number, Body: p, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return err
	}
	u.sent = append(u.sent, types.CompletedPart{PartNumber: &number, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32})
	u.size += p.size
	return nil
}

// abort removes the uploaded parts, even if the caller's context is done.
func (u *upload) abort(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortWait)
	defer cancel()
	return u.store.AbortParts(ctx, u.key, *u.id)
}
