package icc

import (
	"encoding/binary"
	"fmt"
	"math"
)

// pipeline calculates linear sRGB, not clipped, from the channels of a device, from 0 to 1.
type pipeline func(in [4]float64) [3]float64

// parseTable parses a tag A2B0 (ICC.1:2022, 10.10 to 10.12) whose result is Lab or XYZ.
func parseTable(b []byte, channels int, lab bool) (pipeline, error) {
	damaged := fmt.Errorf("%w: its table is damaged", ErrUnsupported)
	if len(b) < 32 || int(b[8]) != channels || b[9] != 3 {
		return nil, damaged
	}
	var stages func(in [4]float64) [3]float64
	legacy := false
	switch string(b[:4]) {
	case "mft1", "mft2":
		stages = parseLUT(b, channels, string(b[:4]) == "mft2")
		legacy = string(b[:4]) == "mft2"
	case "mAB ":
		stages = parseMAB(b, channels)
	}
	if stages == nil {
		return nil, damaged
	}
	back := toSRGB()
	return func(in [4]float64) [3]float64 {
		out := stages(in)
		if !lab {
			for i := range out {
				out[i] *= 1 + 32767.0/32768
			}
			return back.times(out)
		}
		if legacy { // in 16-bit tables, 0xff00 is 100 (ICC.1:2022, 10.10, table 45)
			for i := range out {
				out[i] *= 65535.0 / 65280
			}
		}
		return back.times(fromLab(float64(out[0]*100), float64(out[1]*255)-128, float64(out[2]*255)-128))
	}, nil
}

func fromLab(l, a, b float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 6.0/29 {
			return t * t * t
		}
		return (t - 4.0/29) * 3 * 36 / 841
	}
	y := (l + 16) / 116
	white := d50()
	return [3]float64{float64(white[0] * f(y+a/500)), f(y), float64(white[2] * f(y-b/200))}
}

// parseLUT parses lut8Type and lut16Type. Their matrix applies only to XYZ as input, which devices do not have.
func parseLUT(b []byte, channels int, wide bool) func([4]float64) [3]float64 {
	side, at, inputs, outputs, width := int(b[10]), 48, 256, 256, 1
	if wide {
		if len(b) < 52 {
			return nil
		}
		inputs, outputs = int(binary.BigEndian.Uint16(b[48:])), int(binary.BigEndian.Uint16(b[50:]))
		at, width = 52, 2
	}
	if side < 2 || inputs < 2 || outputs < 2 {
		return nil
	}
	read := func(n int) (v values, ok bool) {
		if n > 1<<24 || at+n*width > len(b) {
			return v, false
		}
		v = values{b[at : at+n*width], width}
		at += n * width
		return v, true
	}
	sides := make([]int, channels)
	nodes := 3
	for i := range sides {
		sides[i], nodes = side, nodes*side
	}
	in, first := read(inputs * channels)
	cube, second := read(nodes)
	out, third := read(outputs * 3)
	if !first || !second || !third {
		return nil
	}
	return func(v [4]float64) [3]float64 {
		for c := range channels {
			v[c] = in.curve(c*inputs, inputs, v[c])
		}
		result := interpolate(cube, sides, v)
		for c := range result {
			result[c] = out.curve(c*outputs, outputs, result[c])
		}
		return result
	}
}

// parseMAB parses lutAToBType.
func parseMAB(b []byte, channels int) func([4]float64) [3]float64 {
	part := func(at int) []byte { // nil if absent
		if offset := int(binary.BigEndian.Uint32(b[at:])); offset > 0 && offset < len(b) {
			return b[offset:]
		}
		return nil
	}
	last, linear, middle, cube, first := curves(part(12), 3), part(16), curves(part(20), 3), part(24), curves(part(28), channels)
	if last == nil || cube == nil && channels != 3 || cube != nil && first == nil {
		return nil
	}
	var sides []int
	var nodes values
	if cube != nil {
		if sides, nodes = parseCube(cube, channels); sides == nil {
			return nil
		}
	}
	var m matrix
	var offset [3]float64
	if linear = linear[:min(len(linear), 48)]; len(linear) == 48 && middle != nil {
		for i := range 9 {
			m[i/3][i%3] = fixed(linear[4*i:])
		}
		for i := range offset {
			offset[i] = fixed(linear[36+4*i:])
		}
	}
	return func(in [4]float64) [3]float64 {
		out := [3]float64{in[0], in[1], in[2]}
		if sides != nil {
			for c := range channels {
				in[c] = first[c](in[c])
			}
			out = interpolate(nodes, sides, in)
		}
		if middle != nil && len(linear) == 48 {
			for c := range out {
				out[c] = middle[c](out[c])
			}
			out = m.times(out)
			for c := range out {
				out[c] += offset[c]
			}
		}
		for c := range out {
			out[c] = last[c](out[c])
		}
		return out
	}
}

