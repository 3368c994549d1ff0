package pdf

import (
	"encoding/binary"
	"math"
)

// box is the bounding box of a character on its page, in points.
type box struct{ left, top, right, bottom float64 }

// boxOf decodes an FS_RECTF. It returns the zero box if b is too short.
func boxOf(b []byte) box {
	if len(b) < 16 {
		return box{}
	}
	at := func(n int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*n:]))) }
	return box{at(0), at(1), at(2), at(3)}
}

// rotate returns the box on a page that is displayed after a rotation by a number of clockwise quarter turns.
func (b box) rotate(turns uint64) box {
	switch turns {
	case 1:
		return box{b.bottom, -b.left, b.top, -b.right}
	case 2:
		return box{-b.right, -b.bottom, -b.left, -b.top}
	case 3:
		return box{-b.top, b.right, -b.bottom, b.left}
	}
	return b
}

// overlap returns the length of the horizontal overlap of two boxes.
func (b box) overlap(other box) float64 { return min(b.right, other.right) - max(b.left, other.left) }

func (b box) union(other box) box {
	return box{min(b.left, other.left), max(b.top, other.top), max(b.right, other.right), min(b.bottom, other.bottom)}
}

func (b box) middle() float64 { return (b.top + b.bottom) / 2 }

func between(v, a, b float64) bool { return min(a, b) < v && v < max(a, b) }
