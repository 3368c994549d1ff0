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
