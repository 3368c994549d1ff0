package samples

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// picture describes a TIFF of 5 × 4 pixels, whose values rise from -10 or 0 in steps of 1 along the rows and 5 between them.
type picture struct {
	order       binary.AppendByteOrder
	big         bool
	bits        int
	format      int
	compression int
	predictor   int
	tiled       bool // in tiles of 16 × 16
	samples     int  // per pixel; all but the first are 1
	inverted    bool
}

const testWidth, testHeight = 5, 4

func (p picture) lowest() float64 {
	if p.format == formatUnsigned {
		return 0
	}
	return -10
}

// sample appends a value.
func (p picture) sample(b []byte, v float64) []byte {
	bits := uint64(int64(v))
	if p.format == formatFloat {
		switch p.bits {
		case 64:
			bits = math.Float64bits(v)
		case 32:
			bits = uint64(math.Float32bits(float32(v)))
		default: // exact for whole numbers of at most 11 bits
			bits = 0
			if v != 0 {
				fraction, exponent := math.Frexp(math.Abs(v))
				bits = uint64(exponent+14)<<10 | uint64((2*fraction-1)*1024)
			}
			if v < 0 {
				bits |= 1 << 15
			}
		}
	}
	switch p.bits {
	case 8:
		return append(b, byte(bits))
	case 16:
		return p.order.AppendUint16(b, uint16(bits))
	case 32:
		return p.order.AppendUint32(b, uint32(bits))
	default:
		return p.order.AppendUint64(b, bits)
	}
}

// blocks returns the compressed strips of two rows, or the tile.
func (p picture) blocks() (all [][]byte) {
	width, height, of := testWidth, 2, 2
	if p.tiled {
		width, height, of = 16, 16, 1
	}
	for i := range of {
		var block []byte
		for y := i * height; y < (i+1)*height; y++ {
			var row []byte
			for x := range width {
				v := p.lowest()
				if x < testWidth && y < testHeight {
					v += float64(y*testWidth + x)
				}
				row = p.sample(row, v)
				for range p.samples - 1 {
					row = p.sample(row, 1)
				}
			}
			block = append(block, p.predict(row)...)
		}
		all = append(all, p.compress(block))
	}
	return all
}

// predict applies the predictor to a row, from its end so that differences are those of the original.
func (p picture) predict(row []byte) []byte {
	width := p.bits / 8
	switch p.predictor {
	case predictorDifferent:
		number := &Plane{order: p.order.(binary.ByteOrder), bits: p.bits, samples: p.samples}
		out := bytes.Clone(row)
		for at := p.samples * width; at < len(row); at += width { // the sum of the result is the row
			before := row[at-p.samples*width:]
			difference := make([]byte, width)
			switch width {
			case 1:
				difference[0] = row[at] - before[0]
			case 2:
				number.order.PutUint16(difference, number.order.Uint16(row[at:])-number.order.Uint16(before))
			case 4:
				number.order.PutUint32(difference, number.order.Uint32(row[at:])-number.order.Uint32(before))
			default:
				number.order.PutUint64(difference, number.order.Uint64(row[at:])-number.order.Uint64(before))
			}
			copy(out[at:], difference)
		}
		return out
	case predictorFloat:
		n := len(row) / width
		apart := make([]byte, len(row))
		for i := range n {
			for k := range width {
				place := k
				if p.order == binary.AppendByteOrder(binary.LittleEndian) {
					place = width - 1 - k
				}
				apart[k*n+i] = row[i*width+place]
			}
		}
		for i := len(apart) - 1; i >= p.samples; i-- {
			apart[i] -= apart[i-p.samples]
		}
		return apart
	}
	return row
}

func (p picture) compress(block []byte) []byte {
	var out bytes.Buffer
	switch p.compression {
	case compressionDeflate, compressionOld:
		w := zlib.NewWriter(&out)
		_, _ = w.Write(block)
		_ = w.Close()
	case compressionZstd:
		w, _ := zstd.NewWriter(&out)
		_, _ = w.Write(block)
		_ = w.Close()
	case compressionPackBits:
		for len(block) > 0 {
			n := min(len(block), 100)
			out.WriteByte(byte(n - 1))
			out.Write(block[:n])
			block = block[n:]
		}
		out.WriteString("\x80\xff\x00") // nothing, and two zeros beyond the end
	default:
		out.Write(block)
	}
	return out.Bytes()
}

