package pixels_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestMissingEnd checks pictures that lack their last bytes: they are read, with a remark if pixels are missing. The
// pictures show a red square at the upper left and a blue one at the lower right.
func TestMissingEnd(t *testing.T) {
	for name, remark := range map[string]string{
		"no-eoi.jpg": "", "png-no-iend.png": "", "lost-40-bytes.jpg": "the file is damaged or ends early: 96 % of the picture could be read",
		"sub-2x2_1x1_1x2.jpg": "", // an unusual layout, complete
	} {
		p := decode(t, read(t, "testdata/"+name))
		if got := strings.Join(p.Remarks, ", "); got != remark {
			t.Errorf("%s: got remarks %q, want %q", name, got, remark)
		}
		m := p.NRGBA()
		if red, blue := m.NRGBAAt(10, 10), m.NRGBAAt(150, 100); m.Rect.Dx() != 160 || m.Rect.Dy() != 120 || red.R < 200 || red.B > 90 || blue.B < 200 || blue.R > 90 {
			t.Errorf("%s: got %v with %v at the upper left and %v at the lower right, want red and blue", name, m.Rect, red, blue)
		}
	}
}

// TestCutPicture checks that half of a picture is refused, and returned with Limits.Tolerant.
func TestCutPicture(t *testing.T) {
	photo := scene.New(320, 240, 1)
	whole := picture(t, photo).NRGBA()
	tolerant := pixels.Default
	tolerant.Tolerant = true
	for name, data := range map[string][]byte{"JPEG": jpegOf(t, photo), "PNG": pngOf(t, photo), "progressive": read(t, "testdata/progressive.jpg")} {
		cut := data[:len(data)/2]
		if _, err := tryDecode(t, cut, pixels.Default); !errors.Is(err, pixels.ErrUnreadable) || !strings.Contains(err.Error(), "% of the picture could be read") {
			t.Errorf("%s: got error %v, want ErrUnreadable with the share", name, err)
		}
		p, err := tryDecode(t, cut, tolerant)
		if err != nil {
			t.Errorf("%s: got error %v with Tolerant, want none", name, err)
			continue
		}
		if !slices.ContainsFunc(p.Remarks, func(s string) bool { return strings.HasSuffix(s, "% of the picture could be read") }) {
			t.Errorf("%s: got remarks %q, want one with the share", name, p.Remarks)
		}
		if name == "progressive" {
			continue
		}
		if got, want := p.NRGBA().NRGBAAt(160, 40), whole.NRGBAAt(160, 40); distance(got, want) > 20 {
			t.Errorf("%s: got %v in the part that was read, want about %v", name, got, want)
		}
		if p, err = tryDecode(t, data, tolerant); err != nil || len(p.Remarks) > 0 {
			t.Errorf("%s, complete: got error %v and remarks, want none", name, err)
		}
	}
}

// TestInterlacedRows checks that a PNG that lacks only its end is complete in every layout of its rows.
func TestInterlacedRows(t *testing.T) {
	for _, name := range []string{"interlaced-rgb.png", "interlaced-gray-1-bit.png", "palette-2-bit.png"} {
		data := read(t, "testdata/"+name)
		want := decode(t, data).NRGBA()
		p := decode(t, data[:len(data)-16]) // without the checksum of the pixels, and IEND
		if got := p.NRGBA(); string(got.Pix) != string(want.Pix) || len(p.Remarks) > 0 {
			t.Errorf("%s: the pixels differ, or there are remarks: %q", name, p.Remarks)
		}
	}
}
