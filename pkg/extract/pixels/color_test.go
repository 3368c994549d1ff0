package pixels_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
)

const stated = "the colors were converted to sRGB, because the file states their color space without a profile"

// chromaticities returns the body of a cHRM chunk: white, red, green, blue.
func chromaticities(values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// matrixProfile returns a profile with the primaries of Adobe RGB (1998) and a gamma of 2.
func matrixProfile(space string) []byte {
	p := profile(space, 132)
	tags := map[string]string{}
	curve := "curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00"
	if space == "GRAY" {
		tags["kTRC"] = curve
	} else {
		for name, xyz := range map[string][3]uint32{"r": {39960, 20389, 1276}, "g": {13453, 41004, 3989}, "b": {9777, 4143, 48796}} { // in 1/65536
			tags[name+"TRC"] = curve
			tags[name+"XYZ"] = "XYZ \x00\x00\x00\x00" + string(chromaticities(xyz[:]...))
		}
	}
	binary.BigEndian.PutUint32(p[128:], uint32(len(tags)))
	var body []byte
	for name, tag := range tags {
		p = append(p, name...)
		p = binary.BigEndian.AppendUint32(p, uint32(132+12*len(tags)+len(body)))
		p = binary.BigEndian.AppendUint32(p, uint32(len(tag)))
		body = append(body, tag...)
	}
	p = append(p, body...)
	binary.BigEndian.PutUint32(p, uint32(len(p)))
	return p
}

func flat(c color.Color) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		m.Set(i%16, i/16, c)
	}
	return m
}