// file returns the TIFF.
func (p picture) file() []byte {
	mark := "MM"
	if p.order == binary.AppendByteOrder(binary.LittleEndian) {
		mark = "II"
	}
	b := []byte(mark)
	head := 16
	if p.big {
		b = p.order.AppendUint16(p.order.AppendUint16(p.order.AppendUint16(b, 43), 8), 0)
	} else {
		b, head = p.order.AppendUint16(b, 42), 8
	}
	var data []byte
	var offsets, counts []uint64
	for _, block := range p.blocks() {
		offsets, counts = append(offsets, uint64(head+len(data))), append(counts, uint64(len(block)))
		data = append(data, block...)
	}
	lists := uint64(head + len(data))
	for _, list := range [][]uint64{offsets, counts} {
		for _, v := range list {
			data = p.order.AppendUint32(data, uint32(v))
		}
	}
	directory := uint64(head + len(data))
	photometric := uint64(photometricBlack)
	if p.inverted {
		photometric = photometricWhite
	}
	entries := [][3]uint64{{tagWidth, 1, testWidth}, {tagHeight, 1, testHeight}, {tagBits, 1, uint64(p.bits)}, {tagCompression, 1, uint64(p.compression)}, {tagPhotometric, 1, photometric},
		{tagSamples, 1, uint64(p.samples)}, {tagPredictor, 1, uint64(p.predictor)}, {tagSampleFormat, 1, uint64(p.format)}}
	n := uint64(len(offsets))
	second := lists + 4*n
	if n == 1 {
		lists, second = offsets[0], counts[0]
	}
	if p.tiled {
		entries = append(entries, [][3]uint64{{tagTileWidth, 1, 16}, {tagTileHeight, 1, 16}, {tagTileOffsets, n, lists}, {tagTileCounts, n, second}}...)
	} else {
		entries = append(entries, [][3]uint64{{tagStripOffsets, n, lists}, {tagStripCounts, n, second}, {tagRowsPerStrip, 1, 2}}...)
	}
	if p.big {
		b = p.order.AppendUint64(b, directory)
		data = p.order.AppendUint64(data, uint64(len(entries)))
	} else {
		b = p.order.AppendUint32(b, uint32(directory))
		data = p.order.AppendUint16(data, uint16(len(entries)))
	}
	for _, e := range entries {
		data = p.order.AppendUint16(p.order.AppendUint16(data, uint16(e[0])), 4)
		if p.big && e[1] > 1 { // two numbers of 4 bytes fit in 8
			data = p.order.AppendUint64(data, e[1])
			list := offsets
			if e[0] == tagStripCounts {
				list = counts
			}
			data = p.order.AppendUint32(p.order.AppendUint32(data, uint32(list[0])), uint32(list[1]))
		} else if p.big {
			data = p.order.AppendUint32(p.order.AppendUint32(p.order.AppendUint64(data, e[1]), uint32(e[2])), 0)
		} else {
			data = p.order.AppendUint32(p.order.AppendUint32(data, uint32(e[1])), uint32(e[2]))
		}
	}
	return append(b, data...)
}

// all returns pictures of all sample formats, compressions, orders and layouts.
func all() (pictures []picture) {
	for _, kind := range [][2]int{{8, formatSigned}, {16, formatUnsigned}, {16, formatSigned}, {32, formatUnsigned}, {32, formatSigned}, {64, formatUnsigned}, {64, formatSigned},
		{16, formatFloat}, {32, formatFloat}, {64, formatFloat}} {
		for _, compression := range []int{compressionNone, compressionDeflate, compressionOld, compressionPackBits, compressionZstd} {
			predictors := []int{predictorNone}
			if compression == compressionDeflate || compression == compressionZstd {
				predictors = append(predictors, predictorDifferent)
				if kind[1] == formatFloat {
					predictors = append(predictors, predictorFloat)
				}
			}
			for _, predictor := range predictors {
				for i := range 16 {
					order := []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian}[i&1]
					pictures = append(pictures, picture{order, i&2 > 0, kind[0], kind[1], compression, predictor, i&4 > 0, 1 + i>>3, i == 5})
				}
			}
		}
	}
	return append(pictures, picture{binary.LittleEndian, true, 8, formatUnsigned, compressionNone, predictorNone, false, 1, false})
}

