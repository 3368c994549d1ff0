//go:build !purego

package wordstats

import "golang.org/x/sys/cpu"

// classifyAVX2 is classify with 32 bytes at once. data must have blocks*blockSize bytes.
//
//go:noescape
func classifyAVX2(data *byte, filled *masks, blocks int) int

// classifyAVX512 is the same with a whole block at once.
//
//go:noescape
func classifyAVX512(data *byte, filled *masks, blocks int) int

// placesAVX512 is places with a whole block at once: VPCOMPRESSB packs the numbers
// of the bits that are set. Beyond the last place it writes what is overwritten.
//
//go:noescape
func placesAVX512(changes *uint64, blocks, base int, filled *uint16) int

// kernels are those that this processor runs, the fastest first.
func kernels() []kernel {
	all := []kernel{portable()}
	if cpu.X86.HasAVX2 {
		all = append([]kernel{{"AVX2", inBlocks(classifyAVX2), places}}, all...)
	}
	if cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT {
		all = append([]kernel{{"AVX-512", inBlocks(classifyAVX512), func(changes []uint64, base int, filled *edges) int {
			if len(changes) == 0 {
				return 0
			}
			_ = filled[len(changes)*blockSize]
			return placesAVX512(&changes[0], len(changes), base, &filled[0])
		}}}, all...)
	}
	return all
}

// inBlocks checks the bounds that the assembler trusts in.
func inBlocks(classify func(data *byte, filled *masks, blocks int) int) func(data []byte, filled []masks) int {
	return func(data []byte, filled []masks) int {
		if len(filled) == 0 {
			return 0
		}
		_ = data[len(filled)*blockSize-1]
		return classify(&data[0], &filled[0], len(filled))
	}
}
