package photojob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

// fetch reads an upload and checks, without decoding it, that it is a photo within the limits. Its content determines
// its type, whatever type the client declared. If it is not a photo, or if the upload was deleted, the error is
// permanent.
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
	if errors.Is(err, pixels.ErrFormat) {
		err = fmt.Errorf("%w: %w", reason.PhotoFormat.Fill(job.FileType, extract.Detect(photo, "").MediaType), err)
	}
	if err != nil {
		return nil, "", permanent(cmp.Or(provider.PictureCode(err), photojob.CodeImageUnreadable), err)
	}
	return photo, info.Format.MediaType(), nil
}
