package workflow

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
)

// photo returns a JPEG of 800 × 500 stored pixels that is displayed upright as 500 × 800, with the camera and the
// location in its metadata.
func photo(t *testing.T) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 800, 500))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(i/3000) + byte(random.IntN(40))
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		t.Fatal(err)
	}
	tags := exif()
	segment := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, 0}, "Exif\x00\x00"...)
	segment = append(segment, tags...)
	binary.BigEndian.PutUint16(segment[4:], uint16(len(segment)-4))
	return string(segment) + out.String()[2:]
}

// exif returns EXIF data with the make of a camera, orientation 6, and a latitude of 47.5° north.
func exif() []byte {
	order := binary.BigEndian
	var b []byte
	entry := func(tag, kind uint16, n uint32, value ...byte) {
		b = order.AppendUint16(b, tag)
		b = order.AppendUint16(b, kind)
		b = order.AppendUint32(b, n)
		b = append(b, append(value, 0, 0, 0, 0)[:4]...)
	}
	at := func(n uint32) []byte { return order.AppendUint32(nil, n) }
	b = append(b, "MM\x00*\x00\x00\x00\x08"...)
	b = order.AppendUint16(b, 3)
	const ascii, short, long, rational, gps, data = 2, 3, 4, 5, 8 + 2 + 3*12 + 4, 8 + 2 + 3*12 + 4 + 2 + 2*12 + 4
	entry(0x010f, ascii, 6, at(data+24)...) // Make
	entry(0x0112, short, 1, 0, 6)           // Orientation
	entry(0x8825, long, 1, at(gps)...)      // GPS
	b = append(b, 0, 0, 0, 0)
	b = order.AppendUint16(b, 2)
	entry(1, ascii, 2, 'N', 0)
	entry(2, rational, 3, at(data)...)
	b = append(b, 0, 0, 0, 0)
	for _, n := range []uint32{47, 1, 30, 1, 0, 1} {
		b = order.AppendUint32(b, n)
	}
	return append(b, "Secret\x00"...)
}

// drawing returns a PNG with transparent pixels.
func drawing(t *testing.T) string {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 2000, 1000))
	for x := range 500 {
		m.Set(x, x, color.NRGBA{R: 200, A: 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func animation(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 100, 50), color.Palette{color.Black, color.White})
	if err := gif.EncodeAll(&out, &gif.GIF{Image: []*image.Paletted{m, m}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPictures: pictures get upright thumbnails without metadata; pictures without thumbnails have a
// reason, and damaged ones fail.
func TestPictures(t *testing.T) {
	w := start(t)
	w.worker(nil)
	for name, c := range map[string]struct {
		body, status, mime string
		sizes              [][2]int // of the thumbnails for 1200, 600 and 300 pixels
	}{
		"photo.jpg":   {photo(t), "Processed", "image/jpeg", [][2]int{{500, 800}, {375, 600}, {188, 300}}},
		"drawing.png": {drawing(t), "Processed", "image/png", [][2]int{{1200, 600}, {600, 300}, {300, 150}}},
		"moving.gif":  {animation(t), "Processed", "image/png", [][2]int{{100, 50}, {100, 50}, {100, 50}}},
		"vector.svg":  {`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><desc>Secret</desc><rect width="20" height="20"/></svg>`, "Processed", "image/png", [][2]int{{1200, 600}, {600, 300}, {300, 150}}},
		"broken.svg":  {`<svg xmlns="http://www.w3.org/2000/svg"><g></svg>`, "Failed", "", nil},
		"icon.ico":    {"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\x68\x04\x00\x00\x16\x00\x00\x00", "Processed", "", nil},
		"broken.png":  {drawing(t)[:2000], "Failed", "", nil},
	} {
		f := w.ended(w.add(name, "", c.body).ID)
		flow, err := w.Workflow(t.Context(), f.ID)
		if err != nil || string(f.Status) != c.status || f.Type != "Image" || !flow.ThumbnailCompleted || !flow.MetadataCompleted || len(f.Images) != len(c.sizes) {
			t.Errorf("%s: got %+v, steps %+v, %v, want %s with %d images", name, f, flow.StepResults, err, c.status, len(c.sizes))
			continue
		}
		n, err := w.Get(t.Context(), f.ID)
		if err != nil || len(n.Images) != len(f.Images) {
			t.Errorf("%s: images of the node = %+v, %v, want %+v", name, n.Images, err, f.Images)
		}
		for i, made := range f.Images {
			if made.MimeType != c.mime || [2]int{made.Width, made.Height} != c.sizes[i] {
				t.Errorf("%s: got image %+v, want %s of size %v", name, made, c.mime, c.sizes[i])
			}
			w.clean(made)
		}
		switch name {
		case "photo.jpg":
			place, _ := f.Metadata[library.MetadataPlace].(map[string]any)
			tags, _ := f.Metadata["exif"].(map[string]any)
			if f.Metadata["width"] != 500.0 || place["GPSLatitude"] == nil || tags["Make"] != "Secret" || tags["GPSLatitude"] != nil {
				t.Errorf("%s: metadata = %+v, want the width, the make, and the location in %s only", name, f.Metadata, library.MetadataPlace)
			}
		case "broken.svg":
			if !strings.HasPrefix(f.ErrorMessage, "thumbnails: the picture is not SVG, or is damaged") {
				t.Errorf("%s: error message = %q, want that of a damaged SVG; workflow %+v", name, f.ErrorMessage, flow)
			}
		case "icon.ico":
			if got := flow.StepResults[extract.StepThumbnails]; !strings.HasPrefix(got.Reason, "thumbnails are not supported for image/x-icon") || len(flow.StepsSkipped) != 1 {
				t.Errorf("%s: thumbnails step = %+v, want it skipped because ICO is not supported", name, got)
			}
		case "broken.png":
			if !strings.HasPrefix(f.ErrorMessage, "thumbnails: the picture cannot be read: the file is damaged or ends early; ") || len(flow.StepsFailed) != 1 {
				t.Errorf("%s: error message = %q, want that of a damaged PNG and one failed step; workflow %+v", name, f.ErrorMessage, flow)
			}
		}
	}
}

// clean checks that a derived picture has the recorded size and no metadata of its source.
func (w *world) clean(made library.Image) {
	w.t.Helper()
	body, err := w.backends.Bucket.Open(w.t.Context(), made.Key, "")
	if err != nil {
		w.t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil || int64(len(data)) != made.Length || bytes.Contains(data, []byte("Exif")) || bytes.Contains(data, []byte("Secret")) {
		w.t.Errorf("%s: got %d bytes, %v, want %d bytes without metadata", made.Key, len(data), err, made.Length)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width != made.Width || config.Height != made.Height {
		w.t.Errorf("%s: got %d × %d pixels, %v, want %d × %d", made.Key, config.Width, config.Height, err, made.Width, made.Height)
	}
}
