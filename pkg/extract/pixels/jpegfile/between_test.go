package jpegfile

import "testing"

// TestFactorsThatDoNotDivide checks that a component with two samples for three of the frame, which libjpeg does not
// support, is interpolated: a ramp stays a ramp.
func TestFactorsThatDoNotDivide(t *testing.T) {
	f := &Frame{Width: 24, Height: 3, h: 3, v: 3}
	c := &component{h: 2, v: 2, width: 16, height: 2, across: 2, samples: make([]byte, 32)}
	for x := range 16 {
		c.samples[x], c.samples[16+x] = byte(10+12*x), byte(10+12*x)
	}
	for y := range 3 {
		row := make([]byte, 24)
		f.row(row, c, y)
		for x := 1; x < 23; x++ {
			if want := 10 + 8*x - 2; int(row[x]) < want-1 || int(row[x]) > want+1 { // sample centers are at 3/4 of a pixel
				t.Errorf("row %d, column %d: got %d, want %d", y, x, row[x], want)
			}
		}
	}
}
