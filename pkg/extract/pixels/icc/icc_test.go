package icc_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/icc"
)

// profile returns a profile of version 2 with tags, given as pairs of signature and data.
func profile(space, pcs string, tags ...string) []byte {
	p := make([]byte, 128)
	copy(p[8:], "\x02\x40\x00\x00")
	copy(p[12:], "prtr"+space+pcs)
	copy(p[36:], "acsp")
	for i, v := range []uint32{0xf6d6, 0x10000, 0xd32d} { // D50
		binary.BigEndian.PutUint32(p[68+4*i:], v)
	}
	p = binary.BigEndian.AppendUint32(p, uint32(len(tags)/2))
	at := 132 + 12*len(tags)/2
	var body []byte
	for i := 0; i < len(tags); i += 2 {
		p = append(p, tags[i]...)
		p = binary.BigEndian.AppendUint32(p, uint32(at+len(body)))
		p = binary.BigEndian.AppendUint32(p, uint32(len(tags[i+1])))
		body = append(body, tags[i+1]...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	p = append(p, body...)
	binary.BigEndian.PutUint32(p, uint32(len(p)))
	return p
}

func words(values ...int) string {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return string(out)
}

func numbers(values ...float64) string {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(int32(math.Round(v*65536))))
	}
	return string(out)
}

func column(x, y, z float64) string { return "XYZ \x00\x00\x00\x00" + numbers(x, y, z) }

func gamma(v float64) string { return "curv\x00\x00\x00\x00\x00\x00\x00\x01" + words(int(v*256)) }

// displayP3 has the primaries of Display P3 under D50 and the parametric curve of sRGB.
func displayP3() []byte {
	curve := "para\x00\x00\x00\x00\x00\x03\x00\x00" + numbers(2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045)
	return profile("RGB ", "XYZ ", "rXYZ", column(0.51512, 0.2412, -0.00105), "gXYZ", column(0.29198, 0.69225, 0.04189), "bXYZ", column(0.1571, 0.06657, 0.78407),
		"rTRC", curve, "gTRC", curve, "bTRC", curve)
}

// adobe has the primaries of Adobe RGB (1998) under D50 and its gamma of 563/256.
func adobe() []byte {
	return profile("RGB ", "XYZ ", "rXYZ", column(0.60974, 0.31111, 0.01947), "gXYZ", column(0.20528, 0.62567, 0.06087), "bXYZ", column(0.14919, 0.06322, 0.74457),
		"rTRC", gamma(563.0/256), "gTRC", gamma(563.0/256), "bTRC", gamma(563.0/256))
}

// table returns a tag A2B0 of the type lut16Type with the given nodes per side, whose Lab values follow a simple formula:
// ink darkens, and shifts a and b.
func table(channels, side int) string {
	out := "mft2\x00\x00\x00\x00" + string([]byte{byte(channels), 3, byte(side), 0}) + numbers(1, 0, 0, 0, 1, 0, 0, 0, 1) + words(3, 2)
	for range channels {
		out += words(0, 40000, 65535) // not linear
	}
	nodes := 1
	for range channels {
		nodes *= side
	}
	for i := range nodes {
		var v [4]int
		rest := i
		for c := channels - 1; c >= 0; c-- {
			v[c] = rest % side * 60 / (side - 1)
			rest /= side
		}
		l, a, b := 100-(v[0]+v[1]+v[2])/3-v[3]*2/3, (v[1]-v[0])/2, (v[2]-v[0]/2)/2
		out += words(l*652, (a+128)*256, (b+128)*256)
	}
	for range 3 {
		out += words(0, 65535)
	}
	return out
}

