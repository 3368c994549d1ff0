package rdkit

import (
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/emscripten"
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

// host implements the imports of RDKit. RDKit's other imports, for JavaScript objects, are not needed by this package.
var host = map[string]emscripten.Function{
	"f": registerFunction,
	"a": registerMethod,
	"l": registerClass,
	"o": emscripten.Ignore, // _embind_register_class_constructor
	"W": emscripten.Ignore, // _embind_register_void
	"V": emscripten.Ignore, // _embind_register_bool
	"k": emscripten.Ignore, // _embind_register_integer
	"E": emscripten.Ignore, // _embind_register_bigint
	"D": emscripten.Ignore, // _embind_register_float
	"U": emscripten.Ignore, // _embind_register_std_string
	"s": emscripten.Ignore, // _embind_register_std_wstring
	"T": emscripten.Ignore, // _embind_register_emval
	"h": emscripten.Ignore, // _embind_register_memory_view
	"y": emscripten.Ignore, // _embind_register_optional
	"x": emscripten.Ignore, // _embind_register_iterable
	"b": emscripten.Ignore, // _emval_decref
	"g": emscripten.Ignore, // _emval_incref

	"H": emscripten.Abort,            // _abort_js
	"G": wasm.ResizeHeap,             // emscripten_resize_heap
	"C": emscripten.Zero,             // emscripten_date_now
	"S": emscripten.Clock,            // clock_time_get
	"F": emscripten.Random,           // random_get
	"L": emscripten.Ignore,           // _tzset_js
	"O": emscripten.EnvironmentSizes, // environ_sizes_get
	"N": emscripten.Zero,             // environ_get
	"A": emscripten.Write,            // fd_write
	"r": emscripten.Zero,             // fd_close
	"z": emscripten.BadFD,            // fd_read
	"M": emscripten.BadFD,            // fd_seek
	"B": emscripten.NoEntry,          // __syscall_openat
	"P": emscripten.NoEntry,          // __syscall_newfstatat
	"Q": emscripten.NoEntry,          // __syscall_fstat64
	"q": emscripten.NoEntry,          // __syscall_fcntl64
	"R": emscripten.NoEntry,          // __syscall_ioctl
}
