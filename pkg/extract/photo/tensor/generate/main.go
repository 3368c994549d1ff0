// Command generate writes kernel_amd64.s, the inner loop of package tensor in assembly, with avo
// (github.com/mmcloughlin/avo). `make gen` runs it; a test fails if the file is out of date.
//
// Operands are in the order of Go's assembler: the destination comes last.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

const (
	tensor = "github.com/assay-project/assay/pkg/extract/photo/tensor"
	output = "kernel_amd64.s" // relative to the package directory of tensor, where make gen runs it
)

func main() {
	text, err := kernels()
	if err == nil {
		err = os.WriteFile(output, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// kernels returns the content of the file. The working directory must be in the module.
func kernels() ([]byte, error) {
	// Use the declarations for amd64 on every host.
	if err := os.Setenv("GOARCH", "amd64"); err != nil {
		return nil, err
	}
	a := build.NewContext()
	a.ConstraintExpr("!purego")
	a.Package(tensor)
	if _, err := a.Result(); err != nil { // without this, a missing function is reported at its first argument
		return nil, err
	}
	multiply(a)
	accumulate(a)
	positive(a)
	file, err := a.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "tensor/generate (make gen)"}).Print(file)
}

const (
	rows = 4  // size of a tile, as in package tensor
	row  = 64 // bytes of a row of a tile: 16 numbers, two registers
	half = 32
)

// multiply holds the tile in eight registers. It multiplies and adds in separate instructions: fused
// multiply-add rounds only once, and its results would differ from those of other processors.
func multiply(a *build.Context) {
	a.Implement("multiplyAVX")
	a.Attributes(attr.NOSPLIT)
	k, first, stride := a.GP64(), a.GP64(), a.GP64()
	a.Load(a.Param("k"), k)
	a.Load(a.Param("a"), first)
	a.Load(a.Param("stride"), stride)
	b, c := a.GP64(), a.GP64()
	a.Load(a.Param("b"), b)
	a.Load(a.Param("c"), c)
	a.Comment("The third row; the fourth is at the same distance from it as the second from the first")
	third := a.GP64()
	a.LEAQ(operand.Mem{Base: first, Index: stride, Scale: 8}, third)
	sources := [rows]operand.Mem{
		{Base: first}, {Base: first, Index: stride, Scale: 4}, {Base: third}, {Base: third, Index: stride, Scale: 4},
	}
	var sums [rows][2]reg.VecVirtual
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = a.YMM()
			a.VMOVUPS(operand.Mem{Base: c, Disp: i*row + j*half}, sums[i][j])
		}
	}

	a.Label("step")
	left, right := a.YMM(), a.YMM()
	a.VMOVUPS(operand.Mem{Base: b}, left)
	a.VMOVUPS(operand.Mem{Base: b, Disp: half}, right)
	for i, source := range sources {
		factor, product := a.YMM(), a.YMM()
		a.VBROADCASTSS(source, factor)
		a.VMULPS(left, factor, product)
		a.VADDPS(product, sums[i][0], sums[i][0])
		a.VMULPS(right, factor, factor)
		a.VADDPS(factor, sums[i][1], sums[i][1])
	}
	a.ADDQ(operand.Imm(4), first)
	a.ADDQ(operand.Imm(4), third)
	a.ADDQ(operand.Imm(row), b)
	a.DECQ(k)
	a.JNZ(operand.LabelRef("step"))

	for i := range sums {
		for j := range sums[i] {
			a.VMOVUPS(sums[i][j], operand.Mem{Base: c, Disp: i*row + j*half})
		}
	}
	a.VZEROUPPER()
	a.RET()
}

// accumulate adds the products of two vectors to a third, 8 numbers at a time.
func accumulate(a *build.Context) {
	a.Implement("accumulateAVX")
	a.Attributes(attr.NOSPLIT)
	n, sums, left, right := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.Load(a.Param("n"), n)
	a.Load(a.Param("sums"), sums)
	a.Load(a.Param("a"), left)
	a.Load(a.Param("b"), right)

	a.Label("next")
	product := a.YMM()
	a.VMOVUPS(operand.Mem{Base: left}, product)
	a.VMULPS(operand.Mem{Base: right}, product, product)
	a.VADDPS(operand.Mem{Base: sums}, product, product)
	a.VMOVUPS(product, operand.Mem{Base: sums})
	for _, at := range []reg.GPVirtual{sums, left, right} {
		a.ADDQ(operand.Imm(half), at)
	}
	a.DECQ(n)
	a.JNZ(operand.LabelRef("next"))
	a.VZEROUPPER()
	a.RET()
}

// positive replaces numbers that are not positive by zero, 8 at a time. VMAXPS returns its second source, the zero, if
// the other is not a number.
func positive(a *build.Context) {
	a.Implement("positiveAVX")
	a.Attributes(attr.NOSPLIT)
	n, values := a.GP64(), a.GP64()
	a.Load(a.Param("n"), n)
	a.Load(a.Param("values"), values)
	zero := a.YMM()
	a.VXORPS(zero, zero, zero)

	a.Label("group")
	group := a.YMM()
	a.VMOVUPS(operand.Mem{Base: values}, group)
	a.VMAXPS(zero, group, group)
	a.VMOVUPS(group, operand.Mem{Base: values})
	a.ADDQ(operand.Imm(half), values)
	a.DECQ(n)
	a.JNZ(operand.LabelRef("group"))
	a.VZEROUPPER()
	a.RET()
}
