package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"os"
)

// Values of the header of a file in the format of libvips (libvips/image.h and enumtypes.h, version 8).
const (
	vipsHeader    = 64
	vipsBytes     = 0 // VIPS_FORMAT_UCHAR
	vipsShorts    = 2 // VIPS_FORMAT_USHORT
	vipsMultiband = 0
	vipsGray      = 1
	vipsCMYK      = 15
	vipsRGB       = 17
	vipsSRGB      = 22
	vipsRGB16     = 25
	vipsGray16    = 26
)

// raster is a picture in the format of libvips: samples in the byte order of the machine, interleaved.
type raster struct {
	width, height, bands, format, kind int
	samples                            []byte
}

func readRaster(path string) (raster, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return raster{}, err
	}
	if len(data) < vipsHeader {
		return raster{}, fmt.Errorf("%s has no header of libvips", path)
	}
	number := func(at int) int { return int(binary.NativeEndian.Uint32(data[at:])) }
	r := raster{width: number(4), height: number(8), bands: number(12), format: number(20), kind: number(28)}
	r.samples = data[vipsHeader:]
	return r, nil
}

// rgb reports whether the samples are gray or RGB with 8 or 16 bits, with or without alpha.
func (r raster) rgb() bool {
	if r.format != vipsBytes && r.format != vipsShorts || r.bands > 4 {
		return false
	}
	switch r.kind {
	case vipsMultiband, vipsGray, vipsRGB, vipsSRGB, vipsRGB16, vipsGray16:
		return true
	}
	return false
}

// picture returns the picture with 8 bits per channel. 16 bits are reduced to the upper 8.
func (r raster) picture() (*image.NRGBA, error) {
	size := r.bands
	if r.format == vipsShorts {
		size *= 2
	}
	pixels := int64(r.width) * int64(r.height)
	if r.bands < 1 || r.bands > 4 || pixels > math.MaxInt32 || int64(len(r.samples)) < pixels*int64(size) {
		return nil, fmt.Errorf("libvips wrote %d × %d pixels of %d bands in %d bytes", r.width, r.height, r.bands, len(r.samples))
	}
	out := image.NewNRGBA(image.Rect(0, 0, r.width, r.height))
	sample := func(pixel, band int) byte {
		if r.format == vipsShorts {
			return byte(binary.NativeEndian.Uint16(r.samples[pixel*size+2*band:]) >> 8)
		}
		return r.samples[pixel*size+band]
	}
	for i := range int(pixels) {
		to := out.Pix[4*i : 4*i+4]
		to[0], to[1], to[2], to[3] = sample(i, 0), sample(i, 0), sample(i, 0), 0xff
		if r.bands >= 3 {
			to[1], to[2] = sample(i, 1), sample(i, 2)
		}
		if r.bands%2 == 0 {
			to[3] = sample(i, r.bands-1)
		}
	}
	return out, nil
}
