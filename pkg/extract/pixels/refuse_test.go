package pixels_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// sized returns a PNG whose header states the given size and has a valid checksum.
func sized(t *testing.T, width, height uint32) []byte {
	data := pngOf(t, image.NewNRGBA(image.Rect(0, 0, 32, 32)))
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// vp8l returns the start of a lossless frame of the given size.
func vp8l(width, height uint32) string {
	return "\x2f" + string(binary.LittleEndian.AppendUint32(nil, (width-1)|(height-1)<<14)) + "content"
}

// frameOf returns the body of a lossless frame of an animation at a position, in units of two pixels.
func frameOf(left byte, side uint32) string {
	size := string([]byte{byte(side - 1), byte((side - 1) >> 8), 0})
	return string([]byte{left, 0, 0, 0, 0, 0}) + size + size + "\x64\x00\x00\x00" + "VP8L\x0c\x00\x00\x00" + vp8l(side, side)
}

// TestHostile checks that each picture is rejected with its error and reason, before a decoder
// allocates memory for the size it states.
func TestHostile(t *testing.T) {
	photo := jpegOf(t, scene.New(64, 48, 1))
	canvas := "\x00\x00\x00\x00\x1f\x00\x00\x1f\x00\x00" // 32 × 32
	heic := "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
	for name, test := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"empty":               {nil, pixels.ErrUnreadable, "empty"},
		"text":                {[]byte("Dear all, please find attached"), pixels.ErrFormat, ""},
		"GIF without picture": {[]byte("GIF89a\x20\x00\x20\x00\x00\x00\x00;"), pixels.ErrUnreadable, "no picture"},
		"GIF of 60,000²":      {[]byte("GIF89a\x20\x00\x20\x00\x00\x00\x00,\x00\x00\x00\x00\x60\xea\x60\xea\x00\x08\x00;"), pixels.ErrTooLarge, "60000 × 60000"},
		"cut GIF":             {[]byte("GIF89a\x20\x00\x20\x00\x00\x00\x00,\x00\x00\x00\x00\x20\x00\x20\x00\x00\x08\x05ab"), pixels.ErrUnreadable, "ends early"},
		"AVIF without boxes":  {[]byte("\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1miaf"), pixels.ErrUnreadable, "not state a size"},
		"too many bytes":      {append(photo[:len(photo):len(photo)], make([]byte, 20_000_000)...), pixels.ErrTooLarge, "the limit is 20000000"},
		"20,000 × 20,000":     {sized(t, 20_000, 20_000), pixels.ErrTooLarge, "the limit is 12000 for each side"},
		"10,000 × 10,000":     {sized(t, 10_000, 10_000), pixels.ErrTooLarge, "the limit is 50000000 pixels"},
		"8 × 100":             {sized(t, 8, 100), pixels.ErrTooSmall, "each side must have at least 16"},
		"no width":            {sized(t, 0, 100), pixels.ErrUnreadable, ""},
		"WebP without frames": {riff("VP8X", "\x02"+canvas[1:], "ANIM", "123456", "ANMF", "frame"), pixels.ErrUnreadable, "0 × 0"},
		"WebP, frame beyond":  {riff("VP8X", "\x02"+canvas[1:], "ANMF", frameOf(1, 32)), pixels.ErrUnreadable, "outside of the canvas"},
		"WebP, frame bomb":    {riff("VP8X", "\x02"+canvas[1:], "ANMF", frameOf(0, 16_000)), pixels.ErrUnreadable, "outside of the canvas"},
		"image sequence":      {[]byte(heic + "\x00\x00\x00\x08moov"), pixels.ErrUnreadable, "not state a size"},
		"WebP bomb":           {riff("VP8X", canvas, "VP8L", vp8l(16_000, 16_000)), pixels.ErrUnreadable, "the frame has 16000 × 16000"},
		"WebP without frame":  {riff("VP8X", canvas), pixels.ErrUnreadable, "0 × 0"},
		"truncated WebP":      {riff("VP8L", vp8l(32, 32)), pixels.ErrUnreadable, "vp8l"},
		"truncated JPEG":      {photo[:len(photo)-200], pixels.ErrUnreadable, "50 % of the picture could be read"},
		"header of a JPEG":    {photo[:20], pixels.ErrUnreadable, "unexpected EOF"},
		"truncated PNG":       {sized(t, 32, 32)[:60], pixels.ErrUnreadable, "png"},
		"PNG with wrong size": {sized(t, 64, 64), pixels.ErrUnreadable, ""},
		"HEIC of 8 boxes":     {[]byte(heic + strings.Repeat("\x00\x00\x00\x08free", 8)), pixels.ErrUnreadable, "not state a size"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tryDecode(t, test.data, pixels.Default)
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v; want %v with %q", err, test.want, test.says)
			}
		})
	}
}

// TestDamagedMetadata checks that damaged metadata does not make a picture invalid.
func TestDamagedMetadata(t *testing.T) {
	plain := jpegOf(t, scene.New(64, 48, 1))
	want := encode(t, decode(t, plain), pixels.PNG)
	beyond := exif(6)
	binary.LittleEndian.PutUint32(beyond[4:], 1<<31)
	for name, segment := range map[string]struct {
		marker byte
		body   string
	}{
		"not TIFF":                 {0xe1, "Exif\x00\x00nothing of the kind"},
		"truncated TIFF":           {0xe1, "Exif\x00\x00" + string(exif(6)[:12])},
		"directory beyond the end": {0xe1, "Exif\x00\x00" + string(beyond)},
		"orientation 0":            {0xe1, "Exif\x00\x00" + string(exif(0))},
		"orientation 9":            {0xe1, "Exif\x00\x00" + string(exif(9))},
		"CMYK profile":             {0xe2, "ICC_PROFILE\x00\x01\x01" + string(profile("CMYK", 200))},
		"profile without start":    {0xe2, "ICC_PROFILE\x00\x02\x02" + string(profile("RGB ", 200))},
		"truncated profile":        {0xe2, "ICC_PROFILE\x00\x01\x01" + string(profile("RGB ", 200)[:150])},
	} {
		t.Run(name, func(t *testing.T) {
			got := encode(t, decode(t, withSegment(plain, segment.marker, []byte(segment.body))), pixels.PNG)
			if !bytes.Equal(got, want) {
				t.Error("got a picture that differs from the one without the segment, want the same picture")
			}
		})
	}
}

// TestProfileBomb checks that a profile that decompresses to 64 MiB is ignored, and uses no more
// memory than a valid one.
func TestProfileBomb(t *testing.T) {
	data := withChunk(pngOf(t, scene.New(64, 48, 1)), "iCCP", append([]byte("x\x00\x00"), deflated(t, 64<<20)...))
	allocated := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			info, err := pixels.Inspect(data, pixels.Default)
			if err != nil || info.Profile != nil {
				b.Fatalf("got a profile of %d bytes, %v, want none", len(info.Profile), err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 8<<20 {
		t.Errorf("got %d bytes allocated, want at most 8 MiB", allocated)
	}
}
