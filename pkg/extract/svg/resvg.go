package svg

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"time"

	"github.com/tetratelabs/wazero/api"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/assay-project/assay/pkg/extract/packed"
	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

//go:embed resvg.wasm.br
var program []byte

func code() ([]byte, error) { return packed.Brotli(program, nil) }

// ErrDamaged is returned for a picture that cannot be drawn. It is permanent: the same bytes fail again.
const ErrDamaged = reason.DrawingDamaged

// Version names the program in results.
const Version = "resvg 2.6.2"

// Memory is the memory limit of a picture, in bytes.
const Memory = 256 << 20

// Engine draws SVG. It is safe for concurrent use.
type Engine struct{ engine *wasm.Engine }

// New returns an Engine, which compiles resvg at the first call to Prepare or Draw. The caller must close it.
func New(cfg wasm.Config) *Engine {
	return &Engine{wasm.New(wasm.Program{Name: "resvg", Code: code, Import: importObjects}, cfg)}
}

// Prepare compiles resvg and waits until the compilation or ctx is done.
func (e *Engine) Prepare(ctx context.Context) error { return e.engine.Prepare(ctx) }

// Close releases resvg. All calls to Draw must have returned.
func (e *Engine) Close(ctx context.Context) error { return e.engine.Close(ctx) }

// Draw draws an SVG, which can be compressed with gzip, scaled to fit a square of longest × longest pixels. The
// background is transparent. Text is always drawn in the Go fonts. Embedded pictures are drawn; nothing is fetched. limit
// is the maximum time, without the wait for the compilation; 0 means no limit. Draw returns ErrDamaged and the errors of
// engines.
func (e *Engine) Draw(ctx context.Context, svg []byte, longest int, limit time.Duration) (_ *image.NRGBA, err error) {
	values := &objects{}
	instance, err := e.engine.Start(context.WithValue(ctx, objectsKey{}, values), wasm.Limits{Memory: Memory, First: 4 << 20, Time: limit})
	if err != nil {
		return nil, err
	}
	d := &drawing{Instance: instance, objects: values}
	defer func() { err = errors.Join(err, instance.Close()) }()
	return d.draw(svg, longest)
}

// drawing is one call of Draw.
type drawing struct {
	*wasm.Instance
	objects *objects
}

func (d *drawing) draw(svg []byte, longest int) (*image.NRGBA, error) {
	tree, err := d.parse(svg, "width", longest)
	if err != nil {
		return nil, err
	}
	w := api.DecodeF32(d.Call("resvg_width", tree))
	h := api.DecodeF32(d.Call("resvg_height", tree))
	if h > w {
		d.Call("__wbg_resvg_free", tree)
		if tree, err = d.parse(svg, "height", longest); err != nil {
			return nil, err
		}
	}
	picture, err := d.result("resvg_render", tree)
	if err != nil {
		return nil, err
	}
	width, height := d.Call("renderedimage_width", picture), d.Call("renderedimage_height", picture)
	handle := d.Call("renderedimage_pixels", picture)
	if d.Err() != nil {
		return nil, d.Err()
	}
	pixels, ok := d.objects.take(handle).(ownBytes)
	if !ok || width == 0 || height == 0 || width > uint64(longest) || height > uint64(longest) || uint64(len(pixels)) != 4*width*height {
		return nil, fmt.Errorf("%w: %d × %d pixels in %d bytes", ErrDamaged, width, height, len(pixels))
	}
	drawn := &image.RGBA{Pix: pixels, Stride: 4 * int(width), Rect: image.Rect(0, 0, int(width), int(height))}
	out := image.NewNRGBA(drawn.Rect)
	draw.Draw(out, out.Rect, drawn, image.Point{}, draw.Src)
	return out, nil
}

// options are the options of resvg-js.
type options struct {
	Fit struct {
		Mode  string `json:"mode"`
		Value int    `json:"value"`
	} `json:"fitTo"`
	Font struct {
		System    bool   `json:"loadSystemFonts"`
		Default   string `json:"defaultFontFamily"`
		Serif     string `json:"serifFamily"`
		SansSerif string `json:"sansSerifFamily"`
		Monospace string `json:"monospaceFamily"`
	} `json:"font"`
}

// parse returns the handle of a picture that is scaled to size pixels in the dimension mode, which is "width" or
// "height".
func (d *drawing) parse(svg []byte, mode string, size int) (uint64, error) {
	var o options
	o.Fit.Mode, o.Fit.Value = mode, size
	o.Font.Default, o.Font.Serif, o.Font.SansSerif, o.Font.Monospace = "Go", "Go", "Go", "Go Mono"
	text, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	at := d.Call("__wbindgen_malloc", uint64(len(text)), 1)
	copy(d.Bytes(at, uint64(len(text))), text)
	fonts := &list{}
	for _, font := range [][]byte{goregular.TTF, gobold.TTF, goitalic.TTF, gomono.TTF} {
		fonts.values = append(fonts.values, ownBytes(font))
	}
	return d.result("resvg_new", d.objects.add(ownBytes(svg)), at, uint64(len(text)), d.objects.add(fonts))
}

// result calls a function that writes a value, an error and a failure flag to an address, and returns the value or the
// error.
func (d *drawing) result(name string, args ...uint64) (uint64, error) {
	at := d.Call("__wbindgen_add_to_stack_pointer", 1<<32-16)
	d.Call(name, append([]uint64{at}, args...)...)
	b := d.Bytes(at, 12)
	if d.Err() != nil {
		return 0, d.Err()
	}
	value, failure := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if binary.LittleEndian.Uint32(b[8:]) != 0 {
		return 0, fmt.Errorf("%w: %.200v", ErrDamaged, d.objects.take(uint64(failure)))
	}
	d.Call("__wbindgen_add_to_stack_pointer", 16)
	if value == 0 {
		return 0, ErrDamaged
	}
	return uint64(value), d.Err()
}
