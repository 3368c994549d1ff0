// Package parts implements uploads of files in parts, which can be sent in any order, concurrently and repeatedly,
// so that an interrupted upload can be resumed. The client sends the parts to the bucket with presigned requests.
// The package opens the upload, signs the parts and joins them, for all areas.
//
// Only the bucket stores the state of an upload. The upload id is a token for the client, and the key of the
// object identifies the upload. The part size is derived from the file size.
package parts

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/receive"
)

const (
	// minPartSize is the size of parts in bytes, unless a file would then have more than blob.MaxParts of them.
	minPartSize = 16 << 20
	// sizeUnit is the unit to which larger part sizes are rounded, in bytes.
	sizeUnit = 1 << 20
	// signedFor is the lifetime of a presigned request for a part.
	signedFor = 15 * time.Minute
)

// Uploads manages the uploads in parts to a bucket. It is safe for concurrent use.
type Uploads struct {
	bucket *blob.Store
	expire time.Duration
	open   *bound
}

// New returns the manager of the uploads to a bucket.
func New(cfg receive.Config, bucket *blob.Store) *Uploads {
	return &Uploads{bucket: bucket, expire: cfg.ReservationExpires, open: &bound{limit: cfg.OpenUploads, list: bucket.OpenUploads}}
}

// File is the reserved file of an upload.
type File struct {
	Key         string
	Size        int64 // bytes
	ContentType string
	Created     time.Time
}

// partSize returns the size of each part except the last.
func (f File) partSize() int64 {
	least := (f.Size + blob.MaxParts - 1) / blob.MaxParts
	return max(minPartSize, (least+sizeUnit-1)/sizeUnit*sizeUnit)
}

// count returns the number of parts of the file.
func (f File) count() int32 { return int32((f.Size + f.partSize() - 1) / f.partSize()) }

// sizeOf returns the size of a part, or 0 if the file has no part with this number.
func (f File) sizeOf(number int32) int64 {
	if number < 1 || number > f.count() {
		return 0
	}
	return min(f.partSize(), f.Size-int64(number-1)*f.partSize())
}

// CheckReservation returns the problem of an invalid reservation: an upload in parts must not be empty and has no
// SHA-256, which S3 can verify only for single parts, and a file that is too large for one request requires parts.
func CheckReservation(inParts bool, size int64, sha256 string) error {
	switch {
	case !inParts && size > blob.MaxPut:
		return web.Invalid(web.FieldError{Field: "body.parts", Message: "must be true: a file above 5 GiB must be uploaded in parts"})
	case inParts && size == 0:
		return web.Invalid(web.FieldError{Field: "body.parts", Message: "must not be true for an empty file: upload it in one request"})
	case inParts && sha256 != "":
		return web.Invalid(web.FieldError{Field: "body.sha256", Message: "cannot be checked for an upload in parts: omit it; every part has a CRC-32"})
	}
	return nil
}

// Open opens the upload of a reserved file of an owner. For a repeated reservation, it returns the open upload, if any,
// or an upload without an id if the bytes are already stored. It returns *tooManyError if the limit is reached.
func (u *Uploads) Open(ctx context.Context, f File, owner string, repeated bool) (Reserved, error) {
	reserved := Reserved{PartSize: f.partSize(), PartCount: f.count(), ExpiresAt: f.Created.Add(u.expire).UTC().Truncate(time.Second)}
	if repeated {
		_, err := u.bucket.Head(ctx, f.Key)
		if !errors.Is(err, blob.ErrNotFound) {
			return reserved, err
		}
		open, _, err := u.bucket.OpenUploads(ctx, f.Key, "")
		if err != nil {
			return Reserved{}, err
		}
		if len(open) > 0 {
			reserved.UploadID = open[0].ID
			return reserved, nil
		}
	}
	err := u.open.enter(ctx, owner, f.Key)
	if err == nil {
		reserved.UploadID, err = u.bucket.OpenParts(ctx, f.Key, f.ContentType, upload.Metadata(ctx))
	}
	return reserved, err
}

