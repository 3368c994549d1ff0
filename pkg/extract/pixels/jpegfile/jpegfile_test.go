package jpegfile_test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/chroma"
	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
)

// files returns the pictures of testdata/cjpeg.zip by name.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader("testdata/cjpeg.zip")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// samples returns the pixels as djpeg writes them, in gray or RGB.
func samples(t testing.TB, m image.Image) []byte {
	t.Helper()
	size := m.Bounds().Size()
	var out []byte
	rgba := make([]byte, 4*size.X)
	cb, cr := make([]byte, size.X), make([]byte, size.X)
	for y := range size.Y {
		switch m := m.(type) {
		case *image.Gray:
			out = append(out, m.Pix[y*m.Stride:][:size.X]...)
			continue
		case *image.RGBA:
			rgba = m.Pix[y*m.Stride:][:4*size.X]
		case *image.YCbCr:
			ratio := map[image.YCbCrSubsampleRatio][2]int{
				image.YCbCrSubsampleRatio444: {1, 1}, image.YCbCrSubsampleRatio422: {2, 1}, image.YCbCrSubsampleRatio420: {2, 2},
				image.YCbCrSubsampleRatio440: {1, 2}, image.YCbCrSubsampleRatio411: {4, 1}, image.YCbCrSubsampleRatio410: {4, 2},
			}[m.SubsampleRatio]
			plane := chroma.Plane{Stride: m.CStride, Width: (size.X + ratio[0] - 1) / ratio[0], Height: (size.Y + ratio[1] - 1) / ratio[1]}
			plane.Samples = m.Cb
			plane.Row(cb, y, ratio[0], ratio[1])
			plane.Samples = m.Cr
			plane.Row(cr, y, ratio[0], ratio[1])
			chroma.RGBA(rgba, m.Y[y*m.YStride:][:size.X], cb, cr)
		default:
			t.Fatalf("got %T, want gray, RGB or Y'CbCr", m)
		}
		for at := 0; at < len(rgba); at += 4 {
			out = append(out, rgba[at:at+3]...)
		}
	}
	return out
}

// TestSameAsLibjpeg checks that the pixels of each sampling layout and process are the same as those of djpeg.
func TestSameAsLibjpeg(t *testing.T) {
	sums, err := os.ReadFile("testdata/djpeg.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := files(t)
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) != len(all) || len(all) < 160 {
		t.Fatalf("got %d files and %d checksums, want at least 160 of each", len(all), len(lines))
	}
	for _, line := range lines {
		name, want, _ := strings.Cut(line, "\t")
		f, err := jpegfile.Decode(t.Context(), all[name])
		if err != nil {
			t.Errorf("%s: got error %v, want none", name, err)
			continue
		}
		if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE(samples(t, f.Image()))); got != want || f.Read != 1 {
			t.Errorf("%s: got pixels with the checksum %s, %.2f read, want %s, 1", name, got, f.Read, want)
		}
	}
}

// TestEndsEarly checks that a file of any length is decoded with a share that grows with it, or is refused.
func TestEndsEarly(t *testing.T) {
	all := files(t)
	for _, name := range []string{"2x2,1x1,1x1.jpg", "progressive.jpg", "progressiverestart1.jpg", "restart1B.jpg"} {
		data, last := all[name], 0.0
		for n := range data {
			f, err := jpegfile.Decode(t.Context(), data[:n])
			if err != nil {
				if last > 0 {
					t.Errorf("%s, %d bytes: got error %v after a shorter file had %.2f", name, n, err, last)
				}
				continue
			}
			if f.Read < last-1e-9 || f.Read > 1 {
				t.Errorf("%s, %d bytes: got a share of %.4f, want %.4f to 1", name, n, f.Read, last)
			}
			last = f.Read
			f.Image()
		}
		if last != 1 {
			t.Errorf("%s without its last byte: got a share of %.4f, want 1", name, last)
		}
	}
}

// TestLostInterval checks that the rest of a picture is read after a damaged part that ends with a restart marker.
func TestLostInterval(t *testing.T) {
	data := files(t)["restart1B.jpg"]
	whole, err := jpegfile.Decode(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(data), "\xff\xd3")
	damaged := append(append([]byte{}, data[:at-6]...), data[at:]...) // the end of the fourth unit
	part, err := jpegfile.Decode(t.Context(), damaged)
	if err != nil || part.Read > 0.99 || part.Read < 0.8 {
		t.Fatalf("got %v, %v, want most of the picture", part, err)
	}
	want, got := samples(t, whole.Image()), samples(t, part.Image())
	if end := len(want) - 45*3; string(got[end:]) != string(want[end:]) {
		t.Error("the last row differs, want it as in the undamaged file")
	}
}

// TestEmpty checks files without a frame.
func TestEmpty(t *testing.T) {
	for _, data := range []string{"", "\xff\xd8", "\xff\xd8\xff\xd9", "\xff\xd8\xff\xfe\x00\x02", "\xff\xd8\xff\xda\x00\x02"} {
		if f, err := jpegfile.Open([]byte(data)); err == nil {
			t.Errorf("Open of %q: got %v, want an error", data, f)
		}
		if f, err := jpegfile.Decode(t.Context(), []byte(data)); err == nil {
			t.Errorf("Decode of %q: got %v, want an error", data, f)
		}
	}
}

// TestUnsupported checks that the coding process of a file that cannot be read is named.
func TestUnsupported(t *testing.T) {
	data := files(t)["2x2,1x1,1x1.jpg"]
	at := strings.Index(string(data), "\xff\xc0")
	for marker, want := range map[byte]string{0xc3: "lossless coding", 0xc9: "arithmetic coding", 0xc5: "hierarchical coding"} {
		other := append([]byte{}, data...)
		other[at+1] = marker
		for _, open := range []func() error{
			func() error { _, err := jpegfile.Open(other); return err },
			func() error { _, err := jpegfile.Decode(t.Context(), other); return err },
		} {
			if err := open(); !errors.Is(err, jpegfile.ErrUnsupported) || !strings.Contains(err.Error(), want) {
				t.Errorf("%x: got %v, want an error that names %s", marker, err, want)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	all := files(f)
	for name := range maps.Keys(all) {
		if strings.HasPrefix(name, "progressive") || strings.HasPrefix(name, "restart") || strings.HasPrefix(name, "3x") {
			f.Add(all[name])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := jpegfile.Open(data)
		if err != nil || frame.Memory() > 1<<20 {
			return
		}
		if frame, err = jpegfile.Decode(context.Background(), data); err == nil && frame.Image().Bounds().Dx() != frame.Width {
			t.Errorf("got %v, want a width of %d", frame.Image().Bounds(), frame.Width)
		}
	})
}
