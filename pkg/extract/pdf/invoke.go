package pdf

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"
	"github.com/tetratelabs/wazero/sys"
)

// errLongjmp unwinds the calls between a longjmp of PDFium and its setjmp.
var errLongjmp = errors.New("longjmp")

func throwLongjmp(context.Context, api.Memory, []uint64) { panic(errLongjmp) }

// invoke returns the import invoke_… with the given types. The import calls the function in the table whose index is
// the first argument, and catches a longjmp in it, as the JavaScript of Emscripten does. The implementation in wazero's
// package emscripten caches the type of the function without a lock, which is a data race between instances (wazero
// 1.12.0, wasm.FunctionType.key).
func invoke(params, results []api.ValueType) api.GoModuleFunc {
	params = params[1:]
	return func(ctx context.Context, m api.Module, stack []uint64) {
		f := table.LookupFunction(m, 0, api.DecodeU32(stack[0]), params, results)
		copy(stack, stack[1:]) // the arguments without the index
		var saved [2]uint64
		call(ctx, m, "emscripten_stack_get_current", saved[:])
		err := f.CallWithStack(ctx, stack)
		if err == nil {
			return
		}
		if _, closed := errors.AsType[*sys.ExitError](err); closed {
			panic(err)
		}
		call(ctx, m, "_emscripten_stack_restore", saved[:])
		if !errors.Is(err, errLongjmp) {
			panic(err)
		}
		saved = [2]uint64{1, 0}
		call(ctx, m, "setThrew", saved[:])
	}
}

// call calls an export of PDFium's runtime. An error ends the instance.
func call(ctx context.Context, m api.Module, name string, stack []uint64) {
	if err := m.ExportedFunction(name).CallWithStack(ctx, stack); err != nil {
		panic(err)
	}
}
