package pixels

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"image"
	"image/png"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

func isPNG(head []byte) bool { return bytes.HasPrefix(head, []byte(pngSignature)) }

func decodePNG(ctx context.Context, _ *Decoder, data []byte, i Info) (image.Image, error) {
	if !i.unusual {
		m, err := png.Decode(newInput(ctx, data))
		return m, damaged(err)
	}
	repaired, read, err := repairPNG(ctx, data)
	if err != nil {
		return nil, err
	}
	m, err := png.Decode(newInput(ctx, repaired))
	if err != nil {
		return nil, err
	}
	return i.accept(m, read, nil)
}

func (i *Info) scanPNG(data []byte) (image.Config, error) {
	i.scanChunks(data)
	return png.DecodeConfig(bytes.NewReader(data))
}

// scanChunks reads the metadata. The decoder verifies the checksums.
func (i *Info) scanChunks(data []byte) {
	pixels, exif := false, false
	var color pngColor
	complete := eachPNGChunk(data, func(name string, body []byte) {
		switch {
		case name == "IHDR":
			i.kept += pngMemory(body)
		case name == "acTL" && !pixels:
			i.Frames = 0 // only the first frame is decoded
			if len(body) >= 4 {
				i.Frames = int(min(binary.BigEndian.Uint32(body), 1<<30))
			}
		case name == "eXIf" && !exif:
			i.Orientation, exif = orientation(body), true
		case name == "IDAT":
			pixels = true
		case !pixels:
			color.chunk(name, body)
		}
	})
	i.setPNGColor(color)
	if i.unusual = i.unusual || !complete; i.unusual {
		i.kept *= repairMemory
	}
}

// eachPNGChunk calls f for each chunk, and reports whether the last one is a complete IEND. The body of the last chunk is
// cut if the file ends early.
func eachPNGChunk(data []byte, f func(name string, body []byte)) (complete bool) {
	for at := len(pngSignature); at+8 <= len(data); {
		size, name := int64(binary.BigEndian.Uint32(data[at:])), string(data[at+4:at+8])
		end := int64(at) + 8 + size
		if f(name, data[at+8:min(end, int64(len(data)))]); end+4 > int64(len(data)) {
			return false
		}
		if name == "IEND" {
			return true
		}
		at = int(end) + 4
	}
	return false
}

// pngProfileIn returns the profile in an iCCP chunk, which is a name, 0, a method, and compressed data.
func pngProfileIn(body []byte) []byte {
	if end := bytes.IndexByte(body, 0); end >= 0 && end+2 <= len(body) {
		return inflateProfile(body[end+2:])
	}
	return nil
}

// pngMemory returns the bytes that image/png allocates: 4 or 8 per pixel, and the passes of an
// interlaced picture. A gray or paletted picture needs less.
func pngMemory(header []byte) int64 {
	const depth, interlace = 8, 12
	if len(header) < 13 {
		return 0 // no decoder supports it
	}
	kept := int64(4)
	if header[depth] == 16 {
		kept = 8
	}
	if header[interlace] != 0 {
		kept += kept / 2 // the largest pass has half of the rows
	}
	width, height := binary.BigEndian.Uint32(header), binary.BigEndian.Uint32(header[4:])
	if width > 1<<20 || height > 1<<20 {
		return 0 // exceeds every limit
	}
	return kept * int64(width) * int64(height)
}

// pngProfile returns the profile in an iCCP chunk.
func pngProfile(profile []byte) ([]byte, error) {
	body := bytes.NewBufferString("ICC\x00\x00")
	z := zlib.NewWriter(body)
	if _, err := z.Write(profile); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return appendPNGChunk(nil, "iCCP", body.Bytes()), nil
}
