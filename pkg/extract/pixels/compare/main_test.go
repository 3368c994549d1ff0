package main

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func filled(w, h int, c color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func TestJudge(t *testing.T) {
	red := filled(4, 2, color.NRGBA{255, 0, 0, 255})
	broken := errors.New("broken\nfile")
	for name, test := range map[string]struct {
		ours      *image.NRGBA
		remarks   string
		failure   error
		reference *image.NRGBA
		want      result
	}{
		"same":                {red, "", nil, red, result{equal, "vips", "0.00 0.00 0.00 0.00", ""}},
		"one level off":       {red, "", nil, filled(4, 2, color.NRGBA{254, 1, 0, 255}), result{equal, "vips", "1.00 1.00 0.00 0.00", ""}},
		"two levels off":      {red, "", nil, filled(4, 2, color.NRGBA{253, 0, 0, 255}), result{different, "vips", "2.00 0.00 0.00 0.00", ""}},
		"remark":              {red, "gray", nil, filled(4, 2, color.NRGBA{9, 9, 9, 255}), result{told, "vips", "246.00 9.00 9.00 0.00", "gray"}},
		"sideways":            {red, "", nil, filled(2, 4, color.NRGBA{255, 0, 0, 255}), result{different, "vips", "(4,2), not (2,4)", ""}},
		"invisible color":     {filled(1, 1, color.NRGBA{9, 9, 9, 0}), "", nil, filled(1, 1, color.NRGBA{}), result{equal, "vips", "0.00 0.00 0.00 0.00", ""}},
		"black for invisible": {filled(1, 1, color.NRGBA{0, 0, 0, 255}), "", nil, filled(1, 1, color.NRGBA{}), result{different, "vips", "0.00 0.00 0.00 255.00", ""}},
		"refused":             {nil, "", broken, red, result{refused, "vips", "", "broken file"}},
		"extra":               {red, "", nil, nil, result{outcome: extra}},
		"neither":             {nil, "", broken, nil, result{outcome: neither, reason: "broken file"}},
	} {
		if got := judge(test.ours, test.remarks, test.failure, test.reference, "vips"); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// The expected files have the layout of `vips copy x.png x.v`.
func TestReadRaster(t *testing.T) {
	for name, test := range map[string]struct {
		bands, format, kind uint32
		samples             []byte
		want                color.NRGBA
	}{
		"RGB":             {3, vipsBytes, vipsSRGB, []byte{1, 2, 3}, color.NRGBA{1, 2, 3, 255}},
		"RGBA":            {4, vipsBytes, vipsSRGB, []byte{1, 2, 3, 4}, color.NRGBA{1, 2, 3, 4}},
		"gray":            {1, vipsBytes, vipsGray, []byte{7}, color.NRGBA{7, 7, 7, 255}},
		"gray with alpha": {2, vipsShorts, vipsGray16, shorts(0x1234, 0xfedc), color.NRGBA{0x12, 0x12, 0x12, 0xfe}},
	} {
		header := make([]byte, vipsHeader)
		for at, v := range map[int]uint32{4: 1, 8: 1, 12: test.bands, 20: test.format, 28: test.kind} {
			binary.NativeEndian.PutUint32(header[at:], v)
		}
		path := filepath.Join(t.TempDir(), "x.v")
		if err := os.WriteFile(path, append(header, test.samples...), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := readRaster(path)
		if err != nil || !r.rgb() {
			t.Fatalf("%s: got %+v, %v, want RGB or gray", name, r, err)
		}
		if m, err := r.picture(); err != nil || m.NRGBAAt(0, 0) != test.want {
			t.Errorf("%s: got %v, %v, want %v", name, m, err, test.want)
		}
		r.samples = nil
		if _, err := r.picture(); err == nil {
			t.Errorf("%s: a file without samples was accepted", name)
		}
	}
}

func shorts(values ...uint16) []byte {
	var out []byte
	for _, v := range values {
		out = binary.NativeEndian.AppendUint16(out, v)
	}
	return out
}

func TestSniff(t *testing.T) {
	for head, want := range map[string]string{
		"\xff\xd8\xff\xe0": "jpeg", "GIF89a": "gif", "MM\x00*": "tiff", "\xff\x0a": "jxl", "%PDF-": "", "": "",
		"RIFF\x04\x00\x00\x00WEBPVP8 ":                     "webp",
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00miafheic": "heic",
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avifmiaf": "avif",
		"\x00\x00\x00\x14ftypisom\x00\x00\x00\x00mp42":     "",
		"\xff\xff\xff\xffftypavif\x00\x00\x00\x00":         "avif",
	} {
		if got := sniff([]byte(head)); got != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	comparer{out: &out, counts: map[string]map[outcome]int{"png": {equal: 3, refused: 1, extra: 5}}}.table()
	if want := "png              3         0         0         0         1         5         0    75.00%"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s, want a line\n%s", out.String(), want)
	}
}
