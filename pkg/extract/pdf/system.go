package pdf

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/assay-project/assay/pkg/extract/wasm"
)

// The only file that PDFium sees is its document.
const (
	documentPath = "/document"
	documentFD   = 3
)

// Error numbers of Emscripten, which are those of WASI.
const (
	errnoBadFD   = 8
	errnoInvalid = 28
	errnoIO      = 29
	errnoNoEntry = 44
)

// file is the document as seen by PDFium.
type file struct {
	io.ReaderAt
	size, at int64
	err      error // error of the reader, except io.EOF
}

type fileKey struct{}

func opened(ctx context.Context) *file { return ctx.Value(fileKey{}).(*file) }

// hostFunction implements an import. stack contains the arguments; the function stores its result in stack[0].
type hostFunction = func(ctx context.Context, m api.Memory, stack []uint64)

// system provides PDFium with one file to read and with a stopped clock, so that the same document always produces the
// same result.
var system = map[string]hostFunction{
	"_abort_js":                 func(context.Context, api.Memory, []uint64) { panic("abort") },
	"_tzset_js":                 func(context.Context, api.Memory, []uint64) {},
	"_gmtime_js":                epoch,
	"_localtime_js":             epoch,
	"emscripten_date_now":       func(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = math.Float64bits(0) },
	"emscripten_resize_heap":    wasm.ResizeHeap,
	"_emscripten_throw_longjmp": throwLongjmp,
	"__syscall_openat":          openAt,
	"__syscall_fstat64":         status,
	"__syscall_fcntl64":         func(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = 0 },
	"environ_sizes_get":         environmentSizes,
	"environ_get":               func(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = 0 },
	"fd_close":                  func(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = 0 },
	"fd_write":                  write,
	"fd_read":                   read,
	"fd_seek":                   seek,
}

// importSystem provides the functions of system to PDFium; all other imports fail.
func importSystem(ctx context.Context, r wazero.Runtime, module wazero.CompiledModule) error {
	env := r.NewHostModuleBuilder("env")
	wasi := r.NewHostModuleBuilder("wasi_snapshot_preview1")
	for _, f := range module.ImportedFunctions() {
		from, name, _ := f.Import()
		to := env
		if from != "env" {
			to = wasi
		}
		if strings.HasPrefix(name, "invoke_") {
			to.NewFunctionBuilder().WithGoModuleFunction(invoke(f.ParamTypes(), f.ResultTypes()), f.ParamTypes(), f.ResultTypes()).Export(name)
			continue
		}
		serve := system[name]
		if serve == nil {
			serve = func(_ context.Context, _ api.Memory, stack []uint64) { stack[0] = api.EncodeI32(-errnoNoEntry) }
		}
		to.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
			serve(ctx, m.Memory(), stack)
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	if _, err := env.Instantiate(ctx); err != nil {
		return err
	}
	_, err := wasi.Instantiate(ctx)
	return err
}

// memoryAt returns memory of the module. An address outside the memory ends the call.
func memoryAt(m api.Memory, at, size uint32) []byte {
	b, ok := m.Read(at, size)
	if !ok {
		panic("address outside the memory")
	}
	return b
}

func epoch(_ context.Context, m api.Memory, stack []uint64) {
	const tm = 44                                              // size of struct tm: nine int, then tm_gmtoff
	tmAt := api.DecodeU32(stack[1])                            // stack[0] is time_t, an i64
	clear(memoryAt(m, tmAt, tm))                               // 00:00:00, January
	binary.LittleEndian.PutUint32(memoryAt(m, tmAt+12, 4), 1)  // tm_mday: the first
	binary.LittleEndian.PutUint32(memoryAt(m, tmAt+20, 4), 70) // tm_year: 1970
	binary.LittleEndian.PutUint32(memoryAt(m, tmAt+24, 4), 4)  // tm_wday: Thursday
}

func openAt(_ context.Context, m api.Memory, stack []uint64) {
	path := memoryAt(m, api.DecodeU32(stack[1]), uint32(len(documentPath))+1)
	if string(path) != documentPath+"\x00" {
		stack[0] = api.EncodeI32(-errnoNoEntry)
		return
	}
	stack[0] = documentFD
}

func status(ctx context.Context, m api.Memory, stack []uint64) {
	if api.DecodeU32(stack[0]) != documentFD {
		stack[0] = api.EncodeI32(-errnoBadFD)
		return
	}
	b := memoryAt(m, api.DecodeU32(stack[1]), 96) // struct stat
	clear(b)
	binary.LittleEndian.PutUint32(b[4:], 0o100400)                  // st_mode: a regular file
	binary.LittleEndian.PutUint64(b[24:], uint64(opened(ctx).size)) // st_size
	binary.LittleEndian.PutUint32(b[32:], 4096)                     // st_blksize
	stack[0] = 0
}

func environmentSizes(_ context.Context, m api.Memory, stack []uint64) {
	clear(memoryAt(m, api.DecodeU32(stack[0]), 4))
	clear(memoryAt(m, api.DecodeU32(stack[1]), 4))
	stack[0] = 0
}

// write discards PDFium's output.
func write(_ context.Context, m api.Memory, stack []uint64) {
	var n uint32
	eachVector(m, stack, func(b []byte) bool { n += uint32(len(b)); return true })
	binary.LittleEndian.PutUint32(memoryAt(m, api.DecodeU32(stack[3]), 4), n)
	stack[0] = 0
}

func read(ctx context.Context, m api.Memory, stack []uint64) {
	if api.DecodeU32(stack[0]) != documentFD {
		stack[0] = errnoBadFD
		return
	}
	f, n := opened(ctx), 0
	eachVector(m, stack, func(b []byte) bool {
		got, err := f.ReadAt(b, f.at)
		f.at, n = f.at+int64(got), n+got
		if err != nil && !errors.Is(err, io.EOF) && f.err == nil {
			f.err = err
		}
		return err == nil
	})
	if f.err != nil {
		stack[0] = errnoIO
		return
	}
	binary.LittleEndian.PutUint32(memoryAt(m, api.DecodeU32(stack[3]), 4), uint32(n))
	stack[0] = 0
}

// eachVector calls f with the buffers of an iovec array until it returns false.
func eachVector(m api.Memory, stack []uint64, f func([]byte) bool) {
	vectors := api.DecodeU32(stack[1])
	for i := range api.DecodeU32(stack[2]) {
		v := memoryAt(m, vectors+8*i, 8)
		if !f(memoryAt(m, binary.LittleEndian.Uint32(v), binary.LittleEndian.Uint32(v[4:]))) {
			return
		}
	}
}

func seek(ctx context.Context, m api.Memory, stack []uint64) {
	if api.DecodeU32(stack[0]) != documentFD {
		stack[0] = errnoBadFD
		return
	}
	f, to := opened(ctx), int64(stack[1])
	switch api.DecodeU32(stack[2]) {
	case io.SeekCurrent:
		to += f.at
	case io.SeekEnd:
		to += f.size
	}
	if to < 0 {
		stack[0] = errnoInvalid
		return
	}
	f.at = to
	binary.LittleEndian.PutUint64(memoryAt(m, api.DecodeU32(stack[3]), 8), uint64(to))
	stack[0] = 0
}
