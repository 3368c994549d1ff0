package pixels

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
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

func decodeJPEG(ctx context.Context, _ *Decoder, data []byte, i Info) (image.Image, error) {
	frame, err := jpegfile.DecodeReduced(ctx, data, i.divisor())
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
		}
	})
	i.setProfile(bytes.Join(profile, nil))
	config, refused := jpeg.DecodeConfig(bytes.NewReader(data))
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
