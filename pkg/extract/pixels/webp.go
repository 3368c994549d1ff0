package pixels

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"

	"golang.org/x/image/webp"
)

// Flags of the chunk VP8X (RFC 9649, section 2.7).
const (
	webpICC       = 1 << 5
	webpAlpha     = 1 << 4
	webpAnimation = 1 << 1
)

func isWebP(head []byte) bool {
	return len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP"
}

func decodeWebP(ctx context.Context, _ *Decoder, data []byte, _ Info) (image.Image, error) {
	return webp.Decode(newInput(ctx, data))
}

// scanWebP reads the chunks of the container. It reads the size from the frame, because the decoder
// allocates memory for that size. It rejects a file whose canvas has a different size than the frame,
// which is invalid for a still picture (RFC 9649, section 2.7.1.1).
func (i *Info) scanWebP(data []byte) (image.Config, error) {
	var canvas, frame image.Config
	eachChunk(data, func(name string, body []byte) {
		switch {
		case name == "ANIM" || name == "ANMF":
			i.animated = true
		case name == "ICCP":
			i.setProfile(body)
		case name == "EXIF":
			i.Orientation = orientation(bytes.TrimPrefix(body, exifHeader)) // some writers include the TIFF header
		case name == "VP8X" && len(body) >= 10:
			i.animated = i.animated || body[0]&webpAnimation != 0
			canvas.Width, canvas.Height = 1+uint24(body[4:]), 1+uint24(body[7:])
		case name == "VP8 " && len(body) >= 10 && frame.Width == 0: // RFC 6386, section 9.1
			size := binary.LittleEndian.Uint32(body[6:])
			frame.Width, frame.Height = int(size&0x3fff), int(size>>16&0x3fff)
			i.kept += pixelCount(frame) * lossyWebP / 2
		case name == "VP8L" && len(body) >= 5 && frame.Width == 0: // RFC 9649, section 3.4
			size := binary.LittleEndian.Uint32(body[1:])
			frame.Width, frame.Height = 1+int(size&0x3fff), 1+int(size>>14&0x3fff)
			i.kept += losslessMemory(pixelCount(frame), len(body))
		case name == "ALPH":
			i.kept += losslessMemory(pixelCount(canvas), len(body)) + pixelCount(canvas)
		}
	})
	if canvas.Width > 0 && frame.Width > 0 && canvas != frame {
		return frame, fmt.Errorf("the canvas has %d × %d pixels, but the frame has %d × %d", canvas.Width, canvas.Height, frame.Width, frame.Height)
	}
	return frame, nil
}

// lossyWebP is twice the memory per pixel of Y'CbCr 4:2:0, in bytes.
const lossyWebP = 3

// losslessMemory returns the maximum number of bytes that x/image/webp allocates for a lossless
// frame: its pixels, the rows of a transform, and the Huffman tables of its groups, each of which
// takes at least 20 bits of the file.
func losslessMemory(pixels int64, size int) int64 {
	const group = 5 * 600
	groups := min(pixels/16+1, int64(size)*8/20+1, 1<<16)
	return pixels*8 + groups*group + int64(size)*16
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func pixelCount(c image.Config) int64 { return int64(c.Width) * int64(c.Height) }

// eachChunk calls f for each chunk of a RIFF file.
func eachChunk(data []byte, f func(name string, body []byte)) {
	for at := 12; at+8 <= len(data); {
		size := int64(binary.LittleEndian.Uint32(data[at+4:]))
		if int64(at)+8+size > int64(len(data)) {
			return
		}
		f(string(data[at:at+4]), data[at+8:at+8+int(size)])
		at += 8 + int(size+size&1)
	}
}

// webpProfile converts a file to the extended format and adds a profile (RFC 9649, section 2.7).
func webpProfile(file, profile []byte) []byte {
	const head, chunk = 12, 8
	frames := file[head:]
	var width, height uint32 // minus 1
	flags := byte(webpICC)
	switch body := frames[chunk:]; string(frames[:4]) {
	case "VP8X":
		flags |= body[0]
		width, height = uint32(uint24(body[4:])), uint32(uint24(body[7:]))
		frames = body[10:]
	case "VP8L":
		bits := binary.LittleEndian.Uint32(body[1:]) // width − 1, height − 1, alpha
		width, height = bits&0x3fff, bits>>14&0x3fff
		if bits>>28&1 != 0 {
			flags |= webpAlpha
		}
	default: // VP8
		size := binary.LittleEndian.Uint32(body[6:])
		width, height = size&0x3fff-1, size>>16&0x3fff-1
	}
	extended := []byte{flags, 0, 0, 0, byte(width), byte(width >> 8), 0, byte(height), byte(height >> 8), 0}
	out := appendChunkTo([]byte("RIFF\x00\x00\x00\x00WEBP"), "VP8X", extended)
	out = appendChunkTo(out, "ICCP", profile)
	out = append(out, frames...)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

func appendChunkTo(out []byte, name string, body []byte) []byte {
	out = append(out, name...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(body)))
	out = append(out, body...)
	if len(body)%2 != 0 {
		out = append(out, 0)
	}
	return out
}
