package pixels_test

import (
	"encoding/binary"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// entry is a field of a directory. Its value is inline, unless text is set, which is stored behind the directory.
type entry struct {
	tag, kind uint16
	value     uint32
	text      string
}

// directory appends a directory of TIFF in little-endian order, and returns the data and the offset of the directory.
func directory(data []byte, fields ...entry) ([]byte, uint32) {
	order := binary.LittleEndian
	at := uint32(len(data))
	data = order.AppendUint16(data, uint16(len(fields)))
	rest := at + 2 + 12*uint32(len(fields)) + 4
	var texts []byte
	for _, f := range fields {
		data = order.AppendUint16(order.AppendUint16(data, f.tag), f.kind)
		if f.text == "" {
			data = order.AppendUint32(order.AppendUint32(data, 1), f.value)
			continue
		}
		data = order.AppendUint32(order.AppendUint32(data, uint32(len(f.text))), rest+uint32(len(texts)))
		texts = append(texts, f.text...)
	}
	return append(append(data, 0, 0, 0, 0), texts...), at
}

// camera returns a raw file that is based on TIFF: a header of 16 bytes, a first directory with the given fields, and one
// for the samples of 4000 × 3000 pixels, followed by lossless JPEG data, a small and a large preview.
func camera(header string, small, large []byte, first ...entry) []byte {
	const begin = 16
	length := uint32(begin + 2 + 12*(len(first)+1) + 4)
	for _, f := range first {
		length += uint32(len(f.text))
	}
	data, _ := directory([]byte(header), append(first, entry{0x14a, 4, length, ""})...)
	data, _ = directory(data, entry{0x100, 4, 4000, ""}, entry{0x101, 4, 3000, ""}, entry{0x106, 3, 32803, ""})
	data = append(data, "\xff\xd8\xff\xc4 lossless \xff\xd8\xff\xc3"...)
	data = append(append(data, small...), large...)
	for range 300 { // samples that contain the markers of scans
		data = append(data, 0xff, 0xda, 0, 1)
	}
	return data
}

func fujiRaw(preview []byte) []byte {
	data := make([]byte, 108)
	copy(data, "FUJIFILMCCD-RAW 0201FF383501FinePix")
	binary.BigEndian.PutUint32(data[84:], uint32(len(data)+12))
	binary.BigEndian.PutUint32(data[92:], uint32(len(data)))
	data = append(data, "\x00\x00\x00\x01\x01\x00\x00\x04\x0b\xb8\x0f\xa0"...) // record 0x100: 3000, 4000
	return append(data, preview...)
}

func box(name string, bodies ...string) string {
	body := strings.Join(bodies, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + name + body
}

func canonRaw(preview []byte) []byte {
	tiff, _ := directory([]byte("II*\x00\x08\x00\x00\x00"), entry{0x100, 3, 4000, ""}, entry{0x101, 3, 3000, ""}, entry{0x112, 3, 6, ""})
	id := strings.Repeat("i", 16)
	return []byte(box("ftyp", "crx \x00\x00\x00\x01crx isom") + box("moov", box("uuid", id, box("CMT1", string(tiff)))) + box("uuid", id, box("PRVW", string(preview))))
}

// TestRawPreview checks that the largest preview of a raw file is read with the orientation of the raw file. The files have
// the structure of the formats as described by ExifTool's documentation of their tags.
func TestRawPreview(t *testing.T) {
	small, large := jpegOf(t, scene.New(48, 32, 2)), jpegOf(t, scene.New(240, 160, 2))
	turned := withSegment(large, 0xe1, append([]byte("Exif\x00\x00"), exif(6)...))
	const classic = "II*\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	maker, orientation := entry{0x10f, 2, 0, "NIKON CORPORATION\x00"}, entry{0x112, 3, 6, ""}
	for name, data := range map[string][]byte{
		"NEF, ARW": camera(classic, small, large, entry{0xfe, 4, 1, ""}, maker, orientation),
		"DNG":      camera(classic, large, small, orientation, entry{0xc612, 1, 0x401, ""}),
		"PEF":      camera(classic, small, large, entry{0x106, 3, 32803, ""}, orientation),
		"CR2":      camera("II*\x00\x10\x00\x00\x00CR\x02\x00\x00\x00\x00\x00", small, large, orientation),
		"RW2":      camera("IIU\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", small, large, orientation),
		"ORF":      camera("IIRO\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", small, large, orientation),
		"RAF":      fujiRaw(turned),
		"CR3":      canonRaw(large),
	} {
		p, err := tryDecode(t, data, pixels.Default)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Width() != 160 || p.Height() != 240 {
			t.Errorf("%s: got %d × %d, want 160 × 240", name, p.Width(), p.Height())
		}
		if got, want := strings.Join(p.Remarks, ", "), "the embedded preview of 240 × 160 of the raw file was used; the raw file has 4000 × 3000"; got != want {
			t.Errorf("%s: got remarks %q, want %q", name, got, want)
		}
		if f := pixels.Sniff(data[:min(512, len(data))]); f != pixels.Raw {
			t.Errorf("%s: got format %q, want raw", name, f)
		}
	}
	without := camera(classic, nil, nil, entry{0xfe, 4, 1, ""}, maker)
	if _, err := tryDecode(t, without, pixels.Default); !errors.Is(err, pixels.ErrUnreadable) {
		t.Errorf("without a preview: got error %v, want ErrUnreadable", err)
	}
}

// TestTIFFIsNotRaw checks that files of other programs that are based on TIFF are not taken for raw files.
func TestTIFFIsNotRaw(t *testing.T) {
	maker := entry{0x10f, 2, 0, "Scanner\x00"}
	for name, fields := range map[string][]entry{
		"scan":      {maker, {0x106, 3, 2, ""}},
		"pyramid":   {maker, {0xfe, 4, 0, ""}, {0x14a, 4, 8, ""}},
		"reduced":   {{0xfe, 4, 1, ""}, {0x14a, 4, 8, ""}},
		"page":      {{0xfe, 4, 2, ""}, maker, {0x14a, 4, 8, ""}},
		"no fields": nil,
	} {
		data, _ := directory([]byte("II*\x00\x08\x00\x00\x00"), fields...)
		if f := pixels.Sniff(data); f == pixels.Raw {
			t.Errorf("%s: got raw, want another format", name)
		}
	}
	if f := pixels.Sniff(pngOf(t, image.NewGray(image.Rect(0, 0, 16, 16)))); f != pixels.PNG {
		t.Errorf("got %q, want png", f)
	}
}