// TestProfiles compares colors with LittleCMS 2.14 (Debian 12): transicc -t1 -i PROFILE -o "*sRGB"; its perceptual
// intent compensates for the black point of RGB tables.
func TestProfiles(t *testing.T) {
	for name, test := range map[string]struct {
		profile []byte
		colors  [][2][4]byte // device, sRGB
	}{
		"p3": {displayP3(), [][2][4]byte{
			{{0, 0, 0}, {0, 0, 0}}, {{255, 255, 255}, {255, 255, 255}}, {{128, 128, 128}, {128, 128, 128}}, {{200, 100, 50}, {215, 93, 31}},
			{{30, 220, 90}, {0, 224, 67}}, {{10, 20, 250}, {7, 20, 255}}, {{60, 60, 90}, {60, 60, 92}},
		}},
		"adobe": {adobe(), [][2][4]byte{
			{{0, 0, 0}, {0, 0, 0}}, {{255, 255, 255}, {255, 255, 255}}, {{128, 128, 128}, {129, 129, 129}}, {{200, 100, 50}, {227, 100, 42}},
			{{30, 220, 90}, {0, 221, 77}}, {{10, 20, 250}, {0, 12, 255}}, {{60, 60, 90}, {57, 57, 91}},
		}},
		"cmyk": {profile("CMYK", "Lab ", "A2B0", table(4, 3)), [][2][4]byte{
			{{0, 0, 0, 0}, {255, 255, 255}}, {{255, 255, 255, 0}, {101, 94, 70}}, {{128, 128, 128, 0}, {158, 153, 137}}, {{200, 100, 50, 20}, {133, 164, 167}},
			{{30, 220, 90, 100}, {163, 108, 106}}, {{10, 20, 250, 40}, {187, 168, 118}}, {{60, 60, 90, 200}, {115, 110, 96}},
		}},
		"rgb": {profile("RGB ", "Lab ", "A2B0", table(3, 5)), [][2][4]byte{
			{{0, 0, 0}, {255, 255, 255}}, {{255, 255, 255}, {101, 94, 70}}, {{128, 128, 128}, {158, 153, 137}}, {{200, 100, 50}, {144, 174, 176}},
			{{30, 220, 90}, {216, 158, 155}}, {{10, 20, 250}, {208, 189, 137}}, {{60, 60, 90}, {203, 197, 182}},
		}},
		"gray": {profile("GRAY", "XYZ ", "kTRC", gamma(1.8)), [][2][4]byte{
			{{0}, {0, 0, 0}}, {{255}, {255, 255, 255}}, {{128}, {147, 147, 147}}, {{200}, {210, 210, 210}},
			{{30}, {40, 40, 40}}, {{10}, {10, 10, 10}}, {{60}, {77, 77, 77}},
		}},
	} {
		transform, err := icc.New(test.profile)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, c := range test.colors {
			got, want := c[0], c[1]
			switch transform.Channels() {
			case 1:
				v := transform.Gray()[got[0]]
				got = [4]byte{v, v, v}
			case 3:
				wide := transform.Wide()
				r, g, b := wide(uint16(got[0])*257, uint16(got[1])*257, uint16(got[2])*257)
				if transform.RGBA(got[:]); !near([4]byte{r, g, b}, want) {
					t.Errorf("%s, %d: got %d, %d, %d of 16-bit samples, want %d", name, c[0], r, g, b, want)
				}
			case 4:
				r, g, b := transform.CMYK(got[0], got[1], got[2], got[3])
				got = [4]byte{r, g, b}
			}
			if !near(got, want) {
				t.Errorf("%s, %d: got %d, want %d", name, c[0], got, want)
			}
		}
	}
}

// near reports whether no channel differs by more than one.
func near(a, b [4]byte) bool {
	for i := range 3 {
		if d := int(a[i]) - int(b[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// TestDamagedProfiles checks that every damaged profile is refused or applied, and never panics.
func TestDamagedProfiles(t *testing.T) {
	whole := profile("RGB ", "Lab ", "A2B0", table(3, 2))
	for n := range len(whole) - 3 { // the last two bytes are padding
		if _, err := icc.New(whole[:n]); !errors.Is(err, icc.ErrUnsupported) {
			t.Fatalf("%d of %d bytes: got error %v, want ErrUnsupported", n, len(whole), err)
		}
	}
	for name, p := range map[string][]byte{
		"Lab": profile("Lab ", "Lab "), "gray without a curve": profile("GRAY", "XYZ "), "CMYK without a table": profile("CMYK", "Lab "),
		"RGB without primaries": profile("RGB ", "XYZ ", "rTRC", gamma(2)), "table of four channels": profile("RGB ", "Lab ", "A2B0", table(4, 2)),
	} {
		if _, err := icc.New(p); !errors.Is(err, icc.ErrUnsupported) {
			t.Errorf("%s: got error %v, want ErrUnsupported", name, err)
		}
	}
}

func TestIdentity(t *testing.T) {
	for name, test := range map[string]struct {
		primaries icc.Primaries
		curve     icc.Curve
		want      bool
	}{"sRGB": {icc.SRGB(), icc.SRGBCurve, true}, "linear": {icc.SRGB(), icc.Gamma(1), false}} {
		if got := icc.FromPrimaries(test.primaries, test.curve).Identity(); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	if icc.FromPrimaries(icc.Primaries{}, icc.SRGBCurve) != nil {
		t.Error("got a transform of primaries without a chromaticity, want none")
	}
}

func FuzzNew(f *testing.F) {
	for _, p := range [][]byte{displayP3(), adobe(), profile("CMYK", "Lab ", "A2B0", table(4, 2)), profile("GRAY", "XYZ ", "kTRC", gamma(1.8))} {
		f.Add(p)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		if transform, err := icc.New(data); err == nil && transform.Channels() != 4 {
			transform.Gray()
		}
	})
}
