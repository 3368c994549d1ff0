package rendition_test

import (
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/pkg/photojob/rendition"
)

// TestNames checks that every rendition has one name, from which it is parsed.
func TestNames(t *testing.T) {
	for name, r := range map[string]rendition.Rendition{
		"full.jpg":                           {Format: "jpeg"},
		"w800.webp":                          {Width: 800, Format: "webp"},
		"h600-q70.webp":                      {Height: 600, Quality: 70, Format: "webp"},
		"w800h600-cover-northwest-q1.jpg":    {Width: 800, Height: 600, Cover: true, Gravity: operation.Northwest, Quality: 1, Format: "jpeg"},
		"c16x9-south-original.png":           {Ratio: "16:9", Gravity: operation.South, Original: true, Format: "png"},
		"w4096h4096-c1x1-q100-original.webp": {Width: 4096, Height: 4096, Ratio: "1:1", Quality: 100, Original: true, Format: "webp"},
	} {
		if got := r.Name(); got != name {
			t.Errorf("%+v: got name %q, want %q", r, got, name)
		}
		if wrong := r.Check(); len(wrong) > 0 {
			t.Errorf("%+v: got violations %+v, want none", r, wrong)
		}
		if got, ok := rendition.Parse(name); !ok || got != r {
			t.Errorf("Parse(%q) = %+v, %t, want %+v", name, got, ok, r)
		}
	}
	for _, name := range []string{
		"", "w800", ".webp", "w800.gif", "w800.jpeg", "w0.webp", "w4097.webp", "w800-full.webp", "q70-w800.webp", "w800-w900.webp", "cover.webp",
		"w800-cover.webp", "w8h8-cover-c1x1.webp", "c0x9.webp", "c100x1.webp", "north.webp", "w800-center.webp", "q101.webp", "q80.png", "q080.webp", "download", "w800.webp.jpg",
	} {
		if got, ok := rendition.Parse(name); ok {
			t.Errorf("Parse(%q) = %+v, want no rendition", name, got)
		}
	}
}

// TestCheck checks the violations in renditions that no name can state.
func TestCheck(t *testing.T) {
	for field, r := range map[string]rendition.Rendition{
		"width": {Width: -1, Format: "jpeg"}, "height": {Height: 5000, Format: "jpeg"}, "format": {Format: "heic"}, "quality": {Quality: 80, Format: "png"},
		"cover": {Cover: true, Width: 8, Format: "png"}, "aspectRatio": {Ratio: "16/9", Format: "png"}, "gravity": {Gravity: "faces", Ratio: "1:1", Format: "png"},
	} {
		if wrong := r.Check(); len(wrong) != 1 || wrong[0].Field != field {
			t.Errorf("%+v: got violations %+v, want one of %s", r, wrong, field)
		}
	}
}
