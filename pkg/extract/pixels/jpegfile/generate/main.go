// Command generate writes transform_amd64.s, the transforms of package jpegfile in assembly, with avo
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
	jpegfile = "github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
	output   = "transform_amd64.s" // relative to the package directory of jpegfile, where make gen runs it
)

func main() {
	text, err := transforms()
	if err == nil {
		err = os.WriteFile(output, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// transforms returns the content of the file. The working directory must be in the module.
func transforms() ([]byte, error) {
	// Use the declarations for amd64 on every host.
	if err := os.Setenv("GOARCH", "amd64"); err != nil {
		return nil, err
	}
	a := assembler{build.NewContext(), map[int32]operand.Mem{}}
	a.ConstraintExpr("!purego")
	a.Package(jpegfile)
	if _, err := a.Result(); err != nil { // without this, a missing function is reported at its first argument
		return nil, err
	}
	a.forward()
	a.inverse()
	file, err := a.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "jpegfile/generate (make gen)"}).Print(file)
}

// vector is eight numbers of 32 bits.
type vector = reg.VecVirtual

// assembler writes operations on vectors.
type assembler struct {
	*build.Context
	constants map[int32]operand.Mem // each eight times
}

func (a assembler) constant(v int32) operand.Mem {
	m, ok := a.constants[v]
	if !ok {
		m = a.StaticGlobal(fmt.Sprintf("factor%d", len(a.constants)))
		a.DataAttributes(attr.RODATA | attr.NOPTR)
		for range 8 {
			a.AppendDatum(operand.U32(uint32(v)))
		}
		a.constants[v] = m
	}
	return m
}

func (a assembler) plus(x, y vector) vector {
	out := a.YMM()
	a.VPADDD(y, x, out)
	return out
}

func (a assembler) minus(x, y vector) vector {
	out := a.YMM()
	a.VPSUBD(y, x, out)
	return out
}

func (a assembler) times(x vector, factor int32) vector {
	out := a.YMM()
	a.VPMULLD(a.constant(factor), x, out)
	return out
}

func (a assembler) left(x vector, n uint8) vector {
	out := a.YMM()
	a.VPSLLD(operand.U8(n), x, out)
	return out
}

func (a assembler) right(x vector, n uint8) vector {
	out := a.YMM()
	a.VPSRAD(operand.U8(n), x, out)
	return out
}

// rounded returns (x + offset) >> n.
func (a assembler) rounded(x vector, offset int32, n uint8) vector {
	out := a.YMM()
	a.VPADDD(a.constant(offset), x, out)
	return a.right(out, n)
}

// transpose exchanges rows and columns.
func (a assembler) transpose(r [8]vector) (out [8]vector) {
	var pairs, fours [8]vector
	for i := 0; i < 8; i += 2 {
		pairs[i], pairs[i+1] = a.YMM(), a.YMM()
		a.VPUNPCKLDQ(r[i+1], r[i], pairs[i])
		a.VPUNPCKHDQ(r[i+1], r[i], pairs[i+1])
	}
	for i, from := range [4]int{0, 1, 4, 5} {
		fours[2*i], fours[2*i+1] = a.YMM(), a.YMM()
		a.VPUNPCKLQDQ(pairs[from+2], pairs[from], fours[2*i])
		a.VPUNPCKHQDQ(pairs[from+2], pairs[from], fours[2*i+1])
	}
	for i := range 4 {
		out[i], out[i+4] = a.YMM(), a.YMM()
		a.VPERM2I128(operand.U8(0x20), fours[i+4], fours[i], out[i])
		a.VPERM2I128(operand.U8(0x31), fours[i+4], fours[i], out[i+4])
	}
	return out
}
