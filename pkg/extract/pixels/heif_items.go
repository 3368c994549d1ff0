package pixels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"strings"
)

// items describes the primary item of a HEIF file (ISO/IEC 23008-12), which is a HEIC or AVIF picture.
type items struct {
	config    image.Config
	profile   []byte     // an ICC profile, or nil
	nclx      *cicp      // the color space, if it is stated by code points
	transform []property // irot, imir and clap, in the order in which they are applied
	depth     int        // maximum bits per channel of all items
	alpha     bool       // whether an item of the file is an alpha plane
	sequence  bool       // whether the file contains a sequence of pictures
	master    uint32     // the described item, if the primary item is its thumbnail; otherwise 0
}

// cicp are code points for a color space (ITU-T H.273).
type cicp struct {
	primaries, transfer, matrix uint16
	full                        bool
}

// property is a property of an item.
type property struct {
	name string
	body []byte
}

// scanItems reads the boxes of a HEIF file.
func scanItems(data []byte) (items, error) {
	var out items
	var meta []byte
	eachBox(data, func(name string, body []byte) {
		switch {
		case name == "moov":
			out.sequence = true
			out.addTracks(body)
		case name == "meta" && meta == nil && len(body) >= 4: // a full box begins with a version and flags
			meta = body[4:]
		}
	})
	var primary, master, tile uint32
	var properties []property
	of := map[uint32][]int{} // indices of the properties of each item
	eachBox(meta, func(name string, body []byte) {
		switch name {
		case "pitm":
			primary, _ = itemID(body, len(body) > 0 && body[0] > 0, 4)
		case "iprp":
			eachBox(body, func(name string, body []byte) {
				switch name {
				case "ipco":
					eachBox(body, func(name string, body []byte) { properties = append(properties, property{name, body}) })
				case "ipma":
					associations(body, of)
				}
			})
		}
	})
	references := func(f func(name string, from, to uint32)) {
		eachBox(meta, func(name string, body []byte) {
			if name == "iref" && len(body) >= 4 {
				long := body[0] > 0
				eachBox(body[4:], func(name string, body []byte) {
					from, at := itemID(body, long, 0)
					to, _ := itemID(body, long, at+2)
					f(name, from, to)
				})
			}
		})
	}
	own := func(item uint32, add func(property)) {
		for _, n := range of[item] {
			if n > 0 && n <= len(properties) {
				add(properties[n-1])
			}
		}
	}
	area := func(item uint32) (pixels int) {
		var i items
		own(item, i.addOwn)
		return i.config.Width * i.config.Height
	}
	references(func(name string, from, to uint32) {
		if name == "thmb" && from == primary && area(to) > area(primary) { // in some files, the master refers to the thumbnail
			master = to
		}
	})
	if master != 0 {
		primary, out.master = master, master
	}
	references(func(name string, from, to uint32) {
		if name == "dimg" && from == primary && tile == 0 {
			tile = to
		}
	})
	for _, p := range properties {
		out.addAny(p)
	}
	own(primary, out.addOwn)
	if out.profile == nil && out.nclx == nil { // of a grid, the tiles may have the profile
		own(tile, func(p property) {
			if p.name == "colr" {
				out.addOwn(p)
			}
		})
	}
	if out.config.Width == 0 {
		return out, errors.New("the header does not state a size")
	}
	return out, nil
}

// setItems sets the color space, and that a sequence has an unknown number of frames.
func (i *Info) setItems(found items) {
	i.solid, i.master = !found.alpha, found.master
	if found.sequence {
		i.Frames = 0
	}
	switch {
	case found.profile != nil:
		i.setProfile(found.profile)
	case found.nclx != nil:
		i.setCodePoints(int(found.nclx.primaries), int(found.nclx.transfer))
	}
}

