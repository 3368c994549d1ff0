package local_test

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo"
	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/local"
)

func newProvider(t *testing.T) provider.Provider {
	t.Helper()
	return local.New(pixels.NewDecoder(budget.New(1<<30), wasm.Config{}), photo.Config{Limits: pixels.Default, Faces: true})
}

// sample returns a PNG of width × height pixels.
func sample(t *testing.T, width, height int, seed uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, scene.New(width, height, seed)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestResults checks that descriptions and edits are those of package photo, at no cost.
func TestResults(t *testing.T) {
	p, image := newProvider(t), sample(t, 320, 240, 9)
	free := provider.Usage{Model: local.Version}
	a, usage, err := p.Analyze(t.Context(), provider.Call{Image: image})
	if err != nil || a.Description == "" || len(a.Labels) == 0 || a.Labels[0].Name == "" || a.SafeSearch != nil || usage != free {
		t.Errorf("got %+v, %+v, %v; want labels and a description without a rating or cost", a, usage, err)
	}
	e, usage, err := p.Edit(t.Context(), provider.Call{
		Image: image, Prompt: "sepia, add a cat",
		Options: provider.Options{Format: "jpeg", Quality: 50, Width: 100, Height: 90, AspectRatio: "1:1"},
	})
	if err != nil || e.Format != "jpeg" || e.Width != 90 || e.Height != 90 || e.Degraded != "not understood: add a cat" || usage != free {
		t.Errorf("got %s, %d × %d, degraded %q, %+v, %v; want a JPEG of 90 × 90 pixels without a cat or cost", e.Format, e.Width, e.Height, e.Degraded, usage, err)
	}
}

// TestOutputs checks that the results of the option outputs are returned in order.
func TestOutputs(t *testing.T) {
	e, _, err := newProvider(t).Edit(t.Context(), provider.Call{
		Image: sample(t, 320, 240, 9), Prompt: "sepia",
		Options: provider.Options{Outputs: []operation.Output{{Format: "webp", Width: 100}, {Height: 60}}},
	})
	if err != nil || len(e.Outputs) != 2 {
		t.Fatalf("got %d outputs, %v, want 2", len(e.Outputs), err)
	}
	for i, want := range []provider.Output{{Format: "webp", Width: 100, Height: 75}, {Format: "png", Width: 80, Height: 60}} {
		if o := e.Outputs[i]; o.Format != want.Format || o.Width != want.Width || o.Height != want.Height || pixels.Sniff(o.Image) != pixels.Format(want.Format) {
			t.Errorf("%d: got %s, %d × %d, want %s, %d × %d", i, o.Format, o.Width, o.Height, want.Format, want.Width, want.Height)
		}
	}
}

// TestErrors checks that errors are permanent and not billed.
func TestErrors(t *testing.T) {
	p, photo := newProvider(t), sample(t, 320, 240, 9)
	for code, call := range map[string]provider.Call{
		provider.PromptNotUnderstood: {Image: photo, Prompt: "put a hat on the dog"},
		provider.UnsupportedFormat:   {Image: []byte("%PDF-1.4 of the dog")},
		provider.ImageUnreadable:     {Image: photo[:len(photo)/2]},
		provider.ImageTooLarge:       {Image: append(photo[:len(photo):len(photo)], make([]byte, pixels.Default.Bytes)...)},
	} {
		_, _, err := p.Edit(t.Context(), call)
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Class != provider.Permanent || e.Code != code || e.Billed != provider.NotBilled {
			t.Errorf("got error %v, want a permanent %s, not billed", err, code)
		}
		if code == provider.PromptNotUnderstood && !strings.Contains(err.Error(), "crop W:H") {
			t.Errorf("got error %v, want it to list the instructions", err)
		}
	}
}

// TestCanceled checks that a canceled call returns the cause of its context.
func TestCanceled(t *testing.T) {
	why := errors.New("the attempt took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, _, err := newProvider(t).Edit(ctx, provider.Call{Image: sample(t, 64, 64, 1)}); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}
