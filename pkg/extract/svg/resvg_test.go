package svg_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/svg"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

var engine *svg.Engine

func TestMain(m *testing.M) {
	os.Exit(wasmtest.Main(m, svg.New, func(e *svg.Engine) { engine = e }))
}

const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" `

const scene = head + `viewBox="0 0 200 100"><rect width="100" height="100" fill="#f00"/><rect x="150" width="50" height="100" fill="#00f" opacity=".5"/></svg>`

func compress(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDraw(t *testing.T) {
	for name, svg := range map[string][]byte{"plain": []byte(scene), "compressed": compress(t, scene)} {
		m, err := engine.Draw(t.Context(), svg, 400, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.Rect != image.Rect(0, 0, 400, 200) {
			t.Errorf("%s: got size %v, want 400 × 200", name, m.Rect)
		}
		red, none, blue := m.NRGBAAt(100, 100), m.NRGBAAt(250, 100), m.NRGBAAt(350, 100)
		if red.R != 255 || red.A != 255 || none.A != 0 || blue.B < 250 || blue.A < 126 || blue.A > 129 {
			t.Errorf("%s: got pixels %v, %v and %v, want red, transparent and half-transparent blue", name, red, none, blue)
		}
	}
	tall, err := engine.Draw(t.Context(), []byte(strings.Replace(scene, "0 0 200 100", "0 0 100 400", 1)), 400, 0)
	if err != nil || tall.Rect != image.Rect(0, 0, 100, 400) {
		t.Errorf("tall picture: got %v, error %v, want a picture of 100 × 400", tall, err)
	}
}

// TestTextIsDrawn checks that text is drawn in the embedded fonts.
func TestTextIsDrawn(t *testing.T) {
	for _, family := range []string{"Helvetica", "monospace", "serif", "No Such Font"} {
		m, err := engine.Draw(t.Context(), []byte(head+`viewBox="0 0 200 50"><text x="5" y="40" font-size="40" font-family="`+family+`">Wave</text></svg>`), 200, 0)
		if err != nil {
			t.Fatal(err)
		}
		dark := 0
		for i := 3; i < len(m.Pix); i += 4 {
			if m.Pix[i] > 128 {
				dark++
			}
		}
		if dark < 500 {
			t.Errorf("%s: got %d dark pixels, want at least 500", family, dark)
		}
	}
}

// TestHostilePictures checks that each hostile picture is drawn or fails with a known reason, and that the next picture
// is drawn.
func TestHostilePictures(t *testing.T) {
	billion := `<!DOCTYPE svg [<!ENTITY a0 "lol">`
	for i := range 12 {
		billion += fmt.Sprintf(`<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
	}
	uses := head + `viewBox="0 0 9 9"><g id="u0"><rect width="9" height="9"/></g>`
	for i := range 20 {
		uses += fmt.Sprintf(`<g id="u%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use xlink:href="#u%d"/>`, i), 8))
	}
	for name, c := range map[string]struct {
		svg  string
		want error
	}{
		"empty":     {"", svg.ErrDamaged},
		"not SVG":   {"<html></html>", svg.ErrDamaged},
		"truncated": {scene[:100], svg.ErrDamaged},
		"no size":   {head + `width="0" height="9"></svg>`, svg.ErrDamaged},
		"entities":  {billion + `]>` + head + `><text>&a12;</text></svg>`, nil},
		"uses":      {uses + "</svg>", nil},
		"wide":      {head + `viewBox="0 0 1e9 1"></svg>`, nil},
		"external":  {head + `viewBox="0 0 9 9"><image xlink:href="/etc/passwd" width="9" height="9"/></svg>`, nil},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := engine.Draw(ctx, []byte(c.svg), 500, 0)
		cancel()
		if reason := reasonOf(t, err); c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: got %s, error %v, want %v", name, reason, err, c.want)
		}
		t.Log(name, err)
		if _, err := engine.Draw(t.Context(), []byte(scene), 100, 0); err != nil {
			t.Errorf("after %s: got error %v, want nil", name, err)
		}
	}
}

func reasonOf(t *testing.T, err error) string {
	t.Helper()
	for name, target := range map[string]error{
		"damaged": svg.ErrDamaged, "crashed": wasm.ErrCrashed, "memory": wasm.ErrMemory, "time": context.DeadlineExceeded,
	} {
		if errors.Is(err, target) {
			return name
		}
	}
	if err != nil {
		t.Errorf("got error %v, want one with a known reason", err)
	}
	return "drawn"
}

var mutations = flag.Int("mutations", 60, "number of mutated pictures that TestMutatedPictures draws")

func TestMutatedPictures(t *testing.T) {
	good := head + `viewBox="0 0 90 90"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1"/></linearGradient>
<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><clipPath id="c"><circle r="40"/></clipPath></defs>
<path d="M1 1C20 30 40 5 60 60z" fill="url(#g)" filter="url(#f)"/><g clip-path="url(#c)" transform="rotate(3)"><text x="4" y="40">Ab</text></g></svg>`
	rng := rand.New(rand.NewPCG(2, 20))
	ends := map[string]int{}
	for range *mutations {
		data := []byte(good)
		for range rng.IntN(8) {
			data[rng.IntN(len(data))] = byte(32 + rng.IntN(95))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := engine.Draw(ctx, data, 100, 0)
		cancel()
		ends[reasonOf(t, err)]++
	}
	t.Log(ends)
	if ends["drawn"] == 0 || ends["damaged"] == 0 {
		t.Errorf("got %v, want some pictures that are drawn and some that are damaged", ends)
	}
}

func TestDrawEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Draw(ctx, []byte(scene), 100, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}