// withPrimary returns a copy of a HEIF file with another primary item, or the file itself if item is 0.
func withPrimary(data []byte, item uint32) []byte {
	if item == 0 {
		return data
	}
	changed := bytes.Clone(data)
	eachBox(changed, func(name string, body []byte) {
		if name != "meta" || len(body) < 4 {
			return
		}
		eachBox(body[4:], func(name string, body []byte) {
			switch {
			case name != "pitm" || len(body) < 6:
			case body[0] == 0:
				binary.BigEndian.PutUint16(body[4:], uint16(item))
			case len(body) >= 8:
				binary.BigEndian.PutUint32(body[4:], item)
			}
		})
	})
	return changed
}

// addTracks uses the size of a track if there is no item.
func (i *items) addTracks(moov []byte) {
	eachBox(moov, func(name string, body []byte) {
		if name != "trak" {
			return
		}
		eachBox(body, func(name string, body []byte) {
			if n := len(body); name == "tkhd" && n >= 84 && i.config.Width == 0 { // ISO/IEC 14496-12, 8.3.2: ends with the size
				i.config.Width, i.config.Height = int(binary.BigEndian.Uint16(body[n-8:])), int(binary.BigEndian.Uint16(body[n-4:]))
				i.depth, i.alpha = 10, true
			}
		})
	})
}

// itemID returns the item at an offset of a box, which has 2 or 4 bytes, and the offset of what follows.
func itemID(body []byte, long bool, at int) (uint32, int) {
	switch {
	case long && len(body) >= at+4:
		return binary.BigEndian.Uint32(body[at:]), at + 4
	case !long && len(body) >= at+2:
		return uint32(binary.BigEndian.Uint16(body[at:])), at + 2
	}
	return 0, len(body)
}

// associations reads an ipma box (ISO/IEC 23008-12, 9.3).
func associations(body []byte, of map[uint32][]int) {
	if len(body) < 8 {
		return
	}
	long, wide := body[0] > 0, body[3]&1 != 0
	at := 8
	for range binary.BigEndian.Uint32(body[4:]) {
		var item uint32
		if item, at = itemID(body, long, at); at >= len(body) {
			return
		}
		count := int(body[at])
		at++
		for range count {
			switch {
			case wide && len(body) >= at+2:
				of[item] = append(of[item], int(binary.BigEndian.Uint16(body[at:])&0x7fff))
				at += 2
			case !wide && len(body) > at:
				of[item] = append(of[item], int(body[at]&0x7f))
				at++
			default:
				return
			}
		}
	}
}

// addAny adds a property of any item.
func (i *items) addAny(p property) {
	switch {
	case p.name == "hvcC" && len(p.body) >= 19: // ISO/IEC 14496-15, 8.3.2
		i.depth = max(i.depth, 8+int(p.body[17]&7), 8+int(p.body[18]&7))
	case p.name == "av1C" && len(p.body) >= 4: // AV1 Codec ISO Media File Format Binding, 2.3
		i.depth = max(i.depth, 8+2*int(p.body[2]>>6&1)+2*int(p.body[2]>>5&1))
	case p.name == "auxC" && len(p.body) >= 4:
		kind, _, _ := strings.Cut(string(p.body[4:]), "\x00")
		i.alpha = i.alpha || kind == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha" || kind == "urn:mpeg:hevc:2015:auxid:1"
	}
}

// addOwn adds a property of the primary item.
func (i *items) addOwn(p property) {
	switch {
	case p.name == "ispe" && len(p.body) >= 12:
		w, h := binary.BigEndian.Uint32(p.body[4:]), binary.BigEndian.Uint32(p.body[8:])
		if w < 1<<20 && h < 1<<20 {
			i.config.Width, i.config.Height = int(w), int(h)
		}
	case p.name == "colr" && len(p.body) > 4 && (string(p.body[:4]) == "prof" || string(p.body[:4]) == "rICC"):
		if i.profile == nil {
			i.profile = p.body[4:]
		}
	case p.name == "colr" && len(p.body) >= 11 && string(p.body[:4]) == "nclx":
		at := func(n int) uint16 { return binary.BigEndian.Uint16(p.body[n:]) }
		i.nclx = &cicp{primaries: at(4), transfer: at(6), matrix: at(8), full: p.body[10]>>7 != 0}
	case p.name == "irot" || p.name == "imir" || p.name == "clap":
		i.transform = append(i.transform, p)
	}
}
