// Package scene draws pictures with the statistics of a photo: smooth areas, edges, texture at
// every scale with a spectrum that falls with the frequency, and a little noise. Tests and
// benchmarks use them because they can have any size and are not copyrighted.
package scene

import "image"

// New draws a picture. The same arguments produce the same pixels.
func New(width, height int, seed uint32) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row := m.Pix[y*m.Stride:]
		for x := range width {
			shape := octaves(x, y, seed, 10, 3)     // periods of 1024 to 8 pixels: hills to edges
			texture := octaves(x, y, seed+99, 6, 1) // periods of 64 to 2 pixels
			light := 60 + shape*110>>8 + (texture-128)/5
			if shape > 140 { // an edge between two materials
				light += 40
			}
			tint := octaves(x, y, seed+7, 9, 7)
			noise := int(hash(uint32(x), uint32(y), seed)>>29) - 4
			row[4*x] = clip(light + noise + (tint-128)/3)
			row[4*x+1] = clip(light + noise)
			row[4*x+2] = clip(light + noise - (tint-128)/2)
			row[4*x+3] = 0xff
		}
	}
	return m
}

// octaves adds noise with periods from 1<<from to 1<<to pixels, each with 5/8 of the weight of the
// previous one, and returns 0 to 255.
func octaves(x, y int, seed uint32, from, to int) int {
	sum, weight, total := 0, 1<<8, 0
	for bits := from; bits >= to; bits-- {
		sum += weight * lattice(x, y, seed+uint32(bits)*7919, uint(bits))
		total += weight
		weight = weight * 5 / 8
	}
	return sum / max(total, 1)
}

// lattice interpolates between random values that are 1<<bits pixels apart.
func lattice(x, y int, seed uint32, bits uint) int {
	left, top := uint32(x>>bits), uint32(y>>bits)
	dx, dy := x&(1<<bits-1), y&(1<<bits-1)
	value := func(i, j uint32) int { return int(hash(left+i, top+j, seed) >> 24) }
	upper := value(0, 0)<<bits + dx*(value(1, 0)-value(0, 0))
	lower := value(0, 1)<<bits + dx*(value(1, 1)-value(0, 1))
	return (upper<<bits + dy*(lower-upper)) >> (2 * bits)
}

// hash mixes three numbers with the finalizer of MurmurHash3.
func hash(x, y, seed uint32) uint32 {
	h := x*0x9e3779b1 ^ y*0x85ebca77 ^ seed*0xc2b2ae3d
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

func clip(v int) byte { return byte(min(max(v, 0), 255)) }
