package main

import (
	"fmt"
	"image"
)

// difference contains the mean absolute differences of R, G, B (multiplied by alpha) and A.
type difference [4]float64

// differenceOf compares pictures of the same size.
func differenceOf(a, b *image.NRGBA) difference {
	var sum [4]int64
	size := a.Rect.Size()
	for y := range size.Y {
		left, right := a.Pix[y*a.Stride:y*a.Stride+4*size.X], b.Pix[y*b.Stride:y*b.Stride+4*size.X]
		for x := 0; x < len(left); x += 4 {
			alphaA, alphaB := int(left[x+3]), int(right[x+3])
			for channel := range 3 {
				sum[channel] += distance(int(left[x+channel])*alphaA, int(right[x+channel])*alphaB)
			}
			sum[3] += distance(255*alphaA, 255*alphaB)
		}
	}
	var mean difference
	for channel := range mean {
		mean[channel] = float64(sum[channel]) / 255 / float64(max(1, size.X*size.Y))
	}
	return mean
}

func distance(a, b int) int64 { return int64(max(a-b, b-a)) }

// small reports whether no channel differs by more than 1.
func (d difference) small() bool { return max(d[0], d[1], d[2], d[3]) <= 1 }

func (d difference) String() string {
	return fmt.Sprintf("%.2f %.2f %.2f %.2f", d[0], d[1], d[2], d[3])
}
