package jpegfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/jpegfile"
)

// TestWithoutTables checks a picture without Huffman tables, as in Motion JPEG. Its source has the tables of ITU-T T.81,
// annex K.3.
func TestWithoutTables(t *testing.T) {
	data := files(t)["2x2,1x1,1x1.jpg"]
	without := bytes.Clone(data)
	for range 4 {
		at := bytes.Index(without, []byte{0xff, 0xc4})
		if at < 0 {
			break
		}
		size := 2 + int(binary.BigEndian.Uint16(without[at+2:]))
		without = append(without[:at], without[at+size:]...)
	}
	if len(data)-len(without) < 416 {
		t.Fatalf("removed %d bytes of tables, want at least 416", len(data)-len(without))
	}
	same(t, without, data)
}

// TestEqualNames checks a picture whose components have the same name.
func TestEqualNames(t *testing.T) {
	data := files(t)["2x2,1x1,1x1.jpg"]
	named := bytes.Clone(data)
	frame, scan := bytes.Index(named, []byte{0xff, 0xc0}), bytes.Index(named, []byte{0xff, 0xda})
	for k := range 3 {
		named[frame+10+3*k], named[scan+5+2*k] = 1, 1
	}
	same(t, named, data)
}

func same(t *testing.T, data, source []byte) {
	t.Helper()
	var sums [2]string
	for i, d := range [][]byte{data, source} {
		f, err := jpegfile.Decode(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = fmt.Sprintf("%08x, %.2f read", crc32.ChecksumIEEE(samples(t, f.Image())), f.Read)
	}
	if sums[0] != sums[1] {
		t.Errorf("got pixels with the checksum %s, want %s as the source", sums[0], sums[1])
	}
}
