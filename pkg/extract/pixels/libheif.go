//go:build !noheic

package pixels

import (
	_ "embed"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/emscripten"
)

// libheifCode is libheif with libde265, compiled to WebAssembly and compressed.
//
//go:embed libheif/libheif.wasm.br
var libheifCode []byte

// Exports of the program. The compiler has shortened the names of exports and imports, so these names are valid for
// this version only; libheif/SOURCE names it.
const (
	heifConstructors = "R"
	heifMalloc       = "Na"
	heifContext      = "la" // heif_context_alloc
	heifRead         = "mh" // heif_context_read_from_memory_without_copy
	heifPrimary      = "Ca" // heif_context_get_primary_image_handle
	heifWidth        = "pa" // heif_image_handle_get_width
	heifHeight       = "qa" // heif_image_handle_get_height
	heifHasAlpha     = "ta" // heif_image_handle_has_alpha_channel
	heifIsMultiplied = "ua" // heif_image_handle_is_premultiplied_alpha
	heifDepth        = "Yg" // heif_image_handle_get_luma_bits_per_pixel
	heifColorspace   = "_g" // heif_image_handle_get_preferred_decoding_colorspace
	heifOptions      = "ae" // heif_decoding_options_alloc
	heifDecode       = "Da" // heif_decode_image
	heifPlane        = "cb" // heif_image_get_plane_readonly
)

// libheifHost implements the imports of libheif. Those for JavaScript objects are not needed.
var libheifHost = map[string]emscripten.Function{
	"w": emscripten.Ignore, // _embind_finalize_value_object
	"z": emscripten.Ignore, // _embind_register_bigint
	"K": emscripten.Ignore, // _embind_register_bool
	"o": emscripten.Ignore, // _embind_register_class
	"J": emscripten.Ignore, // _embind_register_emval
	"j": emscripten.Ignore, // _embind_register_enum
	"a": emscripten.Ignore, // _embind_register_enum_value
	"v": emscripten.Ignore, // _embind_register_float
	"d": emscripten.Ignore, // _embind_register_function
	"i": emscripten.Ignore, // _embind_register_integer
	"f": emscripten.Ignore, // _embind_register_memory_view
	"u": emscripten.Ignore, // _embind_register_std_string
	"q": emscripten.Ignore, // _embind_register_std_wstring
	"x": emscripten.Ignore, // _embind_register_value_object
	"n": emscripten.Ignore, // _embind_register_value_object_field
	"L": emscripten.Ignore, // _embind_register_void

	"b": emscripten.Abort,            // __assert_fail
	"k": emscripten.Abort,            // __cxa_throw
	"C": emscripten.Abort,            // _abort_js
	"I": emscripten.Copy,             // emscripten_memcpy_js
	"D": wasm.ResizeHeap,             // emscripten_resize_heap
	"H": emscripten.EnvironmentSizes, // environ_sizes_get
	"G": emscripten.Zero,             // environ_get
	"s": emscripten.Zero,             // fd_close
	"t": emscripten.BadFD,            // fd_read
	"y": emscripten.BadFD,            // fd_seek
	"p": emscripten.Write,            // fd_write
	"r": emscripten.NoEntry,          // __syscall_fcntl64
	"B": emscripten.NoEntry,          // __syscall_ioctl
	"F": emscripten.NoEntry,          // __syscall_openat
	"E": emscripten.NoEntry,          // __syscall_unlinkat
}

func newLibheif(c wasm.Config) *wasm.Engine {
	return wasm.New(wasm.Program{
		Name: "libheif", Code: func() ([]byte, error) { return packed.Brotli(libheifCode, nil) },
		Import: emscripten.Import("libheif", libheifHost), Start: []string{heifConstructors},
	}, c)
}
