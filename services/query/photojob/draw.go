package photojob

import (
	"cmp"
	"context"
	"image"
	"strings"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob/rendition"
)

// drawVersion changes whenever the result of the same rendition of the same photo changes.
const drawVersion = "1"

// maxBytes is the maximum size of a photo that is drawn: a result without compression losses can be larger than an
// upload.
const maxBytes = 128 << 20

// draw draws the rendition of an encoded photo within the memory of the decoder. It returns the errors of the decoder.
func draw(ctx context.Context, decoder *pixels.Decoder, photo []byte, r rendition.Rendition) ([]byte, error) {
	encoding := pixels.Encoding{Format: pixels.Format(r.Format), Quality: r.Quality}
	limits := pixels.Default
	limits.Bytes, limits.Shortest = maxBytes, 1
	info, err := pixels.Inspect(photo, limits)
	if err != nil {
		return nil, err
	}
	limits.Beside = encoding.Memory(min(info.Width, rendition.MaxSide), min(info.Height, rendition.MaxSide))
	picture, release, err := decoder.Decode(ctx, photo, limits)
	if err != nil {
		return nil, err
	}
	defer release()
	picture.Crop(kept(r, picture.Width(), picture.Height()))
	picture.Fit(cmp.Or(r.Width, rendition.MaxSide), cmp.Or(r.Height, rendition.MaxSide))
	return picture.Encode(encoding)
}

// kept returns the part of a photo that the rendition shows.
func kept(r rendition.Rendition, width, height int) image.Rectangle {
	all := image.Rect(0, 0, width, height)
	w, h := r.Shape()
	if w == 0 {
		return all
	}
	size := image.Pt(width, max(1, (width*h+w/2)/w))
	if size.Y > height {
		size = image.Pt(min(width, max(1, (height*w+h/2)/h)), height)
	}
	at := image.Pt((width-size.X)/2, (height-size.Y)/2)
	gravity := string(r.Gravity)
	if strings.HasPrefix(gravity, "north") {
		at.Y = 0
	}
	if strings.HasPrefix(gravity, "south") {
		at.Y = height - size.Y
	}
	if strings.HasSuffix(gravity, "west") {
		at.X = 0
	}
	if strings.HasSuffix(gravity, "east") {
		at.X = width - size.X
	}
	return image.Rectangle{Min: at, Max: at.Add(size)}
}