// TestAllFormats checks that each picture is scaled from its least value, black, to its greatest, white.
func TestAllFormats(t *testing.T) {
	for _, p := range all() {
		plane, err := Open(p.file())
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		m, err := plane.Gray(t.Context())
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		for i, got := range m.Pix {
			want := uint8(math.Round(255 * float64(i) / (testWidth*testHeight - 1)))
			if p.bits == 8 && p.format == formatUnsigned {
				want = uint8(i)
			}
			if p.inverted {
				want = 255 - want
			}
			if got != want {
				t.Errorf("%+v: got %d at %d, want %d", p, got, i, want)
				break
			}
		}
	}
}

// lzwFile is a picture of 8 × 2 float32 values from -1 in steps of 0.5, compressed by libtiff 4.5 with LZW.
const lzwFile = `SUkqADQAAACAAAAIBfwIAQWDQYfwJAQsAMCHAAgQIQROJRYwRZARZIRZQRZYRZgRZoECAgoAAAEDAAEAAAAIAAAAAQEDAAEAAAACAAAAAgEDAAEAAAAgAAAA
AwEDAAEAAAAFAAAABgEDAAEAAAABAAAAEQEEAAEAAAAIAAAAFgEDAAEAAAACAAAAFwEEAAEAAAAsAAAAHAEDAAEAAAABAAAAUwEDAAEAAAADAAAAAAAAAA==`

func TestLZW(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(lzwFile, "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	plane, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := plane.Gray(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range m.Pix {
		if want := uint8(17 * i); got != want {
			t.Errorf("got %d at %d, want %d", got, i, want)
		}
	}
}

func TestNotMeasured(t *testing.T) {
	p := picture{binary.LittleEndian, false, 16, formatFloat, compressionNone, predictorNone, false, 1, false}
	change := func(f func(p *picture)) []byte {
		changed := p
		f(&changed)
		return changed.file()
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, ErrOther.Error()},
		"text":        {[]byte("a text of some length"), ErrOther.Error()},
		"gray":        {change(func(p *picture) { p.bits, p.format = 8, formatUnsigned }), ErrOther.Error()},
		"complex":     {change(func(p *picture) { p.bits, p.format = 64, 6 }), "the picture cannot be read: TIFF with 64-bit complex samples in compression 1 is not supported"},
		"compression": {change(func(p *picture) { p.compression = 34887 }), "the picture cannot be read: TIFF with 16-bit floating-point samples in compression 34887 is not supported"},
		"truncated":   {p.file()[:40], "the picture cannot be read"},
	} {
		_, err := Open(test.data)
		text, _, found := reason.Find(err)
		if !found && err != nil {
			text = err.Error()
		}
		if text != test.want || errors.Is(err, ErrOther) && found {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
	special := picture{binary.BigEndian, false, 16, formatFloat, compressionNone, predictorNone, false, 1, false}.file()
	copy(special[8:], "\x7e\x00\x7c\x00\xfc\x00") // NaN and infinities
	plane, err := Open(special)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := plane.Gray(t.Context()); err != nil || m.Pix[0] != 0 || m.Pix[1] != 255 || m.Pix[2] != 0 || m.Pix[3] != 0 || m.Pix[19] != 255 {
		t.Errorf("got %v, %v; want finite values to be scaled", m, err)
	}
}

func use(data []byte) {
	if p, err := Open(data); err == nil && p.Memory() < 20<<20 {
		_, _ = p.Gray(context.Background())
	}
}

func TestDamagedFiles(t *testing.T) {
	var seeds [][]byte
	for i, p := range all() {
		if i%97 == 0 {
			seeds = append(seeds, p.file())
		}
	}
	recordstest.Mutate(t, 200, seeds, use)
}
