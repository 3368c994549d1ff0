// Package icc converts colors to sRGB: those of ICC profiles for gray, RGB and CMYK (ICC.1:2022), and of color spaces that
// are given by primaries and a curve. The intent is perceptual where a profile has tables, otherwise colorimetric. Colors
// outside of sRGB are clipped.
package icc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrUnsupported is the error of a profile that cannot be applied.
var ErrUnsupported = errors.New("the color profile cannot be applied")

// Transform converts samples to sRGB. It is safe for concurrent use.
type Transform struct {
	channels int // of the source: 1, 3 or 4
	curves   [3]Curve
	linear   [3][256]int32 // 8-bit samples in 1/65535
	matrix   [3][3]int64   // in 1/65536
	encoded  []byte        // sRGB of a linear value in 1/65535
	grid     *grid         // instead of curves and a matrix
}

// New returns the transform of a profile. Its errors wrap ErrUnsupported.
func New(profile []byte) (*Transform, error) {
	p, err := parse(profile)
	if err != nil {
		return nil, err
	}
	channels := map[string]int{"GRAY": 1, "RGB ": 3, "CMYK": 4}[p.space()]
	switch table := p.tags["A2B0"]; {
	case channels == 0:
		return nil, fmt.Errorf("%w: color space %q", ErrUnsupported, p.space())
	case channels == 1:
		curve, _ := parseCurve(p.tags["kTRC"])
		if curve == nil {
			return nil, fmt.Errorf("%w: it has no gray curve", ErrUnsupported)
		}
		return grayTransform(curve), nil
	case table != nil:
		pipeline, err := parseTable(table, channels, p.pcs() == "Lab ")
		if err != nil {
			return nil, err
		}
		return &Transform{channels: channels, grid: newGrid(channels, pipeline)}, nil
	case channels == 4:
		return nil, fmt.Errorf("%w: it has no table", ErrUnsupported)
	}
	var m matrix
	var curves [3]Curve
	for i, name := range []string{"r", "g", "b"} {
		column := p.tags[name+"XYZ"]
		if curves[i], _ = parseCurve(p.tags[name+"TRC"]); curves[i] == nil || len(column) < 20 {
			return nil, fmt.Errorf("%w: it has no curves or primaries", ErrUnsupported)
		}
		for row := range 3 {
			m[row][i] = fixed(column[8+4*row:])
		}
	}
	return newTransform(m, curves), nil
}

// FromPrimaries returns the transform of an RGB color space, or nil if the primaries are invalid.
func FromPrimaries(p Primaries, c Curve) *Transform {
	m, ok := p.matrix()
	if !ok {
		return nil
	}
	return newTransform(m, [3]Curve{c, c, c})
}

func grayTransform(c Curve) *Transform {
	m, _ := SRGB().matrix()
	t := newTransform(m, [3]Curve{c, c, c})
	t.channels = 1
	return t
}

// neutral is the largest rounding error of a row of a matrix that maps white to white, in 65536ths. It is corrected, so that
// grays stay neutral.
const neutral = 64

func newTransform(m matrix, curves [3]Curve) *Transform {
	t := &Transform{channels: 3, curves: curves, encoded: make([]byte, 1<<16)}
	for row, values := range toSRGB().multiply(m) {
		sum := int64(0)
		for column, v := range values {
			t.matrix[row][column] = int64(math.Round(v * 65536))
			sum += t.matrix[row][column]
		}
		if rest := 65536 - sum; -neutral <= rest && rest <= neutral {
			t.matrix[row][row] += rest
		}
	}
	for i, curve := range curves {
		for v := range t.linear[i] {
			t.linear[i][v] = linear(curve, float64(v)/255)
		}
	}
	for v := range t.encoded {
		t.encoded[v] = byte(math.Round(encode(float64(v)/65535) * 255))
	}
	return t
}

func linear(c Curve, v float64) int32 { return int32(math.Round(unit(c(v)) * 65535)) }

