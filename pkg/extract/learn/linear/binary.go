package linear

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// A stored model starts with these 4 bytes, of which the last is the version, and the letter of the task. The number of
// features, 4 bytes, and the numbers of the model, 8 bytes each, follow, and at last the CRC-32C of all of it; the order of
// bytes is little endian.
const (
	header     = "lin\x01"
	prefix     = len(header) + 1 + 4
	checksum   = 4
	regression = 'r'
	classes    = 'c'
)

// MarshalBinary implements [encoding.BinaryMarshaler].
func (m *Model) MarshalBinary() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	task := byte(regression)
	if m.Task == learn.Classification {
		task = classes
	}
	out := append(make([]byte, 0, size(len(m.Means))), header...)
	out = binary.LittleEndian.AppendUint32(append(out, task), uint32(len(m.Means)))
	out = appendNumbers(out, m.Center)
	for _, values := range [][]float64{m.Standardized, m.Means, m.Deviations} {
		out = appendNumbers(out, values...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, crc32.MakeTable(crc32.Castagnoli))), nil
}

// size returns the number of bytes of a model with p features.
func size(p int) int { return prefix + 8*(1+3*p) + checksum }

func appendNumbers(out []byte, values ...float64) []byte {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It returns an error for data that MarshalBinary did not write.
func (m *Model) UnmarshalBinary(data []byte) error {
	if len(data) < size(0) || string(data[:len(header)]) != header {
		return errors.New("not a linear model of a known version")
	}
	p := int(binary.LittleEndian.Uint32(data[prefix-4:]))
	if p > len(data)/8 || size(p) != len(data) {
		return fmt.Errorf("linear model of %d bytes with %d features", len(data), p)
	}
	end := len(data) - checksum
	if crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[end:]) {
		return errors.New("linear model with a wrong checksum")
	}
	numbers := make([]float64, 1+3*p)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[prefix+8*i:]))
	}
	read := &Model{Center: numbers[0]}
	switch data[len(header)] {
	case regression:
		read.Task = learn.Regression
	case classes:
		read.Task = learn.Classification
	default:
		return fmt.Errorf("linear model of the unknown task %q", data[len(header)])
	}
	numbers = numbers[1:]
	read.Standardized, read.Means, read.Deviations = numbers[:p:p], numbers[p:2*p:2*p], numbers[2*p:]
	if err := read.check(); err != nil {
		return err
	}
	read.prepare()
	*m = *read
	return nil
}

// check returns an error if the model is incomplete or its numbers are invalid.
func (m *Model) check() error {
	p := len(m.Standardized)
	if m.Task != learn.Regression && m.Task != learn.Classification || len(m.Means) != p || len(m.Deviations) != p {
		return errors.New("incomplete linear model")
	}
	numbers := append([]float64{m.Center}, m.Standardized...)
	for j, d := range m.Deviations {
		if !(d >= 0) || d == 0 && m.Standardized[j] != 0 {
			return fmt.Errorf("linear model with the deviation %v of feature %d", d, j)
		}
		numbers = append(numbers, m.Means[j], d)
		if d > 0 {
			numbers = append(numbers, m.Standardized[j]/d)
		}
	}
	for _, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("linear model with numbers that are not finite")
		}
	}
	return nil
}