// sign signs the upload of parts with these numbers and checksums. It returns blob.ErrNoUpload, or
// the problem of a number or a checksum.
func (u *Uploads) sign(ctx context.Context, f File, uploadID string, numbers []int32, crc32 []string) ([]Signed, error) {
	if err := check(f, numbers, crc32); err != nil {
		return nil, err
	}
	if _, err := u.bucket.Parts(ctx, f.Key, uploadID, 1); err != nil {
		return nil, err
	}
	signed := make([]Signed, len(numbers))
	for i, number := range numbers {
		request, err := u.bucket.PresignPart(ctx, f.Key, uploadID, blob.PartTerms{
			Number: number, Size: f.sizeOf(number), CRC32: crc32[i], Expires: signedFor,
		})
		if err != nil {
			return nil, err
		}
		signed[i] = Signed{Number: number, Method: request.Method, URL: request.URL, Headers: request.Headers, ExpiresAt: request.ExpiresAt}
	}
	return signed, nil
}

// check returns the problem with the parts to be signed, if any.
func check(f File, numbers []int32, crc32 []string) error {
	if len(crc32) != len(numbers) {
		return web.Invalid(web.FieldError{Field: "body.crc32", Message: fmt.Sprintf("has %d checksums for %d numbers; send one for each", len(crc32), len(numbers))})
	}
	var wrong []web.FieldError
	seen := map[int32]bool{}
	for i, number := range numbers {
		field := fmt.Sprintf("body.numbers[%d]", i)
		switch {
		case f.sizeOf(number) == 0:
			wrong = append(wrong, web.FieldError{Field: field, Message: fmt.Sprintf("is %d; the parts of this file are 1 to %d", number, f.count())})
		case seen[number]:
			wrong = append(wrong, web.FieldError{Field: field, Message: fmt.Sprintf("is %d, which is repeated; send each number once", number)})
		}
		seen[number] = true
		if sum, err := base64.StdEncoding.DecodeString(crc32[i]); err != nil || len(sum) != 4 {
			wrong = append(wrong, web.FieldError{Field: fmt.Sprintf("body.crc32[%d]", i), Message: "is not the CRC-32 of the part: 4 bytes, big endian, in base64"})
		}
	}
	if len(wrong) > 0 {
		return web.Invalid(wrong...)
	}
	return nil
}

const (
	// joinTries is the maximum number of times that parts are listed and joined while the client replaces them.
	joinTries = 3
	// joinWait is the maximum wait for the object while versitygw joins the parts for an earlier call. versitygw
	// does not list the upload during that time. joinPause is the time between checks.
	joinWait  = 5 * time.Second
	joinPause = 100 * time.Millisecond
)

// Complete joins the parts of an upload. It may be called again, even during the join: an existing object is not an
// error. It returns blob.ErrNoUpload, errJoining, or *missingError.
func (u *Uploads) Complete(ctx context.Context, f File, uploadID string) error {
	err := u.join(ctx, f, uploadID)
	for try := 1; errors.Is(err, blob.ErrParts) && try < joinTries; try++ {
		err = u.join(ctx, f, uploadID)
	}
	switch {
	case errors.Is(err, blob.ErrExists): // another upload for the same reservation has finished
		return u.Abort(ctx, f.Key)
	case errors.Is(err, blob.ErrNoUpload):
		return u.awaitObject(ctx, f, err)
	case err == nil: // the server may accept a repeated request while it joins the parts
		return u.awaitObject(ctx, f, errJoining)
	}
	return err
}

// awaitObject waits until the object exists. It returns absent if the object does not appear in time.
func (u *Uploads) awaitObject(ctx context.Context, f File, absent error) error {
	for deadline := time.Now().Add(joinWait); ; {
		_, err := u.bucket.Head(ctx, f.Key)
		if !errors.Is(err, blob.ErrNotFound) {
			return err
		}
		if time.Now().After(deadline) {
			return absent
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(joinPause):
		}
	}
}

func (u *Uploads) join(ctx context.Context, f File, uploadID string) error {
	stored, err := u.bucket.Parts(ctx, f.Key, uploadID, 0)
	if err != nil {
		return err
	}
	byNumber := map[int32]blob.StoredPart{}
	for _, part := range stored {
		byNumber[part.Number] = part
	}
	parts := make([]blob.StoredPart, 0, f.count())
	missing := &missingError{}
	for number := int32(1); number <= f.count(); number++ {
		part, ok := byNumber[number]
		if !ok || part.Size != f.sizeOf(number) || part.CRC32 == "" {
			missing.numbers = append(missing.numbers, number)
		}
		parts = append(parts, part)
	}
	if len(missing.numbers) > 0 {
		return missing
	}
	return u.bucket.CompleteParts(ctx, f.Key, uploadID, parts, f.Size)
}

// Abort aborts the open uploads of an object and deletes their parts.
func (u *Uploads) Abort(ctx context.Context, key string) error { return u.bucket.AbortAll(ctx, key) }
