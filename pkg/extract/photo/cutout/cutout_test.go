package cutout

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo/sample"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/peak"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// TestNotice checks that the licenses of the model are present.
func TestNotice(t *testing.T) {
	if !strings.Contains(Notice(), "MediaPipe") || !strings.Contains(Notice(), "MIT License") || !strings.Contains(Notice(), "Apache License") {
		t.Error("Notice() does not contain all licenses")
	}
}

func portrait(t *testing.T) *pixels.Picture {
	t.Helper()
	p, release, err := pixels.NewDecoder(budget.New(1<<30), wasm.Config{}).Decode(t.Context(), sample.Portrait(t), pixels.Default)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return p
}

// TestPersons checks that in a portrait, the center belongs to the person and the upper corners do
// not, and that the rows of the mask have the width of the picture.
func TestPersons(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	p := portrait(t)
	mask, err := c.Persons(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	row, sure := make([]byte, p.Width()), 0
	at := func(x, y int) byte { mask.Row(y, row); return row[x] }
	if corners := [2]byte{at(0, 0), at(p.Width()-1, 0)}; corners != [2]byte{} {
		t.Errorf("got %v at the corners, want 0", corners)
	}
	if middle := at(p.Width()/2, p.Height()/2); middle != 255 {
		t.Errorf("got %d in the center, want 255", middle)
	}
	for y := range p.Height() {
		mask.Row(y, row)
		for _, v := range row {
			if v == 0 || v == 255 {
				sure++
			}
		}
	}
	if n := p.Width() * p.Height(); sure*100 < n*85 {
		t.Errorf("got a high confidence for %d of %d pixels, want at least 85%%", sure, n)
	}
	why := errors.New("the attempt took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := c.Persons(ctx, p); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}

// TestRow checks that a value of the model is at the center of its area and that the mask is linear
// between values, for pictures larger and smaller than the model's input.
func TestRow(t *testing.T) {
	for _, size := range []image.Point{{2560, 1024}, {256, 256}, {16, 40}, {12_000, 16}} {
		mask := &Mask{width: size.X, height: size.Y}
		for i := range mask.values {
			mask.values[i] = int32(i % side) // the index of the column
		}
		row := make([]byte, size.X)
		for _, y := range []int{0, size.Y / 2, size.Y - 1} {
			mask.Row(y, row)
			for x, got := range row {
				want := (2*float64(x)+1)*side/float64(size.X)/2 - 0.5
				want = min(max(want, 0), side-1)
				if float64(got)-want > 0.6 || want-float64(got) > 0.6 {
					t.Fatalf("%v: got %d at %d, want %.1f", size, got, x, want)
				}
			}
		}
	}
}

// TestMemoryIsBounded checks that Persons uses at most Memory bytes.
func TestMemoryIsBounded(t *testing.T) {
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	p := pixels.New(scene.New(side, side, 3))
	used := peak.Of(func() {
		if _, err := c.Persons(t.Context(), p); err != nil {
			t.Error(err)
		}
	})
	if used > Memory {
		t.Errorf("used %d MB, want at most %d", used>>20, Memory>>20)
	}
	t.Logf("%d of %d MB", used>>20, Memory>>20)
}
