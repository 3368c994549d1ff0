package fingerprint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// MaxChunk is the maximum number of records of a Chunk.
const MaxChunk = 25_000

// ErrDamaged means that bytes are not those that Encode has returned.
var ErrDamaged = errors.New("the fingerprints are damaged")

// Chunk contains the fingerprints of consecutive records.
type Chunk struct {
	Engine string         // program and version that determined the fingerprints, at most 255 bytes
	All    []*Fingerprint // of each record; nil if it has none
}

// The encoding is: magic, the length of Engine and Engine, the number of records, and for each record 0 if it has no
// fingerprint, or 1 plus the number of its bits, and the distance of each bit from the one before, the first one from -1. The
// last 4 bytes are the CRC-32 (IEEE) of all others, little-endian. Numbers are as in binary.AppendUvarint.
const magic = "AFP1"

// Encode encodes a chunk with typically 60 bytes a record.
func (c Chunk) Encode() ([]byte, error) {
	if len(c.Engine) > 255 || len(c.All) > MaxChunk {
		return nil, fmt.Errorf("%d fingerprints of an engine with a name of %d bytes, want at most %d and 255", len(c.All), len(c.Engine), MaxChunk)
	}
	b := append([]byte(magic), byte(len(c.Engine)))
	b = append(b, c.Engine...)
	b = binary.AppendUvarint(b, uint64(len(c.All)))
	for _, f := range c.All {
		if f == nil {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, 1+uint64(f.Count()))
		last := -1
		for bit := range f.All {
			b = binary.AppendUvarint(b, uint64(bit-last))
			last = bit
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// Decode decodes a chunk. Its errors wrap ErrDamaged.
func Decode(data []byte) (Chunk, error) {
	if len(data) < len(magic)+1+4 || string(data[:len(magic)]) != magic {
		return Chunk{}, fmt.Errorf("%w: no header of this version", ErrDamaged)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return Chunk{}, fmt.Errorf("%w: the checksum differs", ErrDamaged)
	}
	r := reader{rest: body[len(magic)+1:]}
	var c Chunk
	c.Engine = string(r.take(int(body[len(magic)])))
	n := r.number(MaxChunk)
	if n > len(r.rest) { // each record has at least a byte
		r.bad = true
	}
	for range n {
		if r.bad {
			break
		}
		c.All = append(c.All, r.fingerprint())
	}
	if r.bad || len(r.rest) > 0 {
		return Chunk{}, fmt.Errorf("%w: its records do not fit its length", ErrDamaged)
	}
	return c, nil
}

// reader reads an encoded chunk until it is bad.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// number returns a number up to most, or 0 if it is bad.
func (r *reader) number(most int) int {
	n, size := binary.Uvarint(r.rest)
	if r.bad || size <= 0 || n > uint64(most) {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) fingerprint() *Fingerprint {
	n := r.number(1 + Bits)
	if n == 0 {
		return nil
	}
	f, bit := &Fingerprint{}, -1
	for range n - 1 {
		step := r.number(Bits)
		bit += step
		if step == 0 || bit >= Bits {
			r.bad = true
			return nil
		}
		f.Set(bit)
	}
	return f
}
