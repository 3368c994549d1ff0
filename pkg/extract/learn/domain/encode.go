package domain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

// ErrDamaged means that bytes are not those that MarshalBinary has returned.
var ErrDamaged = errors.New("the applicability domain is damaged")

// The encoding is: magic, the kind, the threshold, and a fingerprint.Chunk, or the number of features and of rows, the means,
// the deviations and the values. The last 4 bytes are the CRC-32 (IEEE) of all others. Numbers are little-endian.
const (
	magic         = "ADM1"
	kindMolecules = 'm'
	kindPoints    = 'p'
	headerSize    = len(magic) + 1 + 8
	maxFeatures   = 1 << 20
)

// MarshalBinary encodes the domain.
func (d *Domain) MarshalBinary() ([]byte, error) {
	b := []byte(magic + string(kindMolecules))
	if d.points != nil {
		b[len(magic)] = kindPoints
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(d.threshold))
	if p := d.points; p != nil {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(p.means)))
		b = binary.LittleEndian.AppendUint32(b, uint32(p.len()))
		for _, values := range [][]float64{p.means, p.deviations, p.values} {
			for _, v := range values {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
	} else {
		chunk, err := fingerprint.Chunk{All: d.molecules.all}.Encode()
		if err != nil {
			return nil, err
		}
		b = append(b, chunk...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// UnmarshalBinary decodes the output of MarshalBinary. Its errors wrap ErrDamaged.
func (d *Domain) UnmarshalBinary(data []byte) error {
	damaged := func(why string) error { return fmt.Errorf("%w: %s", ErrDamaged, why) }
	if len(data) < headerSize+4 || string(data[:len(magic)]) != magic {
		return damaged("no header of this version")
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return damaged("the checksum differs")
	}
	rest, decoded := body[headerSize:], Domain{threshold: math.Float64frombits(binary.LittleEndian.Uint64(body[len(magic)+1:]))}
	if !(decoded.threshold >= 0 && decoded.threshold <= 1) {
		return damaged("the threshold is not between 0 and 1")
	}
	switch body[len(magic)] {
	case kindMolecules:
		chunk, err := fingerprint.Decode(rest)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		for _, f := range chunk.All {
			if f == nil {
				return damaged("a fingerprint is missing")
			}
		}
		if len(chunk.All) > MaxMolecules {
			return damaged("too many molecules")
		}
		decoded.molecules = newMolecules(chunk.All)
	case kindPoints:
		p, ok := decodePoints(rest)
		if !ok {
			return damaged("the rows do not fit the length")
		}
		decoded.points = p
	default:
		return damaged("the kind is unknown")
	}
	*d = decoded
	return nil
}

func decodePoints(b []byte) (*points, bool) {
	if len(b) < 8 {
		return nil, false
	}
	features, rows := int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))
	b = b[8:]
	if features > maxFeatures || rows > MaxPoints || len(b) != 8*features*(2+rows) {
		return nil, false
	}
	values := make([]float64, features*(2+rows))
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	p := &points{means: values[:features:features], deviations: values[features : 2*features : 2*features], values: values[2*features:]}
	for _, v := range p.deviations {
		if !(v > 0) {
			return nil, false
		}
	}
	return p, true
}
