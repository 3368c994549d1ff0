//go:build !purego

package wordstats

import "golang.org/x/sys/cpu"

// classifyAVX2 is classify with 32 bytes at once. data must have blocks*blockSize bytes.
//
//go:noescape
func classifyAVX2(data *byte, filled *masks, blocks int) int

// placesAVX512 is places with a whole block at once: VPCOMPRESSB packs the numbers
// of the bits that are set. Beyond the last place it writes what is overwritten.
//
//go:noescape
func placesAVX512(changes *uint64, blocks, base int, filled *uint16) int

// kernels are those that this processor runs, the fastest first.
func kernels() []kernel {
	all := []kernel{portable()}
	if !cpu.X86.HasAVX2 {
		return all
	}
	avx2 := kernel{"AVX2", func(data []byte, filled []masks) int {
		if len(filled) == 0 {
			return 0
		}
		_ = data[len(filled)*blockSize-1]
		return classifyAVX2(&data[0], &filled[0], len(filled))
	}, places}
	all = append([]kernel{avx2}, all...)
	if !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VBMI2 || !cpu.X86.HasPOPCNT {
		return all
	}
	return append([]kernel{{"AVX-512", avx2.classify, func(changes []uint64, base int, filled *edges) int {
		if len(changes) == 0 {
			return 0
		}
		_ = filled[len(changes)*blockSize]
		return placesAVX512(&changes[0], len(changes), base, &filled[0])
	}}}, all...)
}
