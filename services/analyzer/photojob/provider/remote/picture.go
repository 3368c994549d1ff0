package remote

import (
	"cmp"
	"context"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

const enhancePrompt = "Enhance this photo: correct exposure, white balance and sharpness. Change nothing else."

// Prompt returns the prompt of a call, or a default prompt that enhances the photo.
func Prompt(c provider.Call) string { return cmp.Or(c.Prompt, enhancePrompt) }

// MaxPicture is the maximum size of a picture in a response, in bytes.
const MaxPicture = 30_000_000

// Prepared returns a photo in the form in which it is sent to a service: upright, without metadata
// except for the color profile, and within the service's limits. It is a JPEG, or a PNG if it has
// transparency and a PNG is small enough. The remarks state what decoding lost.
func Prepared(ctx context.Context, decoder *pixels.Decoder, photo []byte, l provider.Limits, o provider.Options) (prepared []byte, mediaType string, remarks []string, err error) {
	limits := pixels.Default
	limits.Tolerant, limits.SRGB = o.Tolerant, o.Colors == "srgb"
	picture, release, err := decoder.Decode(ctx, photo, limits)
	if err != nil {
		return nil, "", nil, err
	}
	defer release()
	encodings := []pixels.Encoding{{Format: pixels.JPEG, Quality: 85}, {Format: pixels.JPEG, Quality: 70}}
	if !picture.Opaque() {
		encodings = append([]pixels.Encoding{{Format: pixels.PNG}}, encodings...)
	}
	for longest := l.Longest; longest >= 256; longest = longest * 3 / 4 {
		picture.Fit(longest, longest)
		for _, encoding := range encodings {
			if prepared, err = picture.Encode(encoding); err != nil {
				return nil, "", nil, err
			}
			if int64(len(prepared)) <= l.Bytes {
				return prepared, encoding.Format.MediaType(), picture.Remarks, nil
			}
		}
	}
	return nil, "", nil, pixels.ErrTooLarge.With(reason.EncodingLimit, l.Bytes)
}

// Edited decodes the picture of a response, which must be within the limits of photos. Its content determines its
// format, whatever media type the service declares: the call is billed, and the picture is encoded again in the format
// and size of the call, so that only its pixels are used.
func Edited(ctx context.Context, decoder *pixels.Decoder, r Response, data []byte, c provider.Call) (provider.Edited, error) {
	encoding := pixels.Encoding{Format: pixels.Format(c.Options.Format), Quality: c.Options.Quality}
	if encoding.Format == "" {
		if encoding.Format = pixels.Sniff(c.Image); encoding.Format != pixels.PNG {
			encoding.Format = pixels.JPEG
		}
	}
	limits := pixels.Default
	limits.Bytes, limits.Encodings = MaxPicture, []pixels.Encoding{encoding}
	picture, release, err := decoder.Decode(ctx, data, limits)
	if err != nil {
		if ctx.Err() != nil {
			return provider.Edited{}, context.Cause(ctx)
		}
		if provider.PictureCode(err) != "" {
			return provider.Edited{}, Bad(r, "%w", err)
		}
		return provider.Edited{}, err
	}
	defer release()
	picture.Fit(c.Options.Width, c.Options.Height)
	out, err := picture.Encode(encoding)
	if err != nil {
		return provider.Edited{}, err
	}
	return provider.Edited{Image: out, Format: string(encoding.Format), Width: picture.Width(), Height: picture.Height()}, nil
}
