package main

import "github.com/mmcloughlin/avo/operand"

// placesAVX512 processes a block per step. It compresses the indexes of all bits to those of the set
// bits and writes 64 positions; the next block overwrites the excess.
func (a assembler) placesAVX512() {
	numbers := a.table("numbers",
		0x0706050403020100, 0x0F0E0D0C0B0A0908, 0x1716151413121110, 0x1F1E1D1C1B1A1918,
		0x2726252423222120, 0x2F2E2D2C2B2A2928, 0x3736353433323130, 0x3F3E3D3C3B3A3938)

	a.implement("placesAVX512")
	changes, blocks := a.argument("changes"), a.argument("blocks")
	first := a.argument("base")
	filled := a.argument("filled")
	begin := a.GP64()
	a.MOVQ(filled, begin)
	all, base, step := a.ZMM(), a.ZMM(), a.ZMM()
	a.VMOVDQU64(numbers, all)
	a.VPBROADCASTW(first.As32(), base)
	a.VPBROADCASTW(a.number(blockSize).As32(), step)

	a.Label("block")
	change, set := a.GP64(), a.K()
	a.MOVQ(at(changes, 0), change)
	a.KMOVQ(change, set)
	low, high := a.ZMM(), a.ZMM()
	a.VPCOMPRESSB_Z(all, set, low)
	a.Comment("Bytes to 16-bit positions")
	a.VEXTRACTI64X4(operand.Imm(1), low, high.AsY())
	a.VPMOVZXBW(low.AsY(), low)
	a.VPMOVZXBW(high.AsY(), high)
	a.VPADDW(base, low, low)
	a.VPADDW(base, high, high)
	a.VMOVDQU64(low, at(filled, 0))
	a.VMOVDQU64(high, at(filled, 64))
	a.Comment("Next block")
	a.POPCNTQ(change, change)
	a.LEAQ(indexed(filled, change, 2), filled)
	a.VPADDW(step, base, base)
	a.ADDQ(operand.Imm(8), changes)
	a.DECQ(blocks)
	a.JNZ(operand.LabelRef("block"))

	a.SUBQ(begin, filled)
	a.SHRQ(operand.Imm(1), filled)
	a.result(filled)
}
