//go:build !purego

package wordstats

import "golang.org/x/sys/cpu"

// classifyAVX2 is classify with 32 bytes at once. data must have blocks*blockSize bytes.
//
//go:noescape
func classifyAVX2(data *byte, filled *masks, blocks int) int

// fastestKernel is the fastest kernel that this processor runs.
func fastestKernel() kernel {
	if !cpu.X86.HasAVX2 {
		return kernel{"portable", classify}
	}
	return kernel{"AVX2", func(data []byte, filled []masks) int {
		if len(filled) == 0 {
			return 0
		}
		_ = data[len(filled)*blockSize-1]
		return classifyAVX2(&data[0], &filled[0], len(filled))
	}}
}