// TestPNGColorChunks checks each chunk that states a color space (PNG, third edition, 4.3) and their precedence. The values
// of Adobe RGB and Display P3 with a gamma were computed with LittleCMS 2.14 (transicc).
func TestPNGColorChunks(t *testing.T) {
	source := color.NRGBA{R: 200, G: 100, B: 50, A: 255}
	type chunk struct {
		name string
		body []byte
	}
	adobe := chunk{"cHRM", chromaticities(31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000)}
	srgb := chunk{"cHRM", chromaticities(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)}
	gamma := func(v uint32) chunk { return chunk{"gAMA", chromaticities(v)} }
	profiled := chunk{"iCCP", append([]byte("x\x00\x00"), deflate(t, matrixProfile("RGB "))...)}
	for name, test := range map[string]struct {
		chunks []chunk
		want   color.NRGBA
		remark string
	}{
		"none":                     {nil, source, ""},
		"sRGB":                     {[]chunk{{"sRGB", []byte{0}}, gamma(45455), srgb}, source, ""},
		"gamma of sRGB":            {[]chunk{gamma(45455)}, source, ""},
		"gamma and color of sRGB":  {[]chunk{gamma(45455), srgb}, source, ""},
		"linear":                   {[]chunk{gamma(100000)}, color.NRGBA{R: 229, G: 168, B: 122, A: 255}, stated},
		"gamma and color of Adobe": {[]chunk{gamma(45455), adobe}, color.NRGBA{R: 227, G: 100, B: 42, A: 255}, stated},
		"color of Adobe":           {[]chunk{adobe}, color.NRGBA{R: 226, G: 100, B: 46, A: 255}, stated},
		"sRGB before gamma":        {[]chunk{gamma(100000), {"sRGB", []byte{0}}}, source, ""},
		"profile before sRGB":      {[]chunk{{"sRGB", []byte{0}}, profiled}, source, ""}, // kept
		"cICP sRGB":                {[]chunk{{"cICP", []byte{1, 13, 0, 1}}, gamma(100000)}, source, ""},
		"cICP Display P3":          {[]chunk{{"cICP", []byte{12, 13, 0, 1}}, profiled}, color.NRGBA{R: 215, G: 93, B: 31, A: 255}, stated},
		"cICP PQ":                  {[]chunk{{"cICP", []byte{9, 16, 0, 1}}}, source, "the colors are of high dynamic range (PQ), and were not converted to sRGB"},
		"damaged profile":          {[]chunk{{"iCCP", []byte("x\x00\x00damaged")}}, source, ""},
		"gamma 0":                  {[]chunk{gamma(0)}, source, ""},
	} {
		data := pngOf(t, flat(source))
		for _, c := range slices.Backward(test.chunks) {
			data = withChunk(data, c.name, c.body)
		}
		p := decode(t, data)
		for _, format := range []pixels.Format{pixels.JPEG, pixels.PNG, pixels.WebP} {
			out := encode(t, p, format)
			if got := decode(t, out).NRGBA().NRGBAAt(8, 8); format != pixels.WebP && distance(got, test.want) > 4 {
				t.Errorf("%s as %s: got %v, want %v", name, format, got, test.want)
			}
			if info, err := pixels.Inspect(out, pixels.Default); err != nil || (info.Profile != nil) != (name == "profile before sRGB") {
				t.Errorf("%s as %s: got a profile of %d bytes, %v", name, format, len(info.Profile), err)
			}
		}
		if got := p.NRGBA().NRGBAAt(8, 8); distance(got, test.want) > 1 {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
		if got := strings.Join(p.Remarks, ", "); got != test.remark && name != "damaged profile" {
			t.Errorf("%s: got remarks %q, want %q", name, got, test.remark)
		}
	}
}

// TestLinearPNG checks the gray in the middle of a picture with linear samples, which is 188 in sRGB, with 8 and 16 bits.
func TestLinearPNG(t *testing.T) {
	if got := decode(t, read(t, "testdata/png-gama10.png")).NRGBA().NRGBAAt(80, 60); distance(got, color.NRGBA{R: 188, G: 188, B: 188, A: 255}) > 3 {
		t.Errorf("got %v in the middle, want 188", got)
	}
	linear := chromaticities(100000)
	gray, deep := image.NewGray16(image.Rect(0, 0, 16, 16)), image.NewNRGBA64(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		gray.SetGray16(i%16, i/16, color.Gray16{Y: 60}) // less than 1 of 255, and 3 in sRGB
		deep.SetNRGBA64(i%16, i/16, color.NRGBA64{R: 60, G: 60, B: 0x8080, A: 0x8000})
	}
	if got := decode(t, withChunk(pngOf(t, gray), "gAMA", linear)).NRGBA().NRGBAAt(8, 8); got != (color.NRGBA{R: 3, G: 3, B: 3, A: 255}) {
		t.Errorf("gray of 16 bits: got %v, want 3", got)
	}
	if got := decode(t, withChunk(pngOf(t, deep), "gAMA", linear)).NRGBA().NRGBAAt(8, 8); got != (color.NRGBA{R: 3, G: 3, B: 188, A: 128}) {
		t.Errorf("16 bits: got %v, want 3, 3, 188, 128", got)
	}
}

// TestProfilesAreKeptOrApplied checks that a profile is kept with samples that it describes, and is otherwise applied, or
// that a remark says that it was not.
func TestProfilesAreKeptOrApplied(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range gray.Pix {
		gray.Pix[i] = 100
	}
	vivid := jpegOf(t, flat(color.NRGBA{R: 200, G: 100, B: 50, A: 255}))
	inks := read(t, "testdata/cmyk.jpg")
	const unused, kept = "the color profile is damaged or does not fit the picture, and was not applied", "the color profile cannot be converted to sRGB, and was kept"
	converted := color.NRGBA{R: 230, G: 106, B: 48, A: 255}
	for name, test := range map[string]struct {
		data, profile []byte
		srgb, kept    bool
		want          color.NRGBA
		remark        string
	}{
		"RGB":                       {vivid, matrixProfile("RGB "), false, true, color.NRGBA{R: 200, G: 100, B: 50, A: 255}, ""},
		"RGB to sRGB":               {vivid, matrixProfile("RGB "), true, false, converted, ""},
		"RGB without content":       {vivid, profile("RGB ", 140), true, true, color.NRGBA{R: 200, G: 100, B: 50, A: 255}, kept},
		"gray":                      {jpegOf(t, gray), matrixProfile("GRAY"), false, true, color.NRGBA{R: 110, G: 110, B: 110, A: 255}, ""},
		"gray to sRGB":              {jpegOf(t, gray), matrixProfile("GRAY"), true, false, color.NRGBA{R: 110, G: 110, B: 110, A: 255}, ""},
		"RGB profile, gray picture": {jpegOf(t, gray), matrixProfile("RGB "), false, true, color.NRGBA{R: 100, G: 100, B: 100, A: 255}, ""},
		"gray profile, RGB picture": {vivid, profile("GRAY", 140), false, false, color.NRGBA{R: 200, G: 100, B: 50, A: 255}, unused},
		"CMYK profile, RGB picture": {vivid, profile("CMYK", 140), false, false, color.NRGBA{R: 200, G: 100, B: 50, A: 255}, unused},
		"Lab profile":               {vivid, profile("Lab ", 140), false, false, color.NRGBA{R: 200, G: 100, B: 50, A: 255}, unused},
		"CMYK":                      {inks, profile("CMYK", 140), false, false, decode(t, inks).NRGBA().NRGBAAt(8, 8), "CMYK colors were converted without their color profile"},
	} {
		data := withSegment(test.data, 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), test.profile...))
		limits := pixels.Default
		limits.SRGB = test.srgb
		p, err := tryDecode(t, data, limits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(p.Remarks, ", "); got != test.remark {
			t.Errorf("%s: got remarks %q, want %q", name, got, test.remark)
		}
		info, err := pixels.Inspect(encode(t, p, pixels.JPEG), pixels.Default)
		if err != nil || bytes.Equal(info.Profile, test.profile) != test.kept || (info.Profile != nil) != test.kept {
			t.Errorf("%s: got a profile of %d bytes, %v, want it kept: %v", name, len(info.Profile), err, test.kept)
		}
		if got := p.NRGBA().NRGBAAt(8, 8); distance(got, test.want) > 3 {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
