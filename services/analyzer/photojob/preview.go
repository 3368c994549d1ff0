package photojob

import (
	"bytes"
	"context"
	"errors"
	"image"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob"
)

// previewSide is the length of the longer side of a preview, in pixels.
const previewSide = 1200

// storePreviews stores small pictures of the edited and the uploaded photo for web pages: browsers do not
// display HEIC, and the upload is deleted before the result. A photo that cannot be drawn has no preview.
func (e *editing) storePreviews(ctx context.Context, finalKey string, edited []byte) error {
	for key, photo := range map[string][]byte{photojob.PreviewKey(finalKey): edited, photojob.OriginalPreviewKey(finalKey): e.photo} {
		preview, format, err := e.preview(ctx, photo)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			e.log.Warn().Err(err).Str("jobId", e.job.JobID).Str("key", key).Msg("cannot draw the preview of a photo")
			continue
		}
		_, err = e.final.Put(ctx, key, format.MediaType(), nil, bytes.NewReader(preview))
		if err != nil && !errors.Is(err, blob.ErrExists) { // a previous attempt stored it
			return err
		}
	}
	return nil
}

// preview returns a small copy of a photo as JPEG, or as PNG if it has transparent pixels.
func (e *editing) preview(ctx context.Context, photo []byte) ([]byte, pixels.Format, error) {
	limits := pixels.Default
	limits.Tolerant, limits.Box = e.job.Options.Tolerant, image.Pt(previewSide, previewSide)
	p, release, err := e.decoder.Decode(ctx, photo, limits)
	if err != nil {
		return nil, "", err
	}
	defer release()
	p.Fit(previewSide, previewSide)
	format := pixels.JPEG
	if !p.Opaque() {
		format = pixels.PNG
	}
	preview, err := p.Encode(pixels.Encoding{Format: format})
	return preview, format, err
}
