//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// The functions without bodies are in kernel_amd64.s, the output of generate.

// classifyAVX2 is like classify, but processes 32 bytes at a time. data must have blocks*BlockSize bytes.
//
//go:noescape
func classifyAVX2(data *byte, filled *Masks, blocks int) int

// classifyAVX512 is like classifyAVX2, but processes a block at a time.
//
//go:noescape
func classifyAVX512(data *byte, filled *Masks, blocks int) int

// placesAVX512 is like places, but processes a block at a time: VPCOMPRESSB packs the indexes of the set bits.
// Positions after the last one are overwritten later.
//
//go:noescape
func placesAVX512(changes *uint64, blocks, base int, filled *uint16) int

// findShortAVX512 looks up words like countShort, eight at a time, without counting: it stores the
// slots of the words that it finds. It reads edges, and writes slots and missed, in multiples of
// eight words.
//
//go:noescape
func findShortAVX512(keys *uint64, mask, seed uint64, b *Buffer, edges *uint16, words int, missed *uint16, slots *uint32) int

// Kernels returns the kernels that this processor supports, the fastest first.
func Kernels() []Kernel {
	all := []Kernel{Portable()}
	if cpu.X86.HasAVX2 {
		all = append([]Kernel{{"AVX2", inBlocks(classifyAVX2), places, countShort}}, all...)
	}
	if cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT {
		all = append([]Kernel{{"AVX-512", inBlocks(classifyAVX512), placesByBlock, countShortByEight}}, all...)
	}
	return all
}

// The functions below check the bounds that the assembly code relies on.

func inBlocks(classify func(data *byte, filled *Masks, blocks int) int) func(data []byte, filled []Masks) int {
	return func(data []byte, filled []Masks) int {
		if len(filled) == 0 {
			return 0
		}
		_ = data[len(filled)*BlockSize-1]
		return classify(&data[0], &filled[0], len(filled))
	}
}

func placesByBlock(changes []uint64, base int, filled *Edges) int {
	if len(changes) == 0 {
		return 0
	}
	_ = filled[len(changes)*BlockSize]
	return placesAVX512(&changes[0], len(changes), base, &filled[0])
}

// countShortByEight counts after all words are found. A processor repeats a speculative read if an
// earlier write to a count is to the same address; that took a third of the time when words were
// counted one by one.
func countShortByEight(t *Table, b *Buffer, edges []uint16, finds *Finds) int {
	const eight, ends = 8, 16
	words := len(edges) / 2
	if words == 0 {
		return 0
	}
	_, _, _ = edges[:(len(edges)+ends-1)/ends*ends], finds.Missed[words+eight-1], finds.Slots[words+eight-1]
	missed := findShortAVX512(&t.Keys[0], uint64(len(t.Keys)-1), t.Seed, b, &edges[0], words, &finds.Missed[0], &finds.Slots[0])
	counts := t.Counts
	for _, slot := range finds.Slots[:words-missed] {
		counts[slot]++
	}
	return missed
}
