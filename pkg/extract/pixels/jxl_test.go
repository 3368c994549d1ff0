package pixels_test

import (
	"slices"
	"testing"
)

// TestJXL compares lossy and lossless pictures with libjxl (testdata/SOURCE).
func TestJXL(t *testing.T) {
	for name, remarks := range map[string][]string{"lossy": nil, "gray16": {"16 bits per channel were reduced to 8"}, "alpha": nil} {
		p, want := decode(t, read(t, "testdata/"+name+".jxl")), decode(t, read(t, "testdata/"+name+"-jxl.png"))
		if p.Width() != want.Width() || p.Height() != want.Height() || p.Opaque() != want.Opaque() {
			t.Errorf("%s: got %d × %d pixels, opaque %t, want %d × %d, %t", name, p.Width(), p.Height(), p.Opaque(), want.Width(), want.Height(), want.Opaque())
			continue
		}
		if mean, _ := rootMeanSquare(t, p.NRGBA(), want.NRGBA()); mean > 1 {
			t.Errorf("%s: got a root mean square difference of %.2f, want at most 1", name, mean)
		}
		if !slices.Equal(p.Remarks, remarks) {
			t.Errorf("%s: got remarks %q, want %q", name, p.Remarks, remarks)
		}
	}
}

// TestJXLPatches checks a page of text, for which the decoder keeps further frames.
func TestJXLPatches(t *testing.T) {
	p := decode(t, read(t, "testdata/patches.jxl"))
	dark := 0
	for _, v := range p.Luma().Pix {
		if v < 64 {
			dark++
		}
	}
	if p.Width() != 1600 || p.Height() != 1100 || dark < 20_000 || dark > 200_000 {
		t.Errorf("got %d × %d pixels, %d of them dark, want 1600 × 1100 with text", p.Width(), p.Height(), dark)
	}
}
