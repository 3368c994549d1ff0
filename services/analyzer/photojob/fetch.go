package photojob

import (
	"context"
	"errors"
	"io"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/reason"
)

// fetch reads an upload and checks, without decoding it, that it is a photo of the declared type
// within the limits. If it is not, or if the upload was deleted, the error is permanent.
func (s steps) fetch(ctx context.Context, job photojob.Job, etag string) (photo []byte, mediaType string, err error) {
	body, err := s.temp.Open(ctx, job.S3TempKey, etag)
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return nil, "", permanent(photojob.CodeUploadMismatch, reason.UploadGone)
	}
	if err != nil {
		return nil, "", err
	}
	defer body.Close()
	photo, err = io.ReadAll(io.LimitReader(body, job.FileSize+1))
	if err != nil {
		return nil, "", err
	}
	if int64(len(photo)) != job.FileSize {
		return nil, "", permanent(photojob.CodeUploadMismatch, reason.OtherSize.Fill(job.FileSize))
	}
	info, err := pixels.Inspect(photo, pixels.Default)
	if err != nil {
		return nil, "", judged(err)
	}
	declared := job.FileType
	if declared == "image/heif" {
		declared = pixels.HEIC.MediaType()
	}
	if mediaType = info.Format.MediaType(); mediaType != declared {
		return nil, "", permanent(photojob.CodeUploadMismatch, reason.OtherType.Fill(mediaType, job.FileType))
	}
	return photo, mediaType, nil
}

// judged adds an error code to an error of package pixels.
func judged(err error) error {
	code := photojob.CodeImageUnreadable
	switch {
	case errors.Is(err, pixels.ErrTooLarge):
		code = photojob.CodeImageTooLarge
	case errors.Is(err, pixels.ErrFormat), errors.Is(err, pixels.ErrTooSmall):
		code = photojob.CodeUnsupportedFormat
	}
	return permanent(code, err)
}
