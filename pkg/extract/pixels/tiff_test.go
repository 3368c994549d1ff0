package pixels_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// TestTIFF compares pictures of many layouts with their source (testdata/tiff/SOURCE).
func TestTIFF(t *testing.T) {
	for name, test := range map[string]struct {
		most   float64 // difference
		like   string  // a picture; "" for the scene
		remark string
	}{
		"tiles-separate-lzw": {},
		"jpeg":               {most: 24},
		"deep":               {remark: "16 bits per channel were reduced to 8"},
		"lab":                {most: 8},
		"cmyk":               {most: 2, remark: "CMYK"},
		"linear":             {most: 1, remark: "32 bits per channel were reduced to 8. floating-point colors were converted to sRGB as linear light"},
		"bt709":              {like: "bt709.png"},
		"palette":            {most: 1, like: "palette.png"},
		"fax":                {like: "fax.png"},
		"g3":                 {like: "fax.png"},
		"g3-2d":              {like: "fax.png"},
		"alpha":              {like: "alpha.png"},
		"pages":              {remark: "only the first of 2 pages was used"},
	} {
		p := decode(t, read(t, "testdata/tiff/"+name+".tif"))
		want := scene.New(96, 64, 3)
		if test.like != "" {
			want = decode(t, read(t, "testdata/tiff/"+test.like)).NRGBA()
		}
		if _, most := rootMeanSquare(t, p.NRGBA(), want); most > test.most {
			t.Errorf("%s: got a difference of %.0f, want at most %.0f", name, most, test.most)
		}
		if got := strings.Join(p.Remarks, ". "); !strings.Contains(got, test.remark) || test.remark == "" && got != "" {
			t.Errorf("%s: got remarks %q, want %q", name, got, test.remark)
		}
		if p.Opaque() == (name == "alpha") {
			t.Errorf("%s: got opaque %t", name, p.Opaque())
		}
	}
}

// TestTIFFOrientation checks that the orientation of the directory is applied.
func TestTIFFOrientation(t *testing.T) {
	want := pixels.New(scene.New(96, 64, 3))
	want.Rotate(90)
	got := decode(t, read(t, "testdata/tiff/big-endian-zip.tif"))
	if _, most := rootMeanSquare(t, got.NRGBA(), want.NRGBA()); most != 0 {
		t.Errorf("got a difference of %.0f from the scene rotated by 90°, want 0", most)
	}
}

// TestTIFFNamesFeature checks that a file of an unsupported kind is refused with the feature.
func TestTIFFNamesFeature(t *testing.T) {
	data := read(t, "testdata/tiff/deep.tif")
	at := bytes.Index(data, []byte{3, 1, 3, 0, 1, 0, 0, 0, 5, 0}) // the tag of the compression
	if at < 0 {
		t.Fatal("got no tag of the compression")
	}
	binary.LittleEndian.PutUint16(data[at+8:], 34712)
	if _, err := pixels.Inspect(data, pixels.Default); !errors.Is(err, pixels.ErrUnreadable) || !strings.Contains(err.Error(), "TIFF with JPEG 2000 compression is not supported") {
		t.Errorf("got %v, want the compression", err)
	}
}

// TestBMP compares pictures of many layouts with their source (testdata/bmp/SOURCE).
func TestBMP(t *testing.T) {
	for name, test := range map[string]struct {
		most float64
		like string
	}{
		"rle8": {0, "bmp/rle8.png"}, "565": {most: 8}, "os2": {}, "1bit": {0, "tiff/fax.png"}, "alpha": {0, "tiff/alpha.png"},
	} {
		data := read(t, "testdata/bmp/"+name+".bmp")
		p := decode(t, data)
		want := pixels.New(scene.New(96, 64, 3))
		if test.like != "" {
			want = decode(t, read(t, "testdata/"+test.like))
		}
		if _, most := rootMeanSquare(t, p.NRGBA(), want.NRGBA()); most > test.most || p.Opaque() != want.Opaque() {
			t.Errorf("%s: got a difference of %.0f and opaque %t, want at most %.0f and %t", name, most, p.Opaque(), test.most, want.Opaque())
		}
		if _, err := tryDecode(t, data[:len(data)/2], pixels.Default); !errors.Is(err, pixels.ErrUnreadable) {
			t.Errorf("half of %s: got %v, want ErrUnreadable", name, err)
		}
		tolerant := pixels.Default
		tolerant.Tolerant = true
		half, err := tryDecode(t, data[:len(data)/2], tolerant)
		if err != nil || len(half.Remarks) != 1 || !strings.Contains(half.Remarks[0], "of the picture could be read") {
			t.Errorf("half of %s, tolerant: got %v, want a remark", name, err)
		}
	}
}
