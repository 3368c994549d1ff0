package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"math/rand/v2"
	"slices"
)

// side is the number of pixels of a side of pictures whose size is below the limit, and tooLarge that of others.
const (
	side     = 4_000
	tooLarge = 60_000
)

// pictures returns pictures with many pixels, scans, frames or tags.
func pictures(_ *rand.Rand, size int) []File {
	return []File{
		{"pixels.png", png(side, side, side*side, nil)}, {"huge.png", png(tooLarge, tooLarge, 100, nil)}, {"short.png", png(side, side, 100, nil)}, {"profile.png", png(90, 90, 90*90, []byte(repeat("x", size*inflated)))},
		{"scans.jpg", scans(size)}, {"huge.jpg", hugeJPEG(tooLarge)}, {"tags.jpg", tags(size)}, {"huge.webp", webp(16_383)}, {"huge.bmp", bmp(tooLarge)}, {"frames.gif", frames(size)},
		{"strips.tif", strips(side)}, {"huge.tif", strips(tooLarge)}, {"boxes.heic", heic(size)},
	}
}

// png returns a gray PNG that states a size in pixels, with a number of zero bytes of pixels and an optional profile.
func png(width, height uint32, pixels int, profile []byte) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	chunk("IHDR", append(header, 8, 0, 0, 0, 0))
	if profile != nil {
		chunk("iCCP", append([]byte("x\x00\x00"), deflated(profile)...))
	}
	chunk("IDAT", deflated(make([]byte, pixels+int(min(height, 10_000)))))
	chunk("IEND", nil)
	return b
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		panic("writing to a buffer failed")
	}
	return b.Bytes()
}

func hugeJPEG(side uint16) []byte {
	b := []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x11\x08")
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, side), side)
	return append(b, "\x03\x01\x11\x00\x02\x11\x01\x03\x11\x01\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00\x00"...)
}

// scans returns a progressive JPEG of many scans, each of which has a few bytes and concerns all blocks.
func scans(size int) []byte {
	b := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	b = append(b, bytes.Repeat([]byte{1}, 64)...)
	b = append(b, 0xff, 0xc2, 0, 11, 8)
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, side), side)
	b = append(b, 1, 1, 0x11, 0)
	b = append(b, 0xff, 0xc4, 0, 20, 0x10) // one code of an AC table: the end of 16,384 blocks
	b = append(b, append([]byte{1}, make([]byte, 15)...)...)
	b = append(b, 0xe0)
	scan := append([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0}, make([]byte, side*side/64/16384*4)...)
	return append(b, slices.Repeat(scan, size/len(scan)+1)...)
}

// tags returns a JPEG whose EXIF directory states many entries and refers to itself.
func tags(size int) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 20)), nil); err != nil {
		panic(err)
	}
	n := min(size/12, 5_000)
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08")
	exif = binary.BigEndian.AppendUint16(exif, uint16(n))
	for i := range n {
		exif = binary.BigEndian.AppendUint16(exif, uint16(0x8769+i%2*0x1bbe)) // the EXIF and GPS directories
		exif = append(exif, 0, 4, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 8)
	}
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(b.Bytes()[:2], segment, exif, b.Bytes()[2:])
}

func webp(side uint32) []byte {
	body := append([]byte("VP8L\x05\x00\x00\x00\x2f"), binary.LittleEndian.AppendUint32(nil, side|side<<14)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(body)+1)), append(append([]byte("WEBP"), body...), 0)...)
}

func bmp(side uint32) []byte {
	le := binary.LittleEndian
	b := append([]byte("BM"), make([]byte, 52)...)
	le.PutUint32(b[10:], 54)
	le.PutUint32(b[14:], 40)
	le.PutUint32(b[18:], side)
	le.PutUint32(b[22:], side)
	le.PutUint16(b[26:], 1)
	le.PutUint16(b[28:], 24)
	return append(b, make([]byte, 1000)...)
}

func frames(size int) []byte {
	var b bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 300, 300), color.Palette{color.Black, color.White})
	all := &gif.GIF{}
	for range size/1000 + 1 {
		all.Image, all.Delay = append(all.Image, frame), append(all.Delay, 0)
	}
	if err := gif.EncodeAll(&b, all); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// strips returns a TIFF that states a size in pixels, of which each row is the same strip.
func strips(side uint32) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("II*\x00"), 8)
	entries := [][3]uint32{{256, 4, side}, {257, 4, side}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, 0}, {277, 3, 1}, {278, 4, side}, {279, 4, side * side}}
	b = le.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = le.AppendUint16(le.AppendUint16(b, uint16(e[0])), uint16(e[1]))
		b = le.AppendUint32(le.AppendUint32(b, 1), e[2])
	}
	return append(le.AppendUint32(b, 0), make([]byte, 1000)...)
}

// heic returns nested boxes, each of which states that it has the rest of the file.
func heic(size int) []byte {
	b := []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic")
	for _, name := range []string{"meta", "iprp", "ipco"} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(size)), name...)
	}
	return append(b, repeat("\x00\x00\x00\x14ispe\x00\x00\x00\x00\x00\xff\xff\xff\x00\xff\xff\xff", size)...)
}
