package pixels

import (
	"image"
	"math/rand/v2"
	"testing"
)

// TestTurnPlane compares turned planes of many sizes with the definition of a turn.
func TestTurnPlane(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, size := range []image.Point{{1, 1}, {7, 9}, {8, 8}, {16, 8}, {23, 70}, {64, 64}, {131, 77}} { // of the result
		for _, n := range []int{1, 4} {
			for bits := range 8 {
				turned := turn{swap: bits&1 > 0, right: bits&2 > 0, bottom: bits&4 > 0}
				from := size
				if turned.swap {
					from = image.Pt(size.Y, size.X)
				}
				src, dst := make([]byte, n*from.X*from.Y), make([]byte, n*size.X*size.Y)
				for i := range src {
					src[i] = byte(random.Uint32())
				}
				turned.plane(dst, n*size.X, size, src, n*from.X, n)
				for i, got := range dst {
					x, y := i/n%size.X, i/n/size.X
					if turned.swap {
						x, y = y, x
					}
					if turned.right {
						x = from.X - 1 - x
					}
					if turned.bottom {
						y = from.Y - 1 - y
					}
					if want := src[n*(y*from.X+x)+i%n]; got != want {
						t.Fatalf("%+v, %v, %d bytes: byte %d is %d, want %d", turned, size, n, i, got, want)
					}
				}
			}
		}
	}
}
