package lookalike_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

func hashOf(t *testing.T, p *pixels.Picture) lookalike.Hash {
	t.Helper()
	h, ok := lookalike.Of(p)
	if !ok {
		t.Fatal("got no hash")
	}
	return h
}

// TestCopiesAreNear checks that copies of a picture have near hashes, and that those of other pictures are far.
func TestCopiesAreNear(t *testing.T) {
	decoder := pixels.NewDecoder(budget.New(1<<30), wasm.Config{})
	t.Cleanup(func() {
		if err := decoder.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	recoded := func(e pixels.Encoding) func(p *pixels.Picture) *pixels.Picture {
		return func(p *pixels.Picture) *pixels.Picture {
			data, err := p.Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			q, release, err := decoder.Decode(t.Context(), data, pixels.Default)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
			return q
		}
	}
	changes := map[string]func(p *pixels.Picture) *pixels.Picture{
		"smaller":       func(p *pixels.Picture) *pixels.Picture { p.Fit(100, 100); return p },
		"thumbnail":     func(p *pixels.Picture) *pixels.Picture { p.Fit(64, 64); return p },
		"strong JPEG":   recoded(pixels.Encoding{Format: pixels.JPEG, Quality: 30}),
		"WebP":          recoded(pixels.Encoding{Format: pixels.WebP, Quality: 50}),
		"brighter":      changed(func(v byte) byte { return byte(min(int(v)*11/10+10, 255)) }),
		"darker":        changed(func(v byte) byte { return byte(int(v) * 4 / 5) }),
		"more contrast": changed(func(v byte) byte { return byte(min(max((int(v)-128)*6/5+128, 0), 255)) }),
	}
	var hashes []lookalike.Hash
	for seed := range uint32(5) {
		original := func() *pixels.Picture { return pixels.New(scene.New(320, 240, seed+1)) }
		h := hashOf(t, original())
		for name, change := range changes {
			if d := h.Distance(hashOf(t, change(original()))); d > lookalike.Near {
				t.Errorf("scene %d, %s: got distance %d, want at most %d", seed, name, d, lookalike.Near)
			}
		}
		for i, other := range hashes {
			if d := h.Distance(other); d <= lookalike.Near {
				t.Errorf("scenes %d and %d: got distance %d, want more than %d", seed, i, d, lookalike.Near)
			}
		}
		hashes = append(hashes, h)
	}
}

func changed(level func(byte) byte) func(p *pixels.Picture) *pixels.Picture {
	return func(p *pixels.Picture) *pixels.Picture {
		m := p.NRGBA()
		for i, v := range m.Pix {
			if i%4 != 3 {
				m.Pix[i] = level(v)
			}
		}
		return p
	}
}

// TestFlat checks that a picture of a single color has no hash.
func TestFlat(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 100, 80))
	draw.Draw(m, m.Rect, image.NewUniform(color.NRGBA{90, 120, 30, 255}), image.Point{}, draw.Src)
	if h, ok := lookalike.Of(pixels.New(m)); ok {
		t.Errorf("got hash %s, want none", h)
	}
}

// TestText checks that a hash survives its textual form, and that other texts are rejected.
func TestText(t *testing.T) {
	h := lookalike.Hash(0x00123456789abcde)
	if got, err := lookalike.Parse(h.String()); got != h || err != nil || h.String() != "00123456789abcde" {
		t.Errorf("got %v, %v, want %v", got, err, h)
	}
	for _, text := range []string{"", "12", "00123456789abcdg", "+0123456789abcde", "000123456789abcde"} {
		if _, err := lookalike.Parse(text); !errors.Is(err, lookalike.ErrHash) {
			t.Errorf("%q: got %v, want ErrHash", text, err)
		}
	}
	if d := lookalike.Hash(0b1011).Distance(0b0110); d != 3 {
		t.Errorf("got distance %d, want 3", d)
	}
}
