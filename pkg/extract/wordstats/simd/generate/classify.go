package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The sizes of a block and of its masks, in bytes.
const (
	blockSize = 64
	masksSize = 3 * 8
)

// blocks is the loop of classify over the blocks of a text.
type blocks struct {
	assembler
	data, filled       reg.Register // addresses of the block and of its masks
	word, other, alien operand.Mem  // the masks
	most, n            reg.GPVirtual
}

func (a assembler) newBlocks() blocks {
	data := a.argument("data")
	masks := a.Dereference(a.Param("filled"))
	b := blocks{
		assembler: a,
		data:      data,
		word:      address(masks.Field("Word")),
		other:     address(masks.Field("Other")),
		alien:     address(masks.Field("Alien")),
		most:      a.argument("blocks"),
		n:         a.GP64(),
	}
	b.filled = b.word.Base
	a.XORQ(b.n, b.n)
	return b
}

func (b blocks) begin() {
	b.Label("block")
	b.CMPQ(b.n, b.most)
	b.JGE(operand.LabelRef("done"))
}

// next advances to the next block. The test for alien bytes comes after it, since next changes the
// flags.
func (b blocks) next() {
	b.ADDQ(operand.Imm(blockSize), b.data)
	b.ADDQ(operand.Imm(masksSize), b.filled)
	b.INCQ(b.n)
}

// end continues the loop if the flags report no alien byte. Otherwise it returns the number of blocks.
func (b blocks) end() {
	b.JZ(operand.LabelRef("block"))
	b.Label("done")
	b.result(b.n)
}

// classifyAVX512 compares 64 bytes at a time and holds all masks in mask registers.
func (a assembler) classifyAVX512() {
	a.implement("classifyAVX512")
	b := a.newBlocks()
	space := a.everyByte(' ')
	firstLetter, letters := a.everyByte('a'), a.everyByte('z'-'a'+1)
	firstDigit, digits := a.everyByte('0'), a.everyByte('9'-'0'+1)
	lowLine := a.everyByte('_')
	del := a.everyByte(0x7F)

	b.begin()
	text, x := a.ZMM(), a.ZMM()
	a.VMOVDQU64(at(b.data, 0), text)
	a.Comment("Lower case, then letters: less than 26 from 'a'")
	word, other, alien := a.K(), a.K(), a.K()
	a.VPORQ(space, text, x)
	a.VPSUBB(firstLetter, x, x)
	a.VPCMPUB(less, letters, x, word)
	a.Comment("Digits, underscores")
	digit, line := a.K(), a.K()
	y := a.ZMM()
	a.VPSUBB(firstDigit, text, y)
	a.VPCMPUB(less, digits, y, digit)
	a.VPCMPEQB(lowLine, text, line)
	a.Comment("Above the space; DEL and above")
	a.VPCMPUB(greater, space, text, other)
	a.VPCMPUB(notLess, del, text, alien)
	a.Comment("Masks")
	a.KORQ(word, digit, word)
	a.KORQ(word, line, word)
	a.KANDNQ(other, word, other)
	a.KMOVQ(word, b.word)
	a.KMOVQ(other, b.other)
	a.KMOVQ(alien, b.alien)
	b.next()
	a.KORTESTQ(alien, alien)
	b.end()
}

// classifyAVX2 processes the two halves of a block in sequence.
func (a assembler) classifyAVX2() {
	a.implement("classifyAVX2")
	b := a.newBlocks()
	h := halves{
		assembler: a,
		space:     a.every32Bytes(' '),
		toLetters: a.every32Bytes(128 - 'a'),
		letters:   a.every32Bytes('z' - 'a' + 1 - 128),
		toDigits:  a.every32Bytes(128 - '0'),
		digits:    a.every32Bytes('9' - '0' + 1 - 128),
		lowLine:   a.every32Bytes('_'),
		del:       a.every32Bytes(0x7F),
	}

	b.begin()
	word, other, alien := h.classify(at(b.data, 0))
	word2, other2, alien2 := h.classify(at(b.data, blockSize/2))
	a.Comment("Masks of both halves")
	a.SHLQ(operand.Imm(32), word2)
	a.SHLQ(operand.Imm(32), other2)
	a.SHLQ(operand.Imm(32), alien2)
	a.ORQ(word2, word)
	a.ORQ(other2, other)
	a.ORQ(alien2, alien)
	a.MOVQ(word, b.word)
	a.MOVQ(other, b.other)
	a.MOVQ(alien, b.alien)
	b.next()
	a.TESTQ(alien, alien)
	b.end()
}

// halves contains the constants for comparing the halves of a block. AVX2 compares signed bytes
// only: a byte c is one of the n values from a if c-a-128, as a signed byte, is below n-128.
type halves struct {
	assembler
	space, toLetters, letters, toDigits, digits, lowLine, del reg.VecVirtual
}

// every32Bytes returns a 32-byte register with value in each byte.
func (a assembler) every32Bytes(value int8) reg.VecVirtual {
	y := a.YMM()
	a.VMOVD(a.number(uint32(uint8(value))).As32(), y.AsX())
	a.VPBROADCASTB(y.AsX(), y)
	return y
}

// classify computes the masks of 32 bytes.
func (h halves) classify(data operand.Mem) (word, other, alien reg.GPVirtual) {
	h.Comment("Lower case, then letters")
	text, letter := h.YMM(), h.YMM()
	h.VMOVDQU(data, text)
	h.VPOR(h.space, text, letter)
	h.VPADDB(h.toLetters, letter, letter)
	h.VPCMPGTB(letter, h.letters, letter)
	h.Comment("Digits, underscores")
	digit, line := h.YMM(), h.YMM()
	h.VPADDB(h.toDigits, text, digit)
	h.VPCMPGTB(digit, h.digits, digit)
	h.VPCMPEQB(h.lowLine, text, line)
	h.VPOR(letter, digit, letter)
	h.VPOR(letter, line, letter)
	h.Comment("Above the space, and ASCII; DEL and above")
	visible, strange := h.YMM(), h.YMM()
	h.VPCMPGTB(h.space, text, visible)
	h.VPANDN(visible, letter, visible)
	h.VPCMPEQB(h.del, text, strange)
	h.VPOR(text, strange, strange)
	word, other, alien = h.GP64(), h.GP64(), h.GP64()
	h.VPMOVMSKB(letter, word.As32())
	h.VPMOVMSKB(visible, other.As32())
	h.VPMOVMSKB(strange, alien.As32())
	return word, other, alien
}
