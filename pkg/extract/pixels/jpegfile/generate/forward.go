package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// turn is rotate of package jpegfile.
func (a assembler) turn(x, y vector, cos, sin int32) (vector, vector) {
	sum := a.times(a.plus(x, y), cos)
	return a.plus(sum, a.times(y, sin-cos)), a.minus(sum, a.times(x, cos+sin))
}

// butterfly returns the sum and the difference.
func (a assembler) butterfly(x, y vector) (vector, vector) { return a.plus(x, y), a.minus(x, y) }

// forward is forwardPortable of package jpegfile, with all columns or rows at once.
func (a assembler) forward() {
	a.Implement("forwardAVX2")
	a.Attributes(attr.NOSPLIT)
	c, samples, stride := a.GP64(), a.GP64(), a.GP64()
	a.Load(a.Param("c"), c)
	a.Load(a.Param("samples"), samples)
	a.Load(a.Param("stride"), stride)
	var r [8]vector
	for i := range r {
		r[i] = a.YMM()
		a.VPMOVZXBD(operand.Mem{Base: samples}, r[i])
		if i < 7 {
			a.ADDQ(stride, samples)
		}
	}
	a.Comment("Columns")
	r[0], r[7] = a.butterfly(r[0], r[7])
	r[1], r[6] = a.butterfly(r[1], r[6])
	r[2], r[5] = a.butterfly(r[2], r[5])
	r[3], r[4] = a.butterfly(r[3], r[4])
	r[4], r[7] = a.turn(r[4], r[7], 217965, 145639)
	r[5], r[6] = a.turn(r[5], r[6], 257107, 51142)
	r[0], r[3] = a.butterfly(r[0], r[3])
	r[1], r[2] = a.butterfly(r[1], r[2])
	r[2], r[3] = a.turn(r[2], r[3], 141871, 342508)
	r[0], r[1] = a.butterfly(r[0], r[1])
	center := a.YMM()
	a.VPADDD(a.constant(-8*128), r[0], center)
	r[0], r[1] = a.left(center, 18), a.left(r[1], 18)
	r[4], r[6] = a.butterfly(r[4], r[6])
	r[7], r[5] = a.butterfly(r[7], r[5])
	r[5], r[6] = a.times(a.right(r[5], 12), 5793), a.times(a.right(r[6], 12), 5793)
	r[7], r[4] = a.butterfly(r[7], r[4])
	r = a.transpose([8]vector{r[0], r[7], r[2], r[5], r[1], r[6], r[3], r[4]})
	a.Comment("Rows")
	r[0], r[7] = a.butterfly(r[0], r[7])
	r[1], r[6] = a.butterfly(r[1], r[6])
	r[2], r[5] = a.butterfly(r[2], r[5])
	r[3], r[4] = a.butterfly(r[3], r[4])
	r[4], r[7] = a.turn(a.right(r[4], 14), a.right(r[7], 14), 13623, 9102)
	r[5], r[6] = a.turn(a.right(r[5], 14), a.right(r[6], 14), 16069, 3196)
	r[0], r[3] = a.butterfly(r[0], r[3])
	r[1], r[2] = a.butterfly(r[1], r[2])
	r[2], r[3] = a.turn(a.right(r[2], 14), a.right(r[3], 14), 8867, 21407)
	r[0], r[1] = a.butterfly(r[0], r[1])
	r[4], r[6] = a.butterfly(r[4], r[6])
	r[7], r[5] = a.butterfly(r[7], r[5])
	r[5], r[6] = a.times(a.right(r[5], 14), 23170), a.times(a.right(r[6], 14), 23170)
	r[7], r[4] = a.butterfly(r[7], r[4])
	for i := range r {
		r[i] = a.rounded(r[i], 1<<17, 18)
	}
	r = a.transpose([8]vector{r[0], r[7], r[2], r[5], r[1], r[6], r[3], r[4]})
	for i := range r {
		a.VMOVDQU(r[i], operand.Mem{Base: c, Disp: 32 * i})
	}
	a.VZEROUPPER()
	a.RET()
}
