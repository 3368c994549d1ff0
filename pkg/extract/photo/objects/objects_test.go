package objects

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"reflect"
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

//go:embed SOURCE
var source string

// TestModelIsPinned compares the model with the checksum in SOURCE, and checks that its licenses are present.
func TestModelIsPinned(t *testing.T) {
	for _, file := range [][]byte{model, weights} {
		if sum := fmt.Sprintf("%x", sha256.Sum256(file)); !strings.Contains(source, "sha256 "+sum) {
			t.Errorf("SOURCE does not contain the checksum %s", sum)
		}
	}
	if !strings.Contains(Notice(), "RangiLyu") || !strings.Contains(Notice(), "MIT License") || !strings.Contains(Notice(), "Apache License") {
		t.Error("Notice() does not contain all licenses")
	}
	if len(names) != 80 {
		t.Errorf("got %d classes, want 80", len(names))
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

func newFinder(t *testing.T) *Finder {
	t.Helper()
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFind checks that a person is found at the expected position, also in concurrent calls, and
// that nothing is found in a drawing of shapes.
func TestFind(t *testing.T) {
	f, p := newFinder(t), portrait(t)
	first, err := f.Find(t.Context(), p, Confidence)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 1 || first[0].Name != "person" || first[0].Confidence < Confidence || first[0].Confidence > 1 {
		t.Fatalf("got %+v, want one person", first)
	}
	if box := first[0].Box; box.Dx() < p.Width()/2 || box.Dy() < p.Height()/2 || !box.In(image.Rect(0, 0, p.Width(), p.Height())) {
		t.Errorf("got box %v, want one within %d × %d that covers at least half of each side", box, p.Width(), p.Height())
	}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if again, err := f.Find(t.Context(), p.Copy(), Confidence); err != nil || !reflect.DeepEqual(again, first) {
				t.Errorf("concurrent call: got %+v, %v, want %+v", again, err, first)
			}
		})
	}
	calls.Wait()
	if found, err := f.Find(t.Context(), pixels.New(scene.New(640, 480, 3)), Confidence); err != nil || len(found) != 0 {
		t.Errorf("got %+v, %v, want no objects", found, err)
	}
	why := errors.New("the attempt took too long")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := f.Find(ctx, p, Confidence); !errors.Is(err, why) {
		t.Errorf("got error %v, want %v", err, why)
	}
}

// TestMemoryIsBounded checks that Find uses at most Memory bytes.
func TestMemoryIsBounded(t *testing.T) {
	f, p := newFinder(t), pixels.New(scene.New(side, side, 3))
	used := peak.Of(func() {
		if _, err := f.Find(t.Context(), p, Confidence); err != nil {
			t.Error(err)
		}
	})
	if used > Memory {
		t.Errorf("used %d MB, want at most %d", used>>20, Memory>>20)
	}
	t.Logf("%d of %d MB", used>>20, Memory>>20)
}

// TestDistinct checks that of several boxes of one object only the one with the highest confidence
// remains, and that other boxes remain.
func TestDistinct(t *testing.T) {
	at := func(x int) image.Rectangle { return image.Rect(x, 0, x+100, 100) }
	got := distinct([]Object{{"cat", 0.7, at(10)}, {"dog", 0.8, at(10)}, {"cat", 0.9, at(0)}, {"cat", 0.75, at(60)}})
	want := []Object{{"cat", 0.9, at(0)}, {"dog", 0.8, at(10)}, {"cat", 0.75, at(60)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAround checks that distances are the means of their distributions, in cells.
func TestAround(t *testing.T) {
	logits := make([]float32, 4*bins) // uniform distribution: 5 cells on average
	logits[3*bins+2] = 100            // except for the lower side: 2
	if got, want := around(10, 3, 8, logits), image.Rect(84-40, 28-40, 84+40, 28+16); got != want {
		t.Errorf("around(10, 3, 8, …) = %v, want %v", got, want)
	}
}
