// Package lookalike finds pictures that look the same: copies in another size, format or quality, or with small changes of
// light and color.
//
// A Hash is the DCT-based perceptual hash (C. Zauner: Implementation and Benchmarking of Perceptual Image Hash Functions,
// 2010): for each of the 64 lowest frequencies of the brightness, one bit states whether its amount exceeds the median.
// Crops, rotations and mirror images have other hashes.
package lookalike

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

// Near is the maximum distance of pictures that look the same.
const Near = 10

// Hash represents a picture.
type Hash uint64

const (
	side = 32 // of the picture that is transformed, in pixels
	low  = 8  // frequencies in each direction, without the mean brightness
	one  = 1 << 14
)

// Of returns the hash of a picture. It does not change the picture. ok is false if the picture is almost of a single color,
// so that its hash would be that of noise. The result is the same on every processor.
func Of(p *pixels.Picture) (h Hash, ok bool) {
	small := p.Copy()
	if longer := max(p.Width(), p.Height()); longer > 8*side {
		small.Fit(8*side, 8*side)
	}
	small.Resize(side, side)
	frequencies := transform(stretched(small.Luma()))
	sorted := slices.Sorted(slices.Values(frequencies[:]))
	median := (sorted[low*low/2-1] + sorted[low*low/2]) / 2
	for i, f := range frequencies {
		if f > median {
			h |= 1 << (low*low - 1 - i)
		}
	}
	return h, sorted[low*low-1]-sorted[0] >= flat
}

// flat is the minimum range of the frequencies. A gradient over the whole picture by 3 of 255 levels has about this range.
const flat = 3 * side * side / 4 * 64

// transform returns the 64 lowest frequencies of the two-dimensional discrete cosine transform, in units of 1/64.
func transform(m [side][side]int64) (frequencies [low * low]int64) {
	var waves [low][side]int64
	for k := range waves {
		for x := range side {
			waves[k][x] = int64(math.Round(one * math.Cos(math.Pi*float64((2*x+1)*(k+1))/(2*side))))
		}
	}
	for v := range low {
		var rows [side]int64 // the frequency v of each column
		for x := range side {
			for y := range side {
				rows[x] += m[y][x] * waves[v][y]
			}
		}
		for u := range low {
			var sum int64
			for x := range side {
				sum += rows[x] * waves[u][x]
			}
			frequencies[v*low+u] = sum / (one * one / 64)
		}
	}
	return frequencies
}

// stretched returns the brightness of a picture, which may be smaller than side × side.
func stretched(m *image.Gray) (out [side][side]int64) {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	for y := range side {
		for x := range side {
			out[y][x] = int64(m.Pix[y*height/side*m.Stride+x*width/side])
		}
	}
	return out
}

// Distance returns the number of bits in which two hashes differ, from 0 to 64 (Hamming distance). That of unrelated
// pictures is about 32.
func (h Hash) Distance(other Hash) int { return bits.OnesCount64(uint64(h ^ other)) }

// String returns the hash as 16 hexadecimal digits.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// ErrHash means that a text is not a hash.
var ErrHash = errors.New("not a hash of 16 hexadecimal digits")

// Parse parses the String of a hash, or returns ErrHash.
func Parse(text string) (Hash, error) {
	n, err := strconv.ParseUint(text, 16, 64)
	if err != nil || len(text) != 16 {
		return 0, ErrHash
	}
	return Hash(n), nil
}
