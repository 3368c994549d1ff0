package pdf

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

//go:embed pdfium.wasm.br
var program []byte

func code() ([]byte, error) { return packed.Brotli(program, nil) }

// Errors of a document. They are permanent: the same bytes fail again.
const (
	ErrLocked  = reason.DocumentLocked
	ErrDamaged = reason.NotPDF
	ErrPage    = reason.PDFPage
)

// Version names the program in results.
const Version = "pdfium 2.1.13"

// Memory is the default memory limit of a document, in bytes.
const Memory = 256 << 20

// initial is the initial memory of PDFium.
const initial = 18 << 20

// Engine reads PDF documents. It is safe for concurrent use.
type Engine struct{ engine *wasm.Engine }

// New returns an Engine, which compiles PDFium at the first call to Prepare or Open. The caller must close it.
func New(cfg wasm.Config) *Engine {
	return &Engine{wasm.New(wasm.Program{
		Name: "PDFium", Code: code, Import: importSystem,
		Start: []string{"emscripten_stack_init", "__wasm_call_ctors", "FPDF_InitLibrary"},
	}, cfg)}
}

// Prepare compiles PDFium and waits until the compilation or ctx is done.
func (e *Engine) Prepare(ctx context.Context) error { return e.engine.Prepare(ctx) }

// Close releases PDFium. All documents must be closed.
func (e *Engine) Close(ctx context.Context) error { return e.engine.Close(ctx) }

// Document is an open PDF in its own instance. After the first error of the instance, such as the end of its context,
// all calls fail. A Document is not safe for concurrent use.
type Document struct {
	instance *wasm.Instance
	file     *file
	handle   uint64
	pages    int
	form     uint64 // handle of the form environment, or 0 before the first page with annotations
}

// Limits are the limits of an open document. 0 selects the default.
type Limits struct {
	Memory int64         // in bytes; default: Memory
	Time   time.Duration // from Open to Close, without the wait for the compilation; default: no limit
}

// Open opens the document in r, which has size bytes and is read until Close. ctx bounds all work on the document. Open
// returns ErrLocked, ErrDamaged, the errors of engines, and those of r. The caller must close the Document.
func (e *Engine) Open(ctx context.Context, r io.ReaderAt, size int64, l Limits) (*Document, error) {
	if l.Memory == 0 {
		l.Memory = Memory
	}
	f := &file{ReaderAt: r, size: size}
	instance, err := e.engine.Start(context.WithValue(ctx, fileKey{}, f), wasm.Limits{Memory: l.Memory, First: min(initial, l.Memory), Time: l.Time})
	if err != nil {
		return nil, err
	}
	d := &Document{instance: instance, file: f}
	if err := d.load(); err != nil {
		return nil, errors.Join(err, instance.Close())
	}
	return d, nil
}

// Codes of FPDF_GetLastError.
const (
	codePassword = 4
	codeSecurity = 5
)

func (d *Document) load() error {
	path := d.cString(documentPath)
	if path == 0 {
		return d.err(ErrDamaged)
	}
	if d.handle = d.instance.Call("FPDF_LoadDocument", path, 0); d.handle == 0 {
		switch d.instance.Call("FPDF_GetLastError") {
		case codePassword, codeSecurity:
			return d.err(ErrLocked)
		}
		return d.err(ErrDamaged)
	}
	d.pages = int(int32(d.instance.Call("FPDF_GetPageCount", d.handle)))
	if d.pages <= 0 {
		return d.err(ErrDamaged.With(reason.NoPages))
	}
	return d.err(nil)
}

// err returns the error of the instance, or else the error of the file, or else the given error.
func (d *Document) err(otherwise error) error {
	switch {
	case d.instance.Err() != nil:
		return d.instance.Err()
	case d.file.err != nil:
		return fmt.Errorf("read the document: %w", d.file.err)
	case otherwise != nil && d.instance.OutOfMemory():
		return wasm.ErrMemory
	}
	return otherwise
}

// allocate returns zeroed memory of the instance, or 0.
func (d *Document) allocate(size uint64) uint64 {
	at := d.instance.Call("malloc", size)
	if at != 0 {
		clear(d.instance.Bytes(at, size))
	}
	return at
}

// cString returns a copy of a string, which must not contain NUL, in the memory of the instance, or 0.
func (d *Document) cString(s string) uint64 {
	at := d.allocate(uint64(len(s)) + 1)
	if at != 0 {
		copy(d.instance.Bytes(at, uint64(len(s))), s)
	}
	return at
}

// longestString is the maximum length of a string of PDFium that is read, in bytes of UTF-16.
const longestString = 64 << 10

// wide returns the UTF-16 string that a function of PDFium writes to a buffer, which its last two arguments describe. It
// returns "" for strings longer than longestString.
func (d *Document) wide(function string, arguments ...uint64) string {
	size := d.instance.Call(function, append(arguments, 0, 0)...) // in bytes, with the terminator
	if size <= 2 || size > longestString {
		return ""
	}
	buffer := d.allocate(size)
	if buffer == 0 {
		return ""
	}
	defer d.free(buffer)
	d.instance.Call(function, append(arguments, buffer, size)...)
	return strings.TrimSpace(utf16Text(d.instance.Bytes(buffer, size-2), nil))
}

func (d *Document) free(at uint64) {
	if at != 0 {
		d.instance.Call("free", at)
	}
}

// Pages returns the number of pages.
func (d *Document) Pages() int { return d.pages }

// Close releases the document and its memory.
func (d *Document) Close() error { return d.instance.Close() }