// Channels returns the number of channels of the source: 1 for gray, 3 for RGB, 4 for CMYK.
func (t *Transform) Channels() int { return t.channels }

// Identity reports whether the transform changes no 8-bit sample by more than one: its source is sRGB.
func (t *Transform) Identity() bool {
	for v := range 256 {
		for _, pixel := range [][4]byte{{byte(v), byte(v), byte(v)}, {byte(v), 0, 0}, {0, byte(v), 255}, {255, byte(v), 0}} {
			converted := pixel
			t.RGBA(converted[:])
			for c := range 3 {
				if d := int(converted[c]) - int(pixel[c]); d < -1 || d > 1 {
					return false
				}
			}
		}
	}
	return true
}

// RGBA converts pixels of 4 bytes in place. The fourth byte is not changed.
func (t *Transform) RGBA(pix []byte) {
	for ; len(pix) >= 4; pix = pix[4:] {
		if t.grid != nil {
			in := [4]int32{int32(pix[0]) * 257, int32(pix[1]) * 257, int32(pix[2]) * 257}
			pix[0], pix[1], pix[2] = t.grid.at(in)
			continue
		}
		pix[0], pix[1], pix[2] = t.mix(t.linear[0][pix[0]], t.linear[1][pix[1]], t.linear[2][pix[2]])
	}
}

// Wide returns a function that converts pixels of 16 bits per channel.
func (t *Transform) Wide() func(r, g, b uint16) (byte, byte, byte) {
	if t.grid != nil {
		return func(r, g, b uint16) (byte, byte, byte) { return t.grid.at([4]int32{int32(r), int32(g), int32(b)}) }
	}
	var tables [3][]int32
	for c, curve := range t.curves {
		tables[c] = make([]int32, 1<<16)
		for v := range tables[c] {
			tables[c][v] = linear(curve, float64(v)/65535)
		}
	}
	return func(r, g, b uint16) (byte, byte, byte) { return t.mix(tables[0][r], tables[1][g], tables[2][b]) }
}

// CMYK converts a pixel. 0 is no ink.
func (t *Transform) CMYK(c, m, y, k byte) (r, g, b byte) {
	return t.grid.at([4]int32{int32(c) * 257, int32(m) * 257, int32(y) * 257, int32(k) * 257})
}

// Gray returns the converted values of gray samples.
func (t *Transform) Gray() (table [256]byte) {
	for v := range table {
		pixel := [4]byte{byte(v), byte(v), byte(v)}
		t.RGBA(pixel[:])
		table[v] = pixel[1]
	}
	return table
}

func (t *Transform) mix(r, g, b int32) (byte, byte, byte) {
	var out [3]byte
	for i, m := range t.matrix {
		v := (m[0]*int64(r) + m[1]*int64(g) + m[2]*int64(b) + 1<<15) >> 16
		out[i] = t.encoded[min(max(v, 0), 65535)]
	}
	return out[0], out[1], out[2]
}

// parsed is a profile with its tags by signature.
type parsed struct {
	data []byte
	tags map[string][]byte
}

func (p parsed) space() string { return string(p.data[16:20]) }
func (p parsed) pcs() string   { return string(p.data[20:24]) }

func parse(data []byte) (parsed, error) {
	const header, entry, most = 128, 12, 200
	p := parsed{data: data, tags: map[string][]byte{}}
	if len(data) < header+4 || string(data[36:40]) != "acsp" {
		return p, fmt.Errorf("%w: it is damaged", ErrUnsupported)
	}
	directory := data[header+4:]
	for n := range binary.BigEndian.Uint32(data[header:]) {
		if n == most || len(directory) < entry {
			break
		}
		begin, size := uint64(binary.BigEndian.Uint32(directory[4:])), uint64(binary.BigEndian.Uint32(directory[8:]))
		if begin+size <= uint64(len(data)) {
			p.tags[string(directory[:4])] = data[begin : begin+size]
		}
		directory = directory[entry:]
	}
	return p, nil
}
