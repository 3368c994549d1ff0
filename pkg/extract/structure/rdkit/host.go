package rdkit

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// Exports of the program. The compiler has shortened the names of exports and imports, so these names are valid for
// this version only.
const (
	exportConstructors = "Y"
	exportMalloc       = "$"
	exportFree         = "aa"
	exportStackInit    = "ea"
	exportStackRestore = "fa" // sets the stack pointer
)

// Error numbers of Emscripten, which are those of WASI.
const (
	errnoBadFD   = 8
	errnoNoEntry = 44
)

// hostFunction implements an import. stack contains the arguments; the function stores its result in stack[0].
type hostFunction = func(ctx context.Context, m api.Memory, stack []uint64)

// host implements the imports of RDKit. It provides no files, a stopped clock, and the same random numbers in every run,
// so that the same molecule always produces the same result.
var host = map[string]hostFunction{
	"f": registerFunction,
	"a": registerMethod,
	"l": registerClass,
	"o": ignore, // _embind_register_class_constructor
	"W": ignore, // _embind_register_void
	"V": ignore, // _embind_register_bool
	"k": ignore, // _embind_register_integer
	"E": ignore, // _embind_register_bigint
	"D": ignore, // _embind_register_float
	"U": ignore, // _embind_register_std_string
	"s": ignore, // _embind_register_std_wstring
	"T": ignore, // _embind_register_emval
	"h": ignore, // _embind_register_memory_view
	"y": ignore, // _embind_register_optional
	"x": ignore, // _embind_register_iterable
	"b": ignore, // _emval_decref
	"g": ignore, // _emval_incref

	"H": func(context.Context, api.Memory, []uint64) { panic("abort") }, // _abort_js
	"G": wasm.ResizeHeap,                                                // emscripten_resize_heap
	"C": zero,                                                           // emscripten_date_now
	"S": clock,                                                          // clock_time_get
	"F": random,                                                         // random_get
	"L": ignore,                                                         // _tzset_js
	"O": environmentSizes,                                               // environ_sizes_get
	"N": zero,                                                           // environ_get
	"A": write,                                                          // fd_write
	"r": zero,                                                           // fd_close
	"z": badFD,                                                          // fd_read
	"M": badFD,                                                          // fd_seek
	"B": refuse,                                                         // __syscall_openat
	"P": refuse,                                                         // __syscall_newfstatat
	"Q": refuse,                                                         // __syscall_fstat64
	"q": refuse,                                                         // __syscall_fcntl64
	"R": refuse,                                                         // __syscall_ioctl
}

// importHost provides the functions of host to RDKit. RDKit's other imports, for JavaScript objects, are not needed by
// this package, and end the instance if they are called.
func importHost(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
	builder := r.NewHostModuleBuilder("a")
	for _, f := range module.ImportedFunctions() {
		_, name, _ := f.Import()
		serve := host[name]
		if serve == nil {
			serve = func(context.Context, api.Memory, []uint64) { panic("RDKit calls import " + name) }
		}
		builder.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			serve(ctx, m.Memory(), stack)
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := builder.Instantiate(ctx)
	return err
}

func ignore(context.Context, api.Memory, []uint64) {}

func zero(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = 0 }

func badFD(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = errnoBadFD }

func refuse(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = api.EncodeI32(-errnoNoEntry) }

// part returns memory of the module. An address outside the memory ends the call.
func part(m api.Memory, at, size uint64) []byte {
	b, ok := m.Read(uint32(at), uint32(size))
	if !ok {
		panic("address outside the memory")
	}
	return b
}

// clock returns the time 0.
func clock(_ context.Context, m api.Memory, stack []uint64) {
	clear(part(m, stack[2], 8))
	stack[0] = 0
}

// random returns the same bytes every time.
func random(_ context.Context, m api.Memory, stack []uint64) {
	clear(part(m, stack[0], stack[1]))
	stack[0] = 0
}

func environmentSizes(_ context.Context, m api.Memory, stack []uint64) {
	clear(part(m, stack[0], 4))
	clear(part(m, stack[1], 4))
	stack[0] = 0
}

// write discards RDKit's output.
func write(_ context.Context, m api.Memory, stack []uint64) {
	var n uint32
	for i := range stack[2] {
		n += binary.LittleEndian.Uint32(part(m, stack[1]+8*i+4, 4))
	}
	binary.LittleEndian.PutUint32(part(m, stack[3], 4), n)
	stack[0] = 0
}
