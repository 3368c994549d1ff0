//go:build !purego

package jpegfile

import "golang.org/x/sys/cpu"

// forwardAVX2 is in transform_amd64.s, the output of generate. It is equivalent to forwardPortable.
//
//go:noescape
func forwardAVX2(c *[64]int32, samples *byte, stride int)

// inverseAVX2 is in transform_amd64.s. It is equivalent to blockPortable with samples of 8 bits.
//
//go:noescape
func inverseAVX2(c *[64]int32, out *byte, stride int)

// forward calculates the coefficients of a block, as forwardPortable does.
func forward(c *[64]int32, samples []byte, stride int) {
	if !cpu.X86.HasAVX2 {
		forwardPortable(c, samples, stride)
		return
	}
	_ = samples[7*stride+7]
	forwardAVX2(c, &samples[0], stride)
}

// block calculates the samples of a block, as blockPortable does.
func block(c *[64]int32, out []byte, stride, precision int) {
	if !cpu.X86.HasAVX2 || precision != 8 {
		blockPortable(c, out, stride, precision)
		return
	}
	_ = out[7*stride+7]
	inverseAVX2(c, &out[0], stride)
}
