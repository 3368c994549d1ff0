package pixels

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"

	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
	"github.com/assay-project/assay/pkg/extract/reason"
)

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerAPP1 = 0xe1
	markerAPP2 = 0xe2
)

var (
	exifHeader = []byte("Exif\x00\x00")    // EXIF 2.32, 4.7.2.1
	iccHeader  = []byte("ICC_PROFILE\x00") // ICC.1:2022, B.4
)

// maxScans is the maximum number of scans of a JPEG. Encoders write about 10. The decoder visits every block of the
// picture in each scan, even if the scan has only a few bytes.
const maxScans = 200

// checkScans returns ErrTooLarge if a JPEG has more than maxScans scans. Embedded pictures count too.
func checkScans(data []byte) error {
	if n := bytes.Count(data, []byte{0xff, markerSOS}); n > maxScans {
		return ErrTooLarge.With(reason.ScansLimit, n, maxScans)
	}
	return nil
}

func isJPEG(head []byte) bool { return bytes.HasPrefix(head, []byte("\xff\xd8\xff")) }

// decodeJPEG uses the faster decoder of the standard library for the files that it supports. It is not used for RGB and
// CMYK, because it repeats their subsampled components.
func decodeJPEG(ctx context.Context, _ *Decoder, data []byte, i Info) (image.Image, error) {
	divisor := i.divisor()
	if !i.unusual && divisor == 1 {
		m, err := jpeg.Decode(newInput(ctx, data))
		return m, damaged(err)
	}
	frame, err := jpegfile.DecodeReduced(ctx, data, divisor)
	if err != nil {
		return nil, err
	}
	var remarks []string
	if frame.Precision > 8 {
		remarks = append(remarks, fmt.Sprintf(reducedBits, frame.Precision))
	}
	return i.accept(frame.Image(), frame.Read, remarks)
}

// divisor returns the number by which the sides of the picture can be divided before it is shrunk to Limits.Box.
func (i *Info) divisor() int {
	width, height := i.Width, i.Height
	if i.Orientation > 4 {
		width, height = height, width
	}
	enough := func(d int) bool { return i.box.X > 0 && width/d >= i.box.X || i.box.Y > 0 && height/d >= i.box.Y }
	for _, d := range []int{8, 4, 2} {
		if enough(d) {
			return d
		}
	}
	return 1
}

// scanJPEG reads the segments before the first scan.
func (i *Info) scanJPEG(data []byte) (image.Config, error) {
	if err := checkScans(data); err != nil {
		return image.Config{}, err
	}
	var profile [][]byte
	exif := false
	eachSegment(data, func(marker byte, body []byte) {
		switch {
		case marker == markerAPP1 && bytes.HasPrefix(body, exifHeader):
			if !exif { // of several segments, readers use the first
				i.Orientation = orientation(body[len(exifHeader):])
			}
			exif = true
		case marker == markerAPP2 && bytes.HasPrefix(body, iccHeader):
			profile = appendChunk(profile, body[len(iccHeader):])
		case isFrame(marker):
			i.kept += frameMemory(marker, body)
		}
	})
	i.setProfile(bytes.Join(profile, nil))
	config, refused := jpeg.DecodeConfig(bytes.NewReader(data))
	i.unusual = i.unusual || refused != nil || lacksEnd(data) || config.ColorModel == color.CMYKModel || config.ColorModel == color.RGBAModel
	i.Width, i.Height = config.Width, config.Height
	if !i.unusual && i.divisor() == 1 {
		return config, nil
	}
	frame, err := jpegfile.Open(data)
	if errors.Is(err, jpegfile.ErrUnsupported) {
		return config, ErrUnreadable.With(reason.JPEGProcess, strings.TrimPrefix(err.Error(), jpegfile.ErrUnsupported.Error()+": "))
	}
	if err != nil {
		return config, cmp.Or(refused, err)
	}
	i.kept = frame.Memory()
	config.Width, config.Height = frame.Width, frame.Height
	return config, nil
}

// lacksEnd reports whether no end marker follows the beginning of the first scan.
func lacksEnd(data []byte) bool {
	scan := eachSegment(data, func(byte, []byte) {})
	return !bytes.Contains(data[scan:], []byte{0xff, markerEOI})
}

// eachSegment calls f for each segment before the first scan, and returns the offset where it stopped.
func eachSegment(data []byte, f func(marker byte, body []byte)) (at int) {
	for at = 2; at+4 <= len(data) && data[at] == 0xff; {
		marker := data[at+1]
		if marker == 0xff { // fill byte
			at++
			continue
		}
		if marker == markerSOS {
			break
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		if size < 2 || at+2+size > len(data) {
			break
		}
		f(marker, data[at+4:at+2+size])
		at += 2 + size
	}
	return min(at, len(data))
}

// appendChunk appends a chunk of the profile. Chunks are numbered from 1. It discards the profile if
// a chunk is out of order.
func appendChunk(chunks [][]byte, body []byte) [][]byte {
	if len(body) < 2 || int(body[0]) != len(chunks)+1 {
		return append(chunks[:0:0], nil)
	}
	return append(chunks, body[2:])
}

// isFrame reports whether marker is an SOF marker. The values 0xc4, 0xc8 and 0xcc in that range are other markers.
func isFrame(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// frameMemory returns the bytes that image/jpeg allocates for a frame: the subsampled components,
// the converted pixels of a CMYK frame, and 4 bytes per sample for the coefficients of a
// progressive frame.
func frameMemory(marker byte, body []byte) int64 {
	const progressive = 0xc2
	if len(body) < 6 || len(body) < 6+3*int(body[5]) {
		return 0 // no decoder supports it
	}
	pixels := int64(binary.BigEndian.Uint16(body[1:])) * int64(binary.BigEndian.Uint16(body[3:]))
	var largest, sum, components int64
	standard := true // whether all sampling factors of the chroma components are 1
	for components = range int64(body[5]) {
		h, v := int64(body[7+3*components]>>4), int64(body[7+3*components]&15)
		largest = max(largest, h*v)
		sum += h * v
		standard = standard && (components == 0 || components == 3 || h*v == 1)
	}
	components++
	samples := components * pixels
	if standard && largest > 0 {
		samples = pixels * sum / largest
	}
	kept := samples
	if components == 4 {
		kept += 4 * pixels
	}
	if marker == progressive {
		kept += 4 * samples
	}
	return kept
}
