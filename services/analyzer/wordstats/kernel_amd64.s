//go:build !purego

#include "textflag.h"

// BROADCAST sets all bytes of a register to a constant.
#define BROADCAST(constant, x, y) \
	MOVL constant, AX      \
	VMOVD AX, x            \
	VPBROADCASTB x, y

// HALF classifies the 32 bytes at offset from SI. The three masks are left in the
// registers named; Y0 to Y5 are overwritten. A byte c is in a range of n from a if
// c-a-128, as a signed byte, is below n-128.
#define HALF(offset, word, other, alien) \
	VMOVDQU offset(SI), Y0   \
	VPOR Y8, Y0, Y1          \ // small letters
	VPADDB Y9, Y1, Y1        \
	VPCMPGTB Y1, Y10, Y1     \ // letters
	VPADDB Y11, Y0, Y2       \
	VPCMPGTB Y2, Y12, Y2     \ // digits
	VPCMPEQB Y13, Y0, Y3     \ // low lines
	VPOR Y1, Y2, Y1          \
	VPOR Y1, Y3, Y1          \
	VPCMPGTB Y8, Y0, Y4      \ // above the space, and ASCII
	VPANDN Y4, Y1, Y4        \
	VPCMPEQB Y14, Y0, Y5     \ // DEL
	VPOR Y0, Y5, Y5          \
	VPMOVMSKB Y1, word       \
	VPMOVMSKB Y4, other      \
	VPMOVMSKB Y5, alien

// func classifyAVX2(data *byte, filled *masks, blocks int) int
TEXT ·classifyAVX2(SB), NOSPLIT, $0-32
	MOVQ data+0(FP), SI
	MOVQ filled+8(FP), DI
	MOVQ blocks+16(FP), CX
	XORQ BX, BX
	BROADCAST($0x20, X8, Y8)
	BROADCAST($0x1F, X9, Y9)    // 128-'a', modulo 256
	BROADCAST($0x9A, X10, Y10)  // 26-128
	BROADCAST($0x50, X11, Y11)  // 128-'0'
	BROADCAST($0x8A, X12, Y12)  // 10-128
	BROADCAST($0x5F, X13, Y13)
	BROADCAST($0x7F, X14, Y14)

block:
	CMPQ BX, CX
	JGE  done
	HALF(0, R8, R9, R10)
	HALF(32, R11, R12, R13)
	SHLQ $32, R11
	SHLQ $32, R12
	SHLQ $32, R13
	ORQ  R11, R8
	ORQ  R12, R9
	ORQ  R13, R10
	MOVQ R8, 0(DI)
	MOVQ R9, 8(DI)
	MOVQ R10, 16(DI)
	ADDQ $64, SI
	ADDQ $24, DI
	INCQ BX
	TESTQ R10, R10
	JZ   block

done:
	VZEROUPPER
	MOVQ BX, ret+24(FP)
	RET

// BROADCAST512 does the same with all of a register.
#define BROADCAST512(constant, z) \
	MOVL constant, AX     \
	VPBROADCASTB AX, z

// func classifyAVX512(data *byte, filled *masks, blocks int) int
TEXT ·classifyAVX512(SB), NOSPLIT, $0-32
	MOVQ data+0(FP), SI
	MOVQ filled+8(FP), DI
	MOVQ blocks+16(FP), CX
	XORQ BX, BX
	BROADCAST512($0x20, Z8)
	BROADCAST512($0x61, Z9)   // 'a'
	BROADCAST512($26, Z10)
	BROADCAST512($0x30, Z11)  // '0'
	BROADCAST512($10, Z12)
	BROADCAST512($0x5F, Z13)
	BROADCAST512($0x7F, Z14)

block:
	CMPQ BX, CX
	JGE  done
	VMOVDQU64 (SI), Z0
	VPORQ Z8, Z0, Z1          // small letters
	VPSUBB Z9, Z1, Z1
	VPCMPUB $1, Z10, Z1, K1   // letters: less than 26 from 'a'
	VPSUBB Z11, Z0, Z2
	VPCMPUB $1, Z12, Z2, K2   // digits
	VPCMPEQB Z13, Z0, K3      // low lines
	VPCMPUB $6, Z8, Z0, K4    // above the space
	VPCMPUB $5, Z14, Z0, K5   // DEL and above
	KORQ K1, K2, K1
	KORQ K1, K3, K1
	KANDNQ K4, K1, K4
	KMOVQ K1, 0(DI)
	KMOVQ K4, 8(DI)
	KMOVQ K5, 16(DI)
	ADDQ $64, SI
	ADDQ $24, DI
	INCQ BX
	KORTESTQ K5, K5
	JZ   block

done:
	VZEROUPPER
	MOVQ BX, ret+24(FP)
	RET

// numbers are those of the bits of a mask.
DATA numbers<>+0(SB)/8, $0x0706050403020100
DATA numbers<>+8(SB)/8, $0x0F0E0D0C0B0A0908
DATA numbers<>+16(SB)/8, $0x1716151413121110
DATA numbers<>+24(SB)/8, $0x1F1E1D1C1B1A1918
DATA numbers<>+32(SB)/8, $0x2726252423222120
DATA numbers<>+40(SB)/8, $0x2F2E2D2C2B2A2928
DATA numbers<>+48(SB)/8, $0x3736353433323130
DATA numbers<>+56(SB)/8, $0x3F3E3D3C3B3A3938
GLOBL numbers<>(SB), RODATA|NOPTR, $64