// curves parses curves that follow each other, each at a multiple of 4 bytes.
func curves(b []byte, n int) []Curve {
	var all []Curve
	for range n {
		c, size := parseCurve(b)
		if c == nil {
			return nil
		}
		all = append(all, c)
		b = b[min((size+3)&^3, len(b)):]
	}
	return all
}

func parseCube(b []byte, channels int) (sides []int, nodes values) {
	if len(b) < 20 {
		return nil, nodes
	}
	n := 3
	for _, side := range b[:channels] {
		sides, n = append(sides, int(side)), n*int(side)
		if side < 2 || n > 1<<24 {
			return nil, nodes
		}
	}
	width := int(b[16])
	if b = b[20:]; width != 1 && width != 2 || len(b) < n*width {
		return nil, nodes
	}
	return sides, values{b, width}
}

// values are numbers from 0 to 1 of one or two bytes. They are not expanded, because a table can fill the profile.
type values struct {
	data  []byte
	width int
}

func (v values) at(i int) float64 {
	if v.width == 1 {
		return float64(v.data[i]) / 255
	}
	return float64(binary.BigEndian.Uint16(v.data[2*i:])) / 65535
}

// curve interpolates in n values from the given one.
func (v values) curve(first, n int, at float64) float64 {
	position := float64(unit(at) * float64(n-1))
	low := min(int(position), n-2)
	part := position - float64(low)
	return v.at(first+low) + float64(part*(v.at(first+low+1)-v.at(first+low)))
}

// interpolate returns the value of a table between its nodes, in all dimensions.
func interpolate(nodes values, sides []int, in [4]float64) (out [3]float64) {
	var low [4]int
	var part [4]float64
	for d, side := range sides {
		at := unit(in[d]) * float64(side-1)
		low[d] = min(int(at), side-2)
		part[d] = at - float64(low[d])
	}
	for corner := range 1 << len(sides) {
		weight, index := 1.0, 0
		for d, side := range sides {
			high := corner >> d & 1
			index = index*side + low[d] + high
			if high == 1 {
				weight *= part[d]
			} else {
				weight *= 1 - part[d]
			}
		}
		for c := range out {
			out[c] += float64(weight * nodes.at(3*index+c))
		}
	}
	return out
}

// grid is a table from device values to sRGB, in 1/65535.
type grid struct {
	channels, side int
	nodes          [][3]int32
}

func newGrid(channels int, p pipeline) *grid {
	g := &grid{channels: channels, side: 33}
	if channels == 4 {
		g.side = 17
	}
	n := 1
	for range channels {
		n *= g.side
	}
	g.nodes = make([][3]int32, n)
	for i := range g.nodes {
		var in [4]float64
		rest := i
		for c := channels - 1; c >= 0; c-- {
			in[c] = float64(rest%g.side) / float64(g.side-1)
			rest /= g.side
		}
		for c, v := range p(in) {
			g.nodes[i][c] = int32(math.Round(encode(unit(v)) * 65535))
		}
	}
	return g
}

// at interpolates along the edges from the lowest to the highest corner of a cell, in the order of the remainders, which
// is tetrahedral interpolation in any number of dimensions.
func (g *grid) at(in [4]int32) (byte, byte, byte) {
	index, step := 0, 1
	var parts, steps [4]int32
	for c := g.channels - 1; c >= 0; c-- {
		position := in[c] * int32(g.side-1) // of 65535 per cell
		cell := min(position/65535, int32(g.side-2))
		index += int(cell) * step
		part := position - cell*65535
		n := g.channels - 1 - c
		for n > 0 && parts[n-1] < part {
			parts[n], steps[n] = parts[n-1], steps[n-1]
			n--
		}
		parts[n], steps[n] = part, int32(step)
		step *= g.side
	}
	node := g.nodes[index]
	sum := [3]int64{int64(node[0]) * 65535, int64(node[1]) * 65535, int64(node[2]) * 65535}
	for n := range g.channels {
		index += int(steps[n])
		next := g.nodes[index]
		for c := range sum {
			sum[c] += int64(parts[n]) * int64(next[c]-node[c])
		}
		node = next
	}
	var out [3]byte
	for c, v := range sum {
		out[c] = byte((v/65535*255 + 32767) / 65535)
	}
	return out[0], out[1], out[2]
}
