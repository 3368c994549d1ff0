package pixels

import (
	"context"
	"encoding/binary"
	"errors"
	"image"
	"slices"
)

// isHEIC reports whether the first 32 bytes of a file contain an ftyp box with a brand of still
// HEVC pictures (ISO/IEC 23008-12, annex B).
func isHEIC(head []byte) bool {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return false
	}
	size := min(int(min(binary.BigEndian.Uint32(head), 1<<20)), len(head))
	for at := 8; at+4 <= size; at += 4 {
		if at != 12 && slices.Contains([]string{"heic", "heix", "heim", "heis"}, string(head[at:at+4])) { // bytes 12 to 15 are the minor version
			return true
		}
	}
	return false
}

func decodeHEIC(ctx context.Context, d *Decoder, data []byte, i Info) (image.Image, error) {
	return d.codecs.heif.decode(ctx, data, i)
}

// scanHEIC reads the properties of the items: the color profile, and the largest width and height
// of any item. The decoder applies the rotation of the item.
func (i *Info) scanHEIC(data []byte) (image.Config, error) {
	var config image.Config
	eachBox(data, func(name string, body []byte) {
		switch {
		case name == "moov": // an image sequence
			i.Frames = 0
		case name == "meta" && len(body) >= 4: // a full box begins with a version and flags
			eachBox(body[4:], func(name string, body []byte) {
				if name == "iprp" {
					i.scanProperties(body, &config)
				}
			})
		}
	})
	if config.Width == 0 {
		return config, errors.New("the header does not state a size")
	}
	i.kept = heicMemory(pixelCount(config))
	return config, nil
}

func (i *Info) scanProperties(properties []byte, config *image.Config) {
	eachBox(properties, func(name string, body []byte) {
		if name != "ipco" {
			return
		}
		eachBox(body, func(name string, body []byte) {
			switch {
			case name == "ispe" && len(body) >= 12:
				w, h := int(binary.BigEndian.Uint32(body[4:])), int(binary.BigEndian.Uint32(body[8:]))
				if w < 1<<20 && h < 1<<20 && w*h > config.Width*config.Height {
					config.Width, config.Height = w, h
				}
			case name == "colr" && len(body) > 4 && string(body[:4]) == "prof" && i.Profile == nil:
				i.setProfile(body[4:])
			}
		})
	})
}

// eachBox calls f for each box in data, which is part of an ISO base media file (ISO/IEC 14496-12, 4.2).
func eachBox(data []byte, f func(name string, body []byte)) {
	for len(data) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		switch size {
		case 0: // extends to the end
			size = uint64(len(data))
		case 1:
			if len(data) < 16 {
				return
			}
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < head || size > uint64(len(data)) {
			return
		}
		f(string(data[4:8]), data[head:size])
		data = data[size:]
	}
}