// func placesAVX512(changes *uint64, blocks, base int, filled *uint16) int
TEXT ·placesAVX512(SB), NOSPLIT, $0-40
	MOVQ changes+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ base+16(FP), DX
	MOVQ filled+24(FP), DI
	MOVQ DI, R8
	VMOVDQU64 numbers<>(SB), Z0
	VPBROADCASTW DX, Z1
	MOVL $64, AX
	VPBROADCASTW AX, Z2

block:
	MOVQ (SI), AX
	KMOVQ AX, K1
	VPCOMPRESSB.Z Z0, K1, Z3
	VEXTRACTI64X4 $1, Z3, Y4
	VPMOVZXBW Y3, Z3
	VPMOVZXBW Y4, Z4
	VPADDW Z1, Z3, Z3
	VPADDW Z1, Z4, Z4
	VMOVDQU64 Z3, (DI)
	VMOVDQU64 Z4, 64(DI)
	POPCNTQ AX, AX
	LEAQ (DI)(AX*2), DI
	VPADDW Z2, Z1, Z1
	ADDQ $8, SI
	DECQ CX
	JNZ  block

	SUBQ R8, DI
	SHRQ $1, DI
	VZEROUPPER
	MOVQ DI, ret+32(FP)
	RET

// evens are the numbers of the edges where eight words begin.
DATA evens<>+0(SB)/8, $0x0006000400020000
DATA evens<>+8(SB)/8, $0x000E000C000A0008
GLOBL evens<>(SB), RODATA|NOPTR, $16

// func findShortAVX512(keys *uint64, mask, seed uint64, b *buffer, edges *uint16, words int, missed *uint16, slots *uint32) int
TEXT ·findShortAVX512(SB), NOSPLIT, $0-72
	MOVQ keys+0(FP), R8
	VPBROADCASTQ mask+8(FP), Z10
	VPBROADCASTQ seed+16(FP), Z9
	MOVQ $0xA0761D6478BD642F, AX // multiplier1
	VPBROADCASTQ AX, Z14
	MOVQ b+24(FP), DI
	MOVQ edges+32(FP), SI
	MOVQ words+40(FP), CX
	MOVQ missed+48(FP), R10
	MOVQ slots+56(FP), R9
	MOVQ R10, R11
	BROADCAST512($0x20, Z8)
	MOVL $64, AX
	VPBROADCASTQ AX, Z11
	VPTERNLOGQ $0xFF, Z12, Z12, Z12 // all bits
	VPSRLQ $32, Z12, Z13            // the low half of each
	VMOVDQU evens<>(SB), X15
	MOVL $16, AX
	VPBROADCASTW AX, X16
	MOVL $0xFF, DX
	KMOVW DX, K7 // which of the eight words there are

eight:
	CMPQ CX, $8
	JGE  words
	MOVL $1, DX
	SHLL CX, DX
	DECL DX
	KMOVW DX, K7

words:
	VPMOVZXWD (SI), Z0
	VPANDQ Z13, Z0, Z1   // where they begin
	VPSRLQ $32, Z0, Z2   // and end
	VPSUBQ Z1, Z2, Z2    // length
	KXNORW K1, K1, K1
	VPGATHERQQ (DI)(Z1*1), K1, Z3
	VPORQ Z8, Z3, Z3     // small letters
	VPSLLQ $3, Z2, Z2
	VPSUBQ Z2, Z11, Z2   // bits that are not of the word; of a longer one a number above 63
	VPSRLVQ Z2, Z12, Z2
	VPANDQ Z2, Z3, Z3    // the key; 0 for a longer one
	VPTESTMQ Z3, Z3, K7, K2
	VPMULLQ Z9, Z3, Z4   // hashShort
	VPSRLQ $32, Z4, Z5
	VPXORQ Z5, Z4, Z4
	VPMULLQ Z14, Z4, Z4
	VPSRLQ $32, Z4, Z5
	VPXORQ Z5, Z4, Z4
	VPANDQ Z10, Z4, Z4
	KXNORW K1, K1, K1
	VPGATHERQQ (R8)(Z4*8), K1, Z5
	VPCMPEQQ Z5, Z3, K2, K3 // hits
	VPMOVQD Z4, Y4
	VPCOMPRESSD.Z Y4, K3, Y4
	VMOVDQU Y4, (R9)
	KMOVW K3, AX
	POPCNTL AX, AX
	LEAQ (R9)(AX*4), R9
	KANDNW K7, K3, K4       // misses
	VPCOMPRESSW.Z X15, K4, X7
	VMOVDQU X7, (R10)
	KMOVW K4, AX
	POPCNTL AX, AX
	LEAQ (R10)(AX*2), R10
	VPADDW X16, X15, X15
	ADDQ $32, SI
	SUBQ $8, CX
	JG   eight

	SUBQ R11, R10
	SHRQ $1, R10
	VZEROUPPER
	MOVQ R10, ret+64(FP)
	RET
