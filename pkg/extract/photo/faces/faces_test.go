package faces

import (
	"context"
	"errors"
	"image"
	"reflect"
	"slices"
	"strings"
	"sync"
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

func newFinder(t *testing.T) *Finder {
	t.Helper()
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// man is where the face is in the sample.
var man = image.Rect(65, 95, 165, 200)

// TestFind checks that a face is found where it is, also in concurrent calls, and that nothing is found in a drawing of
// shapes.
func TestFind(t *testing.T) {
	f := newFinder(t)
	p, release, err := pixels.NewDecoder(budget.New(1<<30), wasm.Config{}).Decode(t.Context(), sample.Portrait(t), pixels.Default)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	first, err := f.Find(t.Context(), p, Sure)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 1 || first[0].Confidence < Sure || first[0].Confidence > 1 || !first[0].Box.In(man) || first[0].Box.Dx() < man.Dx()*3/4 {
		t.Fatalf("got %+v, want one face in %v", first, man)
	}
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			if again, err := f.Find(t.Context(), p.Copy(), Sure); err != nil || !reflect.DeepEqual(again, first) {
				t.Errorf("concurrent call: got %+v, %v, want %+v", again, err, first)
			}
		})
	}
	calls.Wait()
	// Four small copies in a large photo of shapes are found in its parts.
	m, small := scene.New(1600, 1200, 3), p.Copy()
	small.Fit(210, 280)
	for _, at := range []image.Point{{0, 0}, {1390, 10}, {700, 460}, {20, 920}} {
		for y := range small.Height() {
			copy(m.Pix[m.PixOffset(at.X, at.Y+y):], small.NRGBA().Pix[small.NRGBA().PixOffset(0, y):][:4*small.Width()])
		}
	}
	if found, err := f.Find(t.Context(), pixels.New(m), Sure); err != nil || len(found) != 4 {
		t.Errorf("got %+v, %v, want four faces", found, err)
	}
	if found, err := f.Find(t.Context(), pixels.New(scene.New(640, 480, 3)), Likely); err != nil || len(found) != 0 {
		t.Errorf("got %+v, %v, want no faces", found, err)
	}
	why := errors.New("the attempt took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := f.Find(ctx, p, Sure); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}

// TestStarts checks that the parts cover all pixels, and that neighbors overlap by at least 48 pixels.
func TestStarts(t *testing.T) {
	for _, test := range []struct {
		pixels int
		want   []int
	}{{1, []int{0}}, {192, []int{0}}, {193, []int{0, 1}}, {336, []int{0, 144}}} {
		if got := starts(test.pixels); !slices.Equal(got, test.want) {
			t.Errorf("starts(%d) = %v, want %v", test.pixels, got, test.want)
		}
	}
}

// TestMemoryIsBounded checks that Find uses at most Memory bytes.
func TestMemoryIsBounded(t *testing.T) {
	f, p := newFinder(t), pixels.New(scene.New(512, 512, 3))
	used := peak.Of(func() {
		if _, err := f.Find(t.Context(), p, Sure); err != nil {
			t.Error(err)
		}
	})
	if used > Memory {
		t.Errorf("used %d MB, want at most %d", used>>20, Memory>>20)
	}
	t.Logf("%d of %d MB", used>>20, Memory>>20)
}

// TestDistinct checks that of several boxes of one face only the one with the highest confidence remains.
func TestDistinct(t *testing.T) {
	at := func(x, width int) image.Rectangle { return image.Rect(x, 0, x+width, 100) }
	got := distinct([]Face{{at(10, 100), 0.7}, {at(0, 100), 0.9}, {at(60, 40), 0.8}, {at(95, 100), 0.6}})
	if want := []Face{{at(0, 100), 0.9}, {at(95, 100), 0.6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
