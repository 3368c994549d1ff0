package blob

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

const (
	// MinPart is the minimum size in bytes of a part other than the last.
	MinPart = 5 << 20
	// MaxParts is the maximum number of parts of an upload, which is the limit of S3.
	MaxParts = 10_000
	// MaxPut is the maximum size in bytes of an object that S3 accepts in one request.
	MaxPut = 5 << 30
)

var (
	// ErrNoUpload means that an upload in parts is not open: it was completed or aborted, or
	// belongs to another object.
	ErrNoUpload = errors.New("the upload is not open")
	// ErrParts means that the stored parts of an upload differ from the parts to join.
	ErrParts = errors.New("the stored parts differ")
)

// OpenUpload is an upload in parts that was neither completed nor aborted.
type OpenUpload struct {
	Key       string
	ID        string
	Initiated time.Time // with versitygw, the time of the last part
}

// StoredPart is a part stored on the server.
type StoredPart struct {
	Number int32
	Size   int64  // bytes
	CRC32  string // base64; empty if the part was stored without one
	ETag   string // without quotes
}

// PartTerms are the constraints on a presigned part. All of them are signed.
type PartTerms struct {
	Number  int32
	Size    int64         // exact size in bytes
	CRC32   string        // base64 of 4 bytes, big endian
	Expires time.Duration // lifetime of the URL
}

// OpenParts opens an upload in parts. All parts must have a CRC-32.
func (s *Store) OpenParts(ctx context.Context, key, contentType string, metadata map[string]string) (id string, err error) {
	out, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &s.Bucket, Key: &key, ContentType: &contentType, Metadata: metadata, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return "", translate("put", key, err)
	}
	return aws.ToString(out.UploadId), nil
}

// PresignPart signs the upload of one part of an open upload. Another upload of the same part replaces it.
func (s *Store) PresignPart(ctx context.Context, key, id string, terms PartTerms) (Presigned, error) {
	signed, err := s.presign.PresignUploadPart(ctx, &s3.UploadPartInput{
		Bucket: &s.Bucket, Key: &key, UploadId: &id, PartNumber: &terms.Number, ContentLength: &terms.Size, ChecksumCRC32: &terms.CRC32,
	}, s3.WithPresignExpires(terms.Expires))
	if err != nil {
		return Presigned{}, fmt.Errorf("presign part %d of %s: %w", terms.Number, key, err)
	}
	return presigned(signed, terms.Expires), nil
}

// Parts returns up to limit stored parts of an open upload, ordered by number. A limit of 0 means all. It returns
// ErrNoUpload if the upload is not open.
func (s *Store) Parts(ctx context.Context, key, id string, limit int) ([]StoredPart, error) {
	var parts []StoredPart
	in := &s3.ListPartsInput{Bucket: &s.Bucket, Key: &key, UploadId: &id}
	if limit > 0 {
		in.MaxParts = aws.Int32(int32(min(limit, PageLimit)))
	}
	for {
		out, err := s.client.ListParts(ctx, in)
		if err != nil {
			return nil, partsError("list the parts of", key, err)
		}
		for _, p := range out.Parts {
			parts = append(parts, StoredPart{
				Number: aws.ToInt32(p.PartNumber), Size: aws.ToInt64(p.Size), CRC32: aws.ToString(p.ChecksumCRC32), ETag: unquote(p.ETag),
			})
		}
		if !aws.ToBool(out.IsTruncated) || limit > 0 && len(parts) >= limit || len(out.Parts) == 0 {
			return parts, nil
		}
		in.PartNumberMarker = aws.String(strconv.Itoa(int(parts[len(parts)-1].Number)))
	}
}

// OpenUploads returns up to PageLimit open uploads of objects whose keys begin with prefix and sort after the key
// after, in key order; after is empty for the first page. more reports whether more objects follow. If the
// uploads of one object do not fit on a page, the rest is omitted, because versitygw rejects an upload id as a
// marker.
func (s *Store) OpenUploads(ctx context.Context, prefix, after string) (uploads []OpenUpload, more bool, err error) {
	in := &s3.ListMultipartUploadsInput{Bucket: &s.Bucket, Prefix: &prefix, MaxUploads: aws.Int32(PageLimit)}
	if after != "" {
		in.KeyMarker = &after
	}
	out, err := s.client.ListMultipartUploads(ctx, in)
	if err != nil {
		return nil, false, translate("list the uploads of", prefix, err)
	}
	for _, u := range out.Uploads {
		uploads = append(uploads, OpenUpload{Key: aws.ToString(u.Key), ID: aws.ToString(u.UploadId), Initiated: aws.ToTime(u.Initiated)})
	}
	return uploads, aws.ToBool(out.IsTruncated) && len(uploads) > 0, nil
}

// CompleteParts joins the parts of an open upload into an object of size bytes. It never replaces an object. It
// returns ErrExists if the object exists, ErrNoUpload if the upload is not open, and ErrParts if a part was
// replaced after it was listed.
func (s *Store) CompleteParts(ctx context.Context, key, id string, parts []StoredPart, size int64) error {
	joined := make([]types.CompletedPart, len(parts))
	for i, p := range parts {
		joined[i] = types.CompletedPart{PartNumber: aws.Int32(p.Number), ETag: quote(p.ETag)}
		if p.CRC32 != "" {
			joined[i].ChecksumCRC32 = &p.CRC32
		}
	}
	_, err := s.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &s.Bucket, Key: &key, UploadId: &id, IfNoneMatch: aws.String("*"), MpuObjectSize: &size,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: joined},
	})
	return partsError("put", key, err)
}

// AbortParts removes an open upload and its parts. It is not an error if the upload is not open.
func (s *Store) AbortParts(ctx context.Context, key, id string) error {
	_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &s.Bucket, Key: &key, UploadId: &id})
	if err = translate("abort the upload of", key, err); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// AbortAll removes the open uploads of the objects whose keys begin with prefix.
func (s *Store) AbortAll(ctx context.Context, prefix string) error {
	for {
		uploads, more, err := s.OpenUploads(ctx, prefix, "")
		if err != nil {
			return err
		}
		for _, u := range uploads {
			if err := s.AbortParts(ctx, u.Key, u.ID); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// partsError is like translate, for calls on an open upload.
func partsError(call, key string, err error) error {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		switch api.ErrorCode() {
		case "NoSuchUpload":
			return fmt.Errorf("%s %s: %w", call, key, ErrNoUpload)
		case "InvalidPart", "InvalidPartOrder", "EntityTooSmall":
			return fmt.Errorf("%s %s: %w: %w", call, key, ErrParts, err)
		}
	}
	return translate(call, key, err)
}
