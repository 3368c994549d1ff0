package pixels

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
)

// Tags of TIFF, TIFF/EP, DNG and Panasonic's raw files.
const (
	tagSensorWidth  = 0x0002 // Panasonic
	tagSensorHeight = 0x0003 // Panasonic
	tagSubfile      = 0x00fe
	tagWidth        = 0x0100
	tagHeight       = 0x0101
	tagPhotometric  = 0x0106
	tagMake         = 0x010f
	tagSubIFDs      = 0x014a
	tagDNGVersion   = 0xc612
)

// Versions of raw files that are based on TIFF.
const (
	versionTIFF      = 42
	versionPanasonic = 0x55
	versionOlympus   = 0x4f52
	versionOlympus2  = 0x5352
)

const fujiSignature = "FUJIFILMCCD-RAW "

// isRaw reports whether the beginning of a file is that of a raw file of a camera. Those that are based on TIFF, except
// for Canon's, are recognized by their first directory, which often ends within 1,000 bytes.
func isRaw(head []byte) bool {
	switch {
	case bytes.HasPrefix(head, []byte(fujiSignature)):
		return true
	case len(head) >= 12 && string(head[4:12]) == "ftypcrx ":
		return true
	}
	d, first, version := openDirectories(head)
	switch version {
	case versionPanasonic, versionOlympus, versionOlympus2:
		return true
	case versionTIFF:
	default:
		return false
	}
	if len(head) >= 10 && string(head[8:10]) == "CR" { // Canon
		return true
	}
	var dng, reduced, camera, nested, mosaic bool
	d.each(first, func(e field) {
		value, _ := d.integer(e, 0)
		switch e.tag {
		case tagDNGVersion:
			dng = true
		case tagSubfile:
			reduced = value&1 != 0
		case tagMake:
			camera = true
		case tagSubIFDs:
			nested = true
		case tagPhotometric:
			mosaic = value == 32803 || value == 34892 // of a color filter array, linear
		}
	})
	return dng || mosaic || reduced && camera && nested
}

// scanRaw finds the largest embedded preview and describes it as the picture.
func (i *Info) scanRaw(data []byte) (image.Config, error) {
	preview, size := largestPreview(data)
	if preview == nil {
		return image.Config{}, errors.New("the raw file has no preview that can be read")
	}
	config, err := i.scanJPEG(preview)
	if err != nil {
		return config, err
	}
	full, orientation := rawHeader(data)
	if orientation != 0 {
		i.Orientation = orientation
	}
	i.preview = preview
	remark := fmt.Sprintf("the embedded preview of %d × %d of the raw file was used", size.X, size.Y)
	if full != (image.Point{}) {
		remark += fmt.Sprintf("; the raw file has %d × %d", full.X, full.Y)
	}
	i.remarks = append(i.remarks, remark)
	return config, nil
}

func decodeRaw(ctx context.Context, d *Decoder, _ []byte, i Info) (image.Image, error) {
	return decodeJPEG(ctx, d, i.preview, i)
}

// largestPreview returns the embedded JPEG with the most pixels and its size. Previews are in directories, boxes and notes
// of the makers, so it looks for the beginning of a JPEG everywhere.
func largestPreview(data []byte) (preview []byte, size image.Point) {
	const most, header = 100, 1 << 19
	for at, n := 0, 0; n < most; n++ {
		next := bytes.Index(data[at:], []byte{0xff, 0xd8, 0xff})
		if next < 0 || at+next+4 > len(data) {
			break
		}
		begin := at + next
		at = begin + 3
		switch marker := data[at]; { // others begin the samples of the sensor, in lossless JPEG
		case marker >= 0xe0 && marker <= 0xef, marker == 0xdb, marker == 0xdd, marker == 0xfe, marker == 0xc0:
		default:
			n--
			continue
		}
		f, err := jpegfile.Open(data[begin:min(begin+header, len(data))])
		if err == nil && f.Width*f.Height > size.X*size.Y {
			preview, size = data[begin:], image.Pt(f.Width, f.Height)
		}
	}
	scan := eachSegment(preview, func(byte, []byte) {})
	if end := bytes.Index(preview[scan:], []byte{0xff, markerEOI}); end >= 0 {
		preview = preview[:scan+end+2]
	}
	return preview, size
}

// rawHeader returns the size of the picture of the sensor, or a zero point, and the orientation, or 0.
func rawHeader(data []byte) (size image.Point, orientation int) {
	switch {
	case bytes.HasPrefix(data, []byte(fujiSignature)):
		return fujiSize(data), 0 // the orientation is that of the preview
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return canonBoxes(data)
	}
	d, first, _ := openDirectories(data)
	return d.camera(first)
}

// camera returns the largest size in the directories and the orientation in the first.
func (d directories) camera(first uint64) (size image.Point, orientation int) {
	var sensor image.Point
	queue, seen := []uint64{first}, map[uint64]bool{0: true}
	for n := 0; n < len(queue) && n < 30; n++ {
		at := queue[n]
		if seen[at] {
			continue
		}
		seen[at] = true
		var here image.Point
		next := d.each(at, func(e field) {
			value, ok := d.integer(e, 0)
			if !ok || value > 1<<17 && e.tag != tagSubIFDs {
				return
			}
			switch e.tag {
			case tagWidth:
				here.X = int(value)
			case tagHeight:
				here.Y = int(value)
			case tagSensorWidth:
				sensor.X = int(value)
			case tagSensorHeight:
				sensor.Y = int(value)
			case tagOrientation:
				if at == first && value >= 1 && value <= 8 && orientation == 0 {
					orientation = int(value)
				}
			case tagSubIFDs:
				for k := range min(int(e.count), 10) {
					if offset, ok := d.integer(e, k); ok {
						queue = append(queue, offset)
					}
				}
			}
		})
		queue = append(queue, next)
		if here.X*here.Y > size.X*size.Y {
			size = here
		}
	}
	if sensor.X*sensor.Y > size.X*size.Y && sensor.X > 100 && sensor.Y > 100 {
		size = sensor
	}
	return size, orientation
}

// fujiSize returns the size in the header of Fujifilm's raw files: at offset 92 is the offset of a list of records, each
// of which is a tag, a length and a value. Record 0x100 is the height and the width.
func fujiSize(data []byte) image.Point {
	const directory, record = 92, 0x100
	if len(data) < directory+4 {
		return image.Point{}
	}
	at := int(binary.BigEndian.Uint32(data[directory:]))
	if at < 0 || at+4 > len(data) {
		return image.Point{}
	}
	for b := data[at+4:]; len(b) >= 8; {
		length := int(binary.BigEndian.Uint16(b[2:]))
		if binary.BigEndian.Uint16(b) == record && length >= 4 {
			return image.Pt(int(binary.BigEndian.Uint16(b[6:])), int(binary.BigEndian.Uint16(b[4:])))
		}
		b = b[min(4+length, len(b)):]
	}
	return image.Point{}
}

// canonBoxes returns the size and orientation in the box CMT1 of CR3, which has the directory of TIFF.
func canonBoxes(data []byte) (size image.Point, orientation int) {
	const identifier = 16
	eachBox(data, func(name string, body []byte) {
		if name != "moov" {
			return
		}
		eachBox(body, func(name string, body []byte) {
			if name != "uuid" || len(body) < identifier {
				return
			}
			eachBox(body[identifier:], func(name string, body []byte) {
				if name == "CMT1" {
					d, first, _ := openDirectories(body)
					size, orientation = d.camera(first)
				}
			})
		})
	})
	return size, orientation
}
