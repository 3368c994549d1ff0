package jpegfile_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestDecodeReduced compares a reduced frame with the means of the samples of the whole frame.
func TestDecodeReduced(t *testing.T) {
	const width, height = 203, 150
	var data bytes.Buffer
	if err := jpeg.Encode(&data, scene.New(width, height, 1), &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	whole, err := jpegfile.Decode(t.Context(), data.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	full := whole.Image().(*image.YCbCr)
	for _, divisor := range []int{1, 2, 4, 8} {
		frame, err := jpegfile.DecodeReduced(t.Context(), data.Bytes(), divisor)
		if err != nil {
			t.Fatal(err)
		}
		small := frame.Image().(*image.YCbCr)
		size := small.Rect.Size()
		if want := image.Pt((width+divisor-1)/divisor, (height+divisor-1)/divisor); size != want || frame.Read != 1 {
			t.Fatalf("1/%d: got %v and share %v, want %v and 1", divisor, size, frame.Read, want)
		}
		sum, most := 0, 0
		for y := range height / divisor {
			for x := range width / divisor {
				d := int(small.Y[small.YOffset(x, y)]) - mean(full, x*divisor, y*divisor, divisor)
				sum, most = sum+max(d, -d), max(most, d, -d)
			}
		}
		if average := float64(sum) / float64((width/divisor)*(height/divisor)); average > 1.5 || divisor == 8 && most > 1 {
			t.Errorf("1/%d: the samples differ by %.2f on average and by at most %d from the means", divisor, average, most)
		}
	}
}

func mean(m *image.YCbCr, left, top, side int) int {
	sum := 0
	for y := top; y < top+side; y++ {
		for x := left; x < left+side; x++ {
			sum += int(m.Y[m.YOffset(x, y)])
		}
	}
	return (sum + side*side/2) / (side * side)
}
