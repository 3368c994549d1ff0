package pixels

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

func isPNG(head []byte) bool { return bytes.HasPrefix(head, []byte(pngSignature)) }

func decodePNG(ctx context.Context, _ *Decoder, data []byte, _ Info) (image.Image, error) {
	return png.Decode(newInput(ctx, data))
}

func (i *Info) scanPNG(data []byte) (image.Config, error) {
	i.scanChunks(data)
	return png.DecodeConfig(bytes.NewReader(data))
}

// scanChunks reads the chunks before the pixels. The decoder verifies the checksums.
func (i *Info) scanChunks(data []byte) {
	at := len(pngSignature)
	for at+12 <= len(data) {
		size := int64(binary.BigEndian.Uint32(data[at:]))
		if int64(at)+12+size > int64(len(data)) {
			return
		}
		body := data[at+8 : at+8+int(size)]
		switch string(data[at+4 : at+8]) {
		case "IHDR":
			i.kept += pngMemory(body)
		case "acTL":
			i.animated = true
		case "eXIf":
			i.Orientation = orientation(body)
		case "iCCP": // name, 0, method, compressed data
			if end := bytes.IndexByte(body, 0); end >= 0 && end+2 <= len(body) {
				i.Profile = inflateProfile(body[end+2:])
			}
		case "IDAT":
			return
		}
		at += 12 + int(size)
	}
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
	body := bytes.NewBufferString("iCCPICC\x00\x00")
	z := zlib.NewWriter(body)
	if _, err := z.Write(profile); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	chunk := binary.BigEndian.AppendUint32(nil, uint32(body.Len()-4))
	chunk = append(chunk, body.Bytes()...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body.Bytes())), nil
}
