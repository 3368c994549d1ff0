package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// values is inverse of package jpegfile.
func (a assembler) values(c [8]vector) [8]vector {
	z := a.times(a.plus(c[2], c[6]), 4433)
	even2, even3 := a.minus(z, a.times(c[6], 15137)), a.plus(z, a.times(c[2], 6270))
	even0, even1 := a.left(a.plus(c[0], c[4]), 13), a.left(a.minus(c[0], c[4]), 13)
	sum0, sum3 := a.butterfly(even0, even3)
	sum1, sum2 := a.butterfly(even1, even2)

	z3, z4 := a.plus(c[7], c[3]), a.plus(c[5], c[1])
	z5 := a.times(a.plus(z3, z4), 9633)
	z3, z4 = a.minus(z5, a.times(z3, 16069)), a.minus(z5, a.times(z4, 3196))
	z1, z2 := a.times(a.plus(c[7], c[1]), -7373), a.times(a.plus(c[5], c[3]), -20995)
	c7 := a.plus(a.plus(a.times(c[7], 2446), z1), z3)
	c5 := a.plus(a.plus(a.times(c[5], 16819), z2), z4)
	c3 := a.plus(a.plus(a.times(c[3], 25172), z2), z3)
	c1 := a.plus(a.plus(a.times(c[1], 12299), z1), z4)
	var v [8]vector
	v[0], v[7] = a.butterfly(sum0, c1)
	v[1], v[6] = a.butterfly(sum1, c3)
	v[2], v[5] = a.butterfly(sum2, c5)
	v[3], v[4] = a.butterfly(sum3, c7)
	return v
}

// inverse is blockPortable of package jpegfile for samples of 8 bits, with all columns or rows at once.
func (a assembler) inverse() {
	a.Implement("inverseAVX2")
	a.Attributes(attr.NOSPLIT)
	c, out, stride := a.GP64(), a.GP64(), a.GP64()
	a.Load(a.Param("c"), c)
	a.Load(a.Param("out"), out)
	a.Load(a.Param("stride"), stride)
	var r [8]vector
	for i := range r {
		r[i] = a.YMM()
		a.VMOVDQU(operand.Mem{Base: c, Disp: 32 * i}, r[i])
	}
	a.Comment("Columns")
	r = a.values(r)
	for i := range r {
		r[i] = a.rounded(r[i], 1<<10, 11)
	}
	a.Comment("Rows")
	r = a.values(a.transpose(r))
	for i := range r {
		r[i] = a.rounded(r[i], 128<<18+1<<17, 18)
	}
	for i, row := range a.transpose(r) {
		high := a.XMM()
		a.VEXTRACTI128(operand.U8(1), row, high)
		a.VPACKSSDW(high, row.AsX(), high)
		a.VPACKUSWB(high, high, high)
		a.VMOVQ(high, operand.Mem{Base: out})
		if i < 7 {
			a.ADDQ(stride, out)
		}
	}
	a.VZEROUPPER()
	a.RET()
}
