package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// hashMultiplier is the multiplier of Hash.
const hashMultiplier = 0xA0761D6478BD642F

// findShortAVX512 looks up eight words per step, each in 64 bits of a register: one gather loads their
// bytes, another their first slots. Words longer than eight bytes get the key 0, which no word has.
// Both gathers are within bounds for any edges: a buffer is readable at every 16-bit position, and
// hashes are masked.
func (a assembler) findShortAVX512() {
	evens := a.table("evens", 0x0006000400020000, 0x000E000C000A0008) // positions in edges of the starts of eight words

	a.implement("findShortAVX512")
	keys := a.argument("keys")
	mask, seed, multiplier := a.ZMM(), a.ZMM(), a.ZMM()
	a.VPBROADCASTQ(address(a.Param("mask")), mask)
	a.VPBROADCASTQ(address(a.Param("seed")), seed)
	secret := a.GP64()
	a.MOVQ(operand.U64(hashMultiplier), secret)
	a.VPBROADCASTQ(secret, multiplier)
	buffer, edges := a.argument("b"), a.argument("edges")
	words := a.Load(a.Param("words"), reg.RCX) // SHLL takes its count only from this register
	missed, slots := a.argument("missed"), a.argument("slots")
	firstMissed := a.GP64()
	a.MOVQ(missed, firstMissed)
	small := a.everyByte(0x20)
	bits, ones, lowHalf := a.ZMM(), a.ZMM(), a.ZMM()
	a.VPBROADCASTQ(a.number(64), bits)
	a.VPTERNLOGQ(operand.Imm(0xFF), ones, ones, ones)
	a.VPSRLQ(operand.Imm(32), ones, lowHalf)
	numbers, sixteen := a.XMM(), a.XMM()
	a.VMOVDQU(evens, numbers)
	a.VPBROADCASTW(a.number(16).As32(), sixteen)
	which, present := a.number(0xFF), a.K() // one bit for each of the eight words
	a.KMOVW(which.As32(), present)

	a.Label("eight")
	a.CMPQ(words, operand.Imm(8))
	a.JGE(operand.LabelRef("words"))
	a.Comment("Last words: fewer than eight")
	a.MOVL(operand.U32(1), which.As32())
	a.SHLL(reg.CL, which.As32())
	a.DECL(which.As32())
	a.KMOVW(which.As32(), present)

	a.Label("words")
	a.Comment("Starts and lengths of the words")
	begins, lengths := a.ZMM(), a.ZMM()
	a.VPMOVZXWD(at(edges, 0), lengths)
	a.VPANDQ(lowHalf, lengths, begins)
	a.VPSRLQ(operand.Imm(32), lengths, lengths)
	a.VPSUBQ(begins, lengths, lengths)
	a.Comment("Keys: the bytes of the words, in lower case; 0 for longer words")
	all, key := a.K(), a.ZMM()
	a.KXNORW(all, all, all) // set before each gather, which clears it
	a.VPGATHERQQ(indexed(buffer, begins, 1), all, key)
	a.VPORQ(small, key, key)
	a.VPSLLQ(operand.Imm(3), lengths, lengths)
	a.VPSUBQ(lengths, bits, lengths) // unused bits of the word; above 63 for a longer word
	a.VPSRLVQ(lengths, ones, lengths)
	a.VPANDQ(lengths, key, key)
	short := a.K()
	a.VPTESTMQ(key, key, present, short)
	a.Comment("Hash, and the first slots")
	slot, upper := a.ZMM(), a.ZMM()
	a.VPMULLQ(seed, key, slot)
	a.VPSRLQ(operand.Imm(32), slot, upper)
	a.VPXORQ(upper, slot, slot)
	a.VPMULLQ(multiplier, slot, slot)
	a.VPSRLQ(operand.Imm(32), slot, upper)
	a.VPXORQ(upper, slot, slot)
	a.VPANDQ(mask, slot, slot)
	a.KXNORW(all, all, all)
	found := a.ZMM()
	a.VPGATHERQQ(indexed(keys, slot, 8), all, found)
	a.Comment("Slots of the words in the table")
	hits, n := a.K(), a.GP64()
	a.VPCMPEQQ(found, key, short, hits)
	a.VPMOVQD(slot, slot.AsY())
	a.VPCOMPRESSD_Z(slot.AsY(), hits, slot.AsY())
	a.VMOVDQU(slot.AsY(), at(slots, 0))
	a.KMOVW(hits, n.As32())
	a.POPCNTL(n.As32(), n.As32())
	a.LEAQ(indexed(slots, n, 4), slots)
	a.Comment("Positions of the other words in edges")
	misses, others := a.K(), a.XMM()
	a.KANDNW(present, hits, misses)
	a.VPCOMPRESSW_Z(numbers, misses, others)
	a.VMOVDQU(others, at(missed, 0))
	a.KMOVW(misses, n.As32())
	a.POPCNTL(n.As32(), n.As32())
	a.LEAQ(indexed(missed, n, 2), missed)
	a.Comment("Next eight")
	a.VPADDW(sixteen, numbers, numbers)
	a.ADDQ(operand.Imm(32), edges)
	a.SUBQ(operand.Imm(8), words)
	a.JG(operand.LabelRef("eight"))

	a.SUBQ(firstMissed, missed)
	a.SHRQ(operand.Imm(1), missed)
	a.result(missed)
}
