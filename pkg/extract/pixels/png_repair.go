package pixels

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// repairMemory is the factor by which repairPNG increases the memory for a picture: the rows, and the new file.
const repairMemory = 4

// repairPNG returns a complete file with the rows of a damaged file, and the share of the rows that could be read. The
// missing rows are black, or transparent.
func repairPNG(ctx context.Context, data []byte) (file []byte, read float64, err error) {
	var header, palette, transparent []byte
	var compressed []io.Reader
	eachPNGChunk(data, func(name string, body []byte) {
		switch {
		case name == "IHDR" && header == nil:
			header = body
		case name == "PLTE" && palette == nil:
			palette = body
		case name == "tRNS" && transparent == nil:
			transparent = body
		case name == "IDAT":
			compressed = append(compressed, newInput(ctx, body))
		}
	})
	size := pngRows(header)
	if size == 0 || len(compressed) == 0 {
		return nil, 0, errors.New("png: the file contains no pixels")
	}
	z, err := zlib.NewReader(io.MultiReader(compressed...))
	if err != nil {
		return nil, 0, fmt.Errorf("png: %w", err)
	}
	rows := make([]byte, size)
	n, err := io.ReadFull(z, rows)
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	if n == 0 {
		return nil, 0, fmt.Errorf("png: %w", err)
	}
	var stored bytes.Buffer
	stored.Grow(size + size>>10 + 1<<10)
	w, err := zlib.NewWriterLevel(&stored, zlib.NoCompression)
	if err == nil {
		_, err = w.Write(rows)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, 0, err
	}
	file = appendPNGChunk([]byte(pngSignature), "IHDR", header)
	if palette != nil {
		file = appendPNGChunk(file, "PLTE", palette)
	}
	if transparent != nil {
		file = appendPNGChunk(file, "tRNS", transparent)
	}
	file = appendPNGChunk(file, "IDAT", stored.Bytes())
	return appendPNGChunk(file, "IEND", nil), float64(n) / float64(size), nil
}

// pngRows returns the number of bytes of all rows of a picture, each of which begins with its filter, or 0.
func pngRows(header []byte) int {
	if len(header) != 13 || header[0]|header[4] != 0 {
		return 0
	}
	width, height, depth := int(binary.BigEndian.Uint32(header)), int(binary.BigEndian.Uint32(header[4:])), int(header[8])
	bits := depth * map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[9]] // channels by color type
	rows := func(width, height int) int {
		if width == 0 {
			return 0
		}
		return height * (1 + (width*bits+7)/8)
	}
	if header[12] == 0 {
		return rows(width, height)
	}
	sum := 0
	for _, pass := range [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} { // first column and row, steps
		sum += rows((width-pass[0]+pass[2]-1)/pass[2], (height-pass[1]+pass[3]-1)/pass[3])
	}
	return sum
}

func appendPNGChunk(out []byte, name string, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	begin := len(out)
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[begin:]))
}
