package jpegfile_test

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestEncode compares files with those of image/jpeg: of pictures of all kinds, with sides that are and are not multiples of
// a block, of a scene and of noise, and of all kinds of quality.
func TestEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {2, 3}, {8, 8}, {16, 16}, {17, 33}, {100, 75}, {255, 130}} {
		drawn := scene.New(size.X, size.Y, 1)
		noise := image.NewRGBA(image.Rectangle{Max: size})
		for i := range noise.Pix {
			noise.Pix[i] = byte(random.UintN(2) * 255)
			if i%4 == 3 {
				noise.Pix[i] = 255
			}
		}
		for _, source := range []image.Image{drawn, noise} {
			for name, m := range kinds(source) {
				for _, quality := range []int{1, 30, 50, 75, 85, 100} {
					var want bytes.Buffer
					if err := jpeg.Encode(&want, m, &jpeg.Options{Quality: quality}); err != nil {
						t.Fatal(err)
					}
					got, err := jpegfile.Encode(m, quality)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(got, want.Bytes()) {
						t.Errorf("%v, %s, quality %d: got %d bytes unlike the %d bytes of image/jpeg", size, name, quality, len(got), want.Len())
					}
				}
			}
		}
	}
}

// kinds returns m in all kinds of pictures that Encode supports.
func kinds(m image.Image) map[string]image.Image {
	rgba, gray := image.NewRGBA(m.Bounds()), image.NewGray(m.Bounds())
	draw.Draw(rgba, rgba.Rect, m, image.Point{}, draw.Src)
	draw.Draw(gray, gray.Rect, m, image.Point{}, draw.Src)
	all := map[string]image.Image{"RGBA": rgba, "gray": gray}
	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		planes := image.NewYCbCr(m.Bounds(), ratio)
		for i := range planes.Y {
			planes.Y[i] = rgba.Pix[4*i]
		}
		for i := range planes.Cb {
			planes.Cb[i], planes.Cr[i] = rgba.Pix[4*i+1], rgba.Pix[4*i+2]
		}
		all[ratio.String()] = planes
	}
	return all
}

func TestEncodeRefusesSizes(t *testing.T) {
	for _, m := range []image.Image{image.NewGray(image.Rect(0, 0, 0, 5)), image.NewGray(image.Rect(0, 0, 65536, 1))} {
		if _, err := jpegfile.Encode(m, 85); err == nil {
			t.Errorf("%v: got no error", m.Bounds())
		}
	}
}
