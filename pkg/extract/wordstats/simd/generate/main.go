// Command generate writes kernel_amd64.s, the assembly kernels of package simd, with avo
// (github.com/mmcloughlin/avo). avo allocates registers, reads the layout of arguments from the Go
// declarations in kernel_amd64.go, and writes the required processor extensions in a comment above
// each function. `make gen` runs the command; a test fails if the file is out of date.
//
// Operands are in the order of Go's assembler: the destination comes last.
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

const (
	simd   = "github.com/assay-project/assay/pkg/extract/wordstats/simd"
	output = "kernel_amd64.s" // relative to the package directory of simd, where make gen runs it
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
	a := assembler{build.NewContext()}
	a.ConstraintExpr("!purego")
	a.Package(simd)
	if _, err := a.Result(); err != nil { // without this, a missing function is reported at its first argument
		return nil, err
	}
	a.classifyAVX2()
	a.classifyAVX512()
	a.placesAVX512()
	a.findShortAVX512()
	file, err := a.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "simd/generate (make gen)"}).Print(file)
}

// assembler has a method for each instruction and for each kernel.
type assembler struct{ *build.Context }

// implement starts the function that kernel_amd64.go declares under a name.
func (a assembler) implement(name string) {
	a.Implement(name)
	a.Attributes(attr.NOSPLIT)
}

// argument loads an argument of the function into a register.
func (a assembler) argument(name string) reg.GPVirtual {
	r := a.GP64()
	a.Load(a.Param(name), r)
	return r
}

// result ends the function. After AVX instructions it clears the upper halves of the registers,
// because mixing them with the SSE instructions of Go's compiler is slow.
func (a assembler) result(r reg.GPVirtual) {
	a.VZEROUPPER()
	a.Store(r, a.ReturnIndex(0))
	a.RET()
}

// address returns the address of an argument or of a field of a struct.
func address(c gotypes.Component) operand.Mem {
	basic, err := c.Resolve()
	if err != nil {
		panic(err) // the Go declaration has changed
	}
	return basic.Addr
}

// table returns a table of 8-byte constants.
func (a assembler) table(name string, values ...uint64) operand.Mem {
	table := a.StaticGlobal(name)
	a.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, value := range values {
		a.AppendDatum(operand.U64(value))
	}
	return table
}

// number loads a constant into a register.
func (a assembler) number(value uint32) reg.GPVirtual {
	r := a.GP64()
	a.MOVL(operand.U32(value), r.As32())
	return r
}

// everyByte returns a 64-byte register with value in each byte.
func (a assembler) everyByte(value int8) reg.VecVirtual {
	z := a.ZMM()
	a.VPBROADCASTB(a.number(uint32(uint8(value))).As32(), z)
	return z
}

// at returns the memory operand at an offset from a base register.
func at(base reg.Register, offset int) operand.Mem {
	return operand.Mem{Base: base, Disp: offset}
}

// indexed returns the memory operand at an index, in units of scale bytes, from a base register.
func indexed(base, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: scale}
}

// Comparison predicates of VPCMPUB.
const (
	less    = operand.U8(1)
	notLess = operand.U8(5)
	greater = operand.U8(6)
)
