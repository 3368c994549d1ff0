// Package fingerprint compares and stores fingerprints of molecules.
package fingerprint

import (
	"errors"
	"fmt"
	"math/bits"
)

// Bits is the number of bits of a Fingerprint.
const Bits = 2048

// Fingerprint is a set of bits, each of which stands for substructures of a molecule. Bit i is bit i%64 of the word i/64.
type Fingerprint [Bits / 64]uint64

// Set adds a bit, from 0 to Bits-1.
func (f *Fingerprint) Set(bit int) { f[bit/64] |= 1 << (bit % 64) }

// Has reports whether the fingerprint contains a bit, from 0 to Bits-1.
func (f *Fingerprint) Has(bit int) bool { return f[bit/64]>>(bit%64)&1 == 1 }

// Count returns the number of bits that are set.
func (f *Fingerprint) Count() int {
	n := 0
	for _, word := range f {
		n += bits.OnesCount64(word)
	}
	return n
}

// Shared returns the number of bits that are set in both fingerprints.
func (f *Fingerprint) Shared(other *Fingerprint) int {
	n := 0
	for i, word := range f {
		n += bits.OnesCount64(word & other[i])
	}
	return n
}

// Similarity returns the similarity of two fingerprints by Tanimoto, from 0 to 1: the number of shared bits, divided by the
// number of bits that either has. That of two empty fingerprints is 1.
func (f *Fingerprint) Similarity(other *Fingerprint) float64 {
	shared := f.Shared(other)
	return Tanimoto(shared, f.Count()+other.Count()-shared)
}

// Tanimoto returns the similarity of two fingerprints that share some of the bits that either has.
func Tanimoto(shared, either int) float64 {
	if either == 0 {
		return 1
	}
	return float64(shared) / float64(either)
}

// All calls visit for each bit that is set, in ascending order.
func (f *Fingerprint) All(visit func(bit int) bool) {
	for i, word := range f {
		for ; word != 0; word &= word - 1 {
			if !visit(64*i + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// Parse returns the fingerprint of a text with one digit for each bit, 0 or 1.
func Parse(text string) (*Fingerprint, error) {
	if len(text) != Bits {
		return nil, fmt.Errorf("a fingerprint of %d bits, want %d", len(text), Bits)
	}
	f := &Fingerprint{}
	for bit := range Bits {
		switch text[bit] {
		case '0':
		case '1':
			f.Set(bit)
		default:
			return nil, errors.New("a bit of a fingerprint is neither 0 nor 1")
		}
	}
	return f, nil
}
