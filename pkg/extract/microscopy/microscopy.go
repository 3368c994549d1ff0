// Package microscopy reads the image metadata in the headers of microscopy files: OME-TIFF, LSM, CZI and LIF. It
// reads no pixels.
package microscopy

import (
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/zipxml"
)

// Limits of a header.
const (
	maxXML    = 16 << 20 // bytes
	maxImages = 1_000    // further images are only counted
	maxNames  = 100      // named channels of an image
	maxDepth  = 100      // nesting depth of elements
	maxPath   = 1_000    // bytes of an element's path
)

// A Header is the metadata of a file.
type Header struct {
	Format     string  `json:"format"` // OME-TIFF, LSM, CZI or LIF
	Images     []Image `json:"images"`
	Further    int     `json:"further,omitempty"` // number of images beyond the limit
	Microscope string  `json:"microscope,omitempty"`
	Objective  string  `json:"objective,omitempty"`

	title, axis string // parser state: document title and scaling axis
}

// An Image has up to five dimensions. Sizes are counts of pixels, slices, channels and time points.
// A size that the file does not state is 0.
type Image struct {
	Name      string   `json:"name,omitempty"`
	SizeX     int      `json:"sizeX"`
	SizeY     int      `json:"sizeY"`
	SizeZ     int      `json:"sizeZ,omitempty"`
	SizeC     int      `json:"sizeC,omitempty"`
	SizeT     int      `json:"sizeT,omitempty"`
	PixelType string   `json:"pixelType,omitempty"` // the name in the file
	PixelX    float64  `json:"pixelX,omitempty"`    // pixel size in micrometers
	PixelY    float64  `json:"pixelY,omitempty"`
	PixelZ    float64  `json:"pixelZ,omitempty"` // distance between slices in micrometers
	Channels  []string `json:"channels,omitempty"`
	Acquired  string   `json:"acquired,omitempty"` // in the format of the file
}

// Errors of Read.
var (
	ErrNotMicroscopy       = errors.New("not a supported microscopy file")
	ErrDamaged       error = reason.HeaderDamaged
)

func damaged(what string) error { return fmt.Errorf("%w: %s", ErrDamaged, what) }

// Read reads the header of a file of the given size. It returns ErrNotMicroscopy, ErrDamaged, or an error of r.
func Read(r io.ReaderAt, size int64) (*Header, error) {
	f := &file{r: r, size: size}
	magic, err := f.bytes(0, 16)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	switch {
	case strings.HasPrefix(string(magic), "ZISRAWFILE"):
		return f.czi()
	case len(magic) >= 16 && binary.LittleEndian.Uint32(magic) == 0x70 && magic[8] == 0x2a:
		return f.lif()
	case strings.HasPrefix(string(magic), "II*\x00"), strings.HasPrefix(string(magic), "II+\x00"):
		return f.tiff(binary.LittleEndian, magic[2] == '+')
	case strings.HasPrefix(string(magic), "MM\x00*"), strings.HasPrefix(string(magic), "MM\x00+"):
		return f.tiff(binary.BigEndian, magic[3] == '+')
	default:
		return nil, ErrNotMicroscopy
	}
}

// file reads ranges of a file.
type file struct {
	r    io.ReaderAt
	size int64
}

// bytes reads n bytes at an offset. It returns ErrDamaged for a range beyond the end.
func (f *file) bytes(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || n > maxXML || at > f.size || n > f.size-at {
		return nil, damaged(fmt.Sprintf("it refers to %d bytes at offset %d of a file of %d bytes", n, at, f.size))
	}
	b := make([]byte, n)
	if read, err := f.r.ReadAt(b, at); int64(read) < n {
		return nil, err
	}
	return b, nil
}

// czi reads the metadata segment of a CZI file.
func (f *file) czi() (*Header, error) {
	head, err := f.bytes(32, 80)
	if err != nil {
		return nil, err
	}
	at := int64(binary.LittleEndian.Uint64(head[60:]))
	segment, err := f.bytes(at, 288)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(string(segment), "ZISRAWMETADATA") {
		return nil, damaged("the metadata segment is missing")
	}
	text, err := f.bytes(at+288, int64(binary.LittleEndian.Uint32(segment[32:])))
	if err != nil {
		return nil, err
	}
	h := &Header{Format: "CZI"}
	return h, h.walk(string(text), h.cziElement)
}

// lif reads the UTF-16 XML at the start of a LIF file.
func (f *file) lif() (*Header, error) {
	head, err := f.bytes(0, 13)
	if err != nil {
		return nil, err
	}
	b, err := f.bytes(13, 2*int64(binary.LittleEndian.Uint32(head[9:])))
	if err != nil {
		return nil, err
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	h := &Header{Format: "LIF"}
	return h, h.walk(string(utf16.Decode(units)), h.lifElement)
}

// image appends an image and returns it. The pointer is valid until the next call.
func (h *Header) image(name string) *Image {
	if len(h.Images) >= maxImages {
		h.Further++
		return &Image{}
	}
	h.Images = append(h.Images, Image{Name: name})
	return h.last()
}

// last returns the last image. If that image is only counted, or there is none, last returns an image
// that is not part of the header.
func (h *Header) last() *Image {
	if len(h.Images) == 0 || h.Further > 0 {
		return &Image{}
	}
	return &h.Images[len(h.Images)-1]
}

func (i *Image) channel(name string) {
	if name != "" && len(i.Channels) < maxNames {
		i.Channels = append(i.Channels, name)
	}
}

// element is a complete element, with its text if it has no child elements.
type element struct {
	path       string // path from the root; each name is preceded by a slash
	attributes map[string]string
	text       string
	begins     bool // at the start tag, before the text
}

// walk calls use at the start and end of each element.
func (h *Header) walk(text string, use func(element)) error {
	decoded := func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // to UTF-8, before
	d := zipxml.NewDecoder(strings.NewReader(strings.TrimRight(text, "\x00 \r\n")), decoded)
	var open []element
	var inner strings.Builder
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			if len(h.Images) == 0 {
				return damaged("it describes no image")
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(open) >= maxDepth {
				return damaged(fmt.Sprintf("it has more than %d nested elements", maxDepth))
			}
			e := element{path: "/" + t.Name.Local, attributes: map[string]string{}, begins: true}
			if len(open) > 0 {
				e.path = open[len(open)-1].path + e.path
			}
			if len(e.path) > maxPath {
				return damaged("the path of an element is too long")
			}
			for _, a := range t.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			open = append(open, e)
			use(e)
			inner.Reset()
		case xml.CharData:
			if inner.Len() < 1_000 {
				inner.Write(t[:min(len(t), 1_000)])
			}
		case xml.EndElement:
			if len(open) == 0 {
				return damaged("an end tag has no start tag")
			}
			e := open[len(open)-1]
			open = open[:len(open)-1]
			e.text, e.begins = strings.TrimSpace(inner.String()), false
			use(e)
			inner.Reset()
		}
	}
}

// count parses a size. It returns 0 if the size is invalid.
func count(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}

// length parses a length with a unit and returns it in micrometers, or 0 if it is invalid.
func length(text, unit string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	scale, known := map[string]float64{"": 1, "µm": 1, "μm": 1, "um": 1, "nm": 1e-3, "mm": 1e3, "cm": 1e4, "m": 1e6, "Å": 1e-4, "pm": 1e-6}[unit]
	if err != nil || !known || !(v > 0 && v < 1e12) {
		return 0
	}
	return v * scale
}
