package samples

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/image/tiff/lzw"
)

// The compressions.
const (
	compressionNone     = 1
	compressionLZW      = 5
	compressionDeflate  = 8
	compressionOld      = 32946 // Deflate before it was standardized
	compressionPackBits = 32773
	compressionZstd     = 50000
)

// compressions contains the decompressors. They read at most n bytes.
var compressions = map[int]func(data []byte, n int64) ([]byte, error){
	compressionNone:     func(data []byte, _ int64) ([]byte, error) { return data, nil },
	compressionLZW:      unLZW,
	compressionDeflate:  inflate,
	compressionOld:      inflate,
	compressionPackBits: unpack,
	compressionZstd:     unZstd,
}

func unLZW(data []byte, n int64) ([]byte, error) {
	r := lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, n))
}

func inflate(data []byte, n int64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, n))
}

func unZstd(data []byte, n int64) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, n))
}

// unpack decodes PackBits: a count of literal bytes, or a negative count of repetitions.
func unpack(data []byte, n int64) ([]byte, error) {
	var out []byte
	for len(data) > 1 && int64(len(out)) < n {
		count := int(int8(data[0]))
		switch data = data[1:]; {
		case count >= 0:
			count = min(count+1, len(data))
			out, data = append(out, data[:count]...), data[count:]
		case count > -128:
			out, data = append(out, bytes.Repeat(data[:1], 1-count)...), data[1:]
		}
	}
	return out[:min(int64(len(out)), n)], nil
}

// block returns the samples of a strip or tile, without its predictor. Missing bytes are 0.
func (p *Plane) block(i, height int) ([]byte, error) {
	at, count := p.offsets[i], p.counts[i]
	if at < 0 || count < 0 || at > int64(len(p.data)) || count > int64(len(p.data))-at {
		return nil, fmt.Errorf("%w: strip or tile %d lies outside the file", ErrDamaged, i)
	}
	row := p.blockWidth * p.samples * p.bits / 8
	size := int64(row) * int64(height)
	raw, err := compressions[p.compression](p.data[at:at+count], size)
	if err != nil && len(raw) == 0 {
		return nil, fmt.Errorf("%w: strip or tile %d: %w", ErrDamaged, i, err)
	}
	out := make([]byte, size)
	copy(out, raw)
	for at := 0; at < len(out); at += row {
		switch p.predictor {
		case predictorDifferent:
			p.sum(out[at : at+row])
		case predictorFloat:
			p.interleave(out[at : at+row])
		}
	}
	return out, nil
}

// sum reverses the predictor that stores differences of neighboring samples.
func (p *Plane) sum(row []byte) {
	width := p.bits / 8
	step := p.samples * width
	for at := step; at+width <= len(row); at += width {
		v, before := row[at:], row[at-step:]
		switch width {
		case 1:
			v[0] += before[0]
		case 2:
			p.order.PutUint16(v, p.order.Uint16(v)+p.order.Uint16(before))
		case 4:
			p.order.PutUint32(v, p.order.Uint32(v)+p.order.Uint32(before))
		default:
			p.order.PutUint64(v, p.order.Uint64(v)+p.order.Uint64(before))
		}
	}
}

// interleave reverses the predictor of floating-point numbers: the bytes of equal significance of all samples of a row, the most
// significant first, and their differences.
func (p *Plane) interleave(row []byte) {
	for i := p.samples; i < len(row); i++ {
		row[i] += row[i-p.samples]
	}
	width := p.bits / 8
	n := len(row) / width
	apart := bytes.Clone(row)
	for i := range n {
		for k := range width {
			place := k
			if p.order.String() == "LittleEndian" {
				place = width - 1 - k
			}
			row[i*width+place] = apart[k*n+i]
		}
	}
}
