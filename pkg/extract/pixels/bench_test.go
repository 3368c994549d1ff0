package pixels_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// BenchmarkChain runs the chain of docs/performance.md on a photo of 12 megapixels.
func BenchmarkChain(b *testing.B) {
	data := jpegOf(b, scene.New(4000, 3000, 1))
	decoder := pixels.NewDecoder(budget.New(memory), cache)
	for b.Loop() {
		p, release, err := decoder.Decode(b.Context(), data, pixels.Default)
		if err != nil {
			b.Fatal(err)
		}
		p.Fit(2048, 2048)
		p.AutoLevels()
		p.Sharpen(100)
		if _, err := p.Encode(pixels.Encoding{Format: pixels.JPEG}); err != nil {
			b.Fatal(err)
		}
		release()
	}
}
