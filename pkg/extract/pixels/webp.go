package pixels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
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

// scanWebP reads the chunks of the container. It reads the size from the frame, because the decoder
// allocates memory for that size. It rejects a file whose canvas has a different size than the frame,
// which is invalid for a still picture (RFC 9649, section 2.7.1.1).
func (i *Info) scanWebP(data []byte) (image.Config, error) {
	var canvas image.Config
	eachChunk(data, func(name string, body []byte) {
		switch {
		case name == "ICCP":
			i.setProfile(body)
		case name == "EXIF":
			i.Orientation = orientation(bytes.TrimPrefix(body, exifHeader)) // some writers include the TIFF header
		case name == "VP8X" && len(body) >= 10:
			canvas.Width, canvas.Height = 1+uint24(body[4:]), 1+uint24(body[7:])
		}
	})
	s, kept, err := webpSequence(data, image.Pt(canvas.Width, canvas.Height))
	if err != nil {
		return canvas, err
	}
	if len(s.frames) > 0 {
		i.sequence, i.Frames = s, len(s.frames)
		i.kept = kept + 4*pixelCount(canvas)
		return canvas, nil
	}
	frame := stillWebP(data)
	i.kept = frame.memory()
	config := image.Config{Width: frame.size.X, Height: frame.size.Y}
	if canvas.Width > 0 && config.Width > 0 && canvas != config {
		return config, fmt.Errorf("the canvas has %d × %d pixels, but the frame has %d × %d", canvas.Width, canvas.Height, config.Width, config.Height)
	}
	return config, nil
}

func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func pixelCount(c image.Config) int64 { return int64(c.Width) * int64(c.Height) }

// eachChunk calls f for each chunk of a RIFF file.
func eachChunk(data []byte, f func(name string, body []byte)) {
	const head = 12
	chunksOf(data[min(head, len(data)):], f)
}

func chunksOf(data []byte, f func(name string, body []byte)) {
	for at := 0; at+8 <= len(data); {
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
	return riffOf(append(appendChunkTo(appendChunkTo(nil, "VP8X", extended), "ICCP", profile), frames...))
}

// riffOf returns a file of the given chunks.
func riffOf(chunks []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks)+4))
	return append(append(out, "WEBP"...), chunks...)
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
