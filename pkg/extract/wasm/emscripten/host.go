// Package emscripten provides the imports of programs that Emscripten compiled for JavaScript. It provides no files, a
// stopped clock, and the same random numbers in every run, so that the same input always produces the same result.
package emscripten

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Error numbers of Emscripten, which are those of WASI.
const (
	errnoBadFD   = 8
	errnoNoEntry = 44
)

// Function implements an import. stack contains the arguments; the function stores its result in stack[0].
type Function = func(ctx context.Context, m api.Memory, stack []uint64)

// Import returns a function for Import of a wasm.Program that provides functions, by name, as the module "a", where Emscripten
// imports from. Imports that are not in functions end the instance when they are called.
func Import(program string, functions map[string]Function) func(context.Context, wazero.Runtime, wazero.CompiledModule) error {
	return func(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
		builder := r.NewHostModuleBuilder("a")
		for _, f := range module.ImportedFunctions() {
			_, name, _ := f.Import()
			serve := functions[name]
			if serve == nil {
				serve = func(context.Context, api.Memory, []uint64) { panic(program + " calls import " + name) }
			}
			builder.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
				serve(ctx, m.Memory(), stack)
			}), f.ParamTypes(), f.ResultTypes()).Export(name)
		}
		_, err := builder.Instantiate(ctx)
		return err
	}
}

// Ignore returns no result.
func Ignore(context.Context, api.Memory, []uint64) {}

// Zero returns 0.
func Zero(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = 0 }

// BadFD returns the error number of an invalid file descriptor.
func BadFD(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = errnoBadFD }

// NoEntry is a system call that finds no file.
func NoEntry(_ context.Context, _ api.Memory, stack []uint64) {
	stack[0] = api.EncodeI32(-errnoNoEntry)
}

// Abort ends the instance.
func Abort(context.Context, api.Memory, []uint64) { panic("abort") }

// Clock implements clock_time_get with the time 0.
func Clock(_ context.Context, m api.Memory, stack []uint64) {
	clear(part(m, stack[2], 8))
	stack[0] = 0
}

// Random implements random_get with the same bytes every time.
func Random(_ context.Context, m api.Memory, stack []uint64) {
	clear(part(m, stack[0], stack[1]))
	stack[0] = 0
}

// EnvironmentSizes implements environ_sizes_get for an empty environment.
func EnvironmentSizes(_ context.Context, m api.Memory, stack []uint64) {
	clear(part(m, stack[0], 4))
	clear(part(m, stack[1], 4))
	stack[0] = 0
}

// Write implements fd_write. It discards the output.
func Write(_ context.Context, m api.Memory, stack []uint64) {
	var n uint32
	for i := range stack[2] {
		n += binary.LittleEndian.Uint32(part(m, stack[1]+8*i+4, 4))
	}
	binary.LittleEndian.PutUint32(part(m, stack[3], 4), n)
	stack[0] = 0
}

// part returns memory of the module. An address outside the memory ends the call.
func part(m api.Memory, at, size uint64) []byte {
	b, ok := m.Read(uint32(at), uint32(size))
	if !ok {
		panic("address outside the memory")
	}
	return b
}

// Copy implements emscripten_memcpy_js.
func Copy(_ context.Context, m api.Memory, stack []uint64) {
	copy(part(m, stack[0], stack[2]), part(m, stack[1], stack[2]))
}
