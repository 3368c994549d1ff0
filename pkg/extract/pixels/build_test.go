package pixels_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/pkg/extract/wasm/wasmtest"
)

const memory = 1 << 30

// cache holds the compiled codecs, and decoder is shared by all tests.
var (
	cache   wasm.Config
	decoder *pixels.Decoder
)

func TestMain(m *testing.M) {
	if flag.Parse(); *fill != "" {
		os.Exit(m.Run())
	}
	os.Exit(wasmtest.Main(m, func(c wasm.Config) *pixels.Decoder {
		cache = c
		return pixels.NewDecoder(budget.New(memory), c)
	}, func(d *pixels.Decoder) { decoder = d }))
}

func decode(t testing.TB, data []byte) *pixels.Picture {
	t.Helper()
	p, err := tryDecode(t, data, pixels.Default)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryDecode(t testing.TB, data []byte, l pixels.Limits) (*pixels.Picture, error) {
	t.Helper()
	p, release, err := decoder.Decode(t.Context(), data, l)
	if err == nil {
		release()
	}
	return p, err
}

// picture returns a picture of m that can be encoded as WebP.
func picture(t testing.TB, m image.Image) *pixels.Picture {
	t.Helper()
	return decode(t, pngOf(t, m))
}

func encode(t testing.TB, p *pixels.Picture, f pixels.Format) []byte {
	t.Helper()
	out, err := p.Encode(pixels.Encoding{Format: f, Quality: 95})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withChunk inserts a chunk after the header of a PNG.
func withChunk(data []byte, name string, body []byte) []byte {
	const ihdr = 8 + 12 + 13
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, name...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return bytes.Join([][]byte{data[:ihdr], chunk, data[ihdr:]}, nil)
}

// withSegment inserts a segment after the first marker of a JPEG.
func withSegment(data []byte, marker byte, body []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return bytes.Join([][]byte{data[:2], segment, body, data[2:]}, nil)
}

// exif returns a TIFF header with only the Orientation tag.
func exif(orientation uint16) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00")
	b = binary.LittleEndian.AppendUint16(b, orientation)
	return append(b, 0, 0, 0, 0, 0, 0)
}

// profile returns a minimal valid profile, an ICC.1:2022 header, padded to size.
func profile(space string, size int) []byte {
	p := make([]byte, size)
	binary.BigEndian.PutUint32(p, uint32(size))
	copy(p[16:], space)
	copy(p[36:], "acsp")
	for i := 128; i < size; i++ {
		p[i] = byte(i * 7)
	}
	return p
}

// riff returns a WebP with chunks, given as pairs of name and body.
func riff(chunks ...string) []byte {
	var body []byte
	for i := 0; i < len(chunks); i += 2 {
		body = append(body, chunks[i]...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(chunks[i+1])))
		body = append(body, chunks[i+1]...)
		if len(body)%2 != 0 {
			body = append(body, 0)
		}
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body)+4))
	return append(append(out, "WEBP"...), body...)
}
