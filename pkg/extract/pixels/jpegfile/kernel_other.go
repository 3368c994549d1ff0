//go:build !amd64 || purego

package jpegfile

// forward calculates the coefficients of a block, as forwardPortable does.
func forward(c *[64]int32, samples []byte, stride int) { forwardPortable(c, samples, stride) }

// block calculates the samples of a block, as blockPortable does.
func block(c *[64]int32, out []byte, stride, precision int) { blockPortable(c, out, stride, precision) }
