package domain

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
)

// molecules finds the greatest similarity to training molecules. It counts the shared bits of a molecule and all training
// molecules at once: those of frequent bits in words, and those of the others by the lists of the molecules that have them.
// This takes a tenth of the time of comparing whole fingerprints.
type molecules struct {
	all      []*fingerprint.Fingerprint // by ascending number of bits
	counts   []int                      // number of bits of each molecule, ascending
	starts   [fingerprint.Bits + 2]int  // index of the first molecule with at least that number of bits
	frequent [fingerprint.Bits]int16    // place of a bit in words, or -1
	words    [][2]uint64                // frequent bits of each molecule
	rare     [fingerprint.Bits][]uint16 // molecules that have a bit that is not frequent
	scratch  *sync.Pool                 // of *[]uint16: for each molecule, the number of shared bits that are rare
}

// frequentBits is the number of bits in words.
const frequentBits = 128

// newMolecules returns the molecules, of which there are at most MaxMolecules.
func newMolecules(all []*fingerprint.Fingerprint) *molecules {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *fingerprint.Fingerprint) int { return cmp.Compare(a.Count(), b.Count()) })
	m := &molecules{all: sorted, words: make([][2]uint64, len(sorted))}
	m.scratch = &sync.Pool{New: func() any { s := make([]uint16, len(sorted)); return &s }}
	m.chooseFrequent(sorted)
	for i, f := range sorted {
		m.counts = append(m.counts, f.Count())
		m.words[i] = m.wordsOf(f)
		for bit := range f.All {
			if m.frequent[bit] < 0 {
				m.rare[bit] = append(m.rare[bit], uint16(i))
			}
		}
	}
	for n := range m.starts {
		m.starts[n], _ = slices.BinarySearch(m.counts, n)
	}
	return m
}

func (m *molecules) chooseFrequent(all []*fingerprint.Fingerprint) {
	var counts, order [fingerprint.Bits]int
	for _, f := range all {
		for bit := range f.All {
			counts[bit]++
		}
	}
	for bit := range order {
		order[bit], m.frequent[bit] = bit, -1
	}
	slices.SortFunc(order[:], func(a, b int) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	for place, bit := range order[:frequentBits] {
		m.frequent[bit] = int16(place)
	}
}

func (m *molecules) wordsOf(f *fingerprint.Fingerprint) (words [2]uint64) {
	for bit := range f.All {
		if place := m.frequent[bit]; place >= 0 {
			words[place/64] |= 1 << (place % 64)
		}
	}
	return words
}

// nearest returns the greatest similarity of a molecule to the others. except is the index of that
// molecule if it is one of them, or -1.
func (m *molecules) nearest(f *fingerprint.Fingerprint, except int) float64 {
	size := f.Count()
	if size == 0 {
		return m.nearestEmpty(except)
	}
	scratch := m.scratch.Get().(*[]uint16)
	defer m.scratch.Put(scratch)
	rare := *scratch
	clear(rare)
	for bit := range f.All {
		for _, i := range m.rare[bit] {
			rare[i]++
		}
	}
	s := search{molecules: m, rare: rare, words: m.wordsOf(f), bits: size, except: except, either: 1}
	fewer, more := s.bits, s.bits+1
	for fewer >= 0 || more <= fingerprint.Bits { // the numbers of bits in the order of the greatest similarity that they allow
		if fewer >= 0 && (more > fingerprint.Bits || fewer*more >= s.bits*s.bits) {
			if !s.visit(fewer) {
				break
			}
			fewer--
		} else {
			if !s.visit(more) {
				break
			}
			more++
		}
	}
	return fingerprint.Tanimoto(s.shared, s.either)
}

// nearestEmpty is nearest for a molecule without bits, to which only another one is similar.
func (m *molecules) nearestEmpty(except int) float64 {
	empty := m.starts[1]
	if except >= 0 {
		empty-- // except is one of them
	}
	if empty > 0 {
		return 1
	}
	return 0
}

// search is the search for the nearest molecule to one.
type search struct {
	*molecules
	rare           []uint16
	words          [2]uint64
	bits           int
	except         int
	shared, either int // bits of the nearest molecule so far
}

// visit compares the molecules with a number of bits. It returns false if they cannot be nearer.
func (s *search) visit(count int) bool {
	if min(s.bits, count)*s.either <= s.shared*max(s.bits, count) {
		return false
	}
	from, to := s.starts[count], s.starts[count+1]
	most := s.least(count)
	for i := from; i < to; i++ {
		w := &s.molecules.words[i]
		n := int(s.rare[i]) + bits.OnesCount64(w[0]&s.words[0]) + bits.OnesCount64(w[1]&s.words[1])
		if n > most && i != s.except {
			s.shared, s.either = n, s.bits+count-n
			most = n
		}
	}
	return true
}

// least returns the number of bits that a molecule with a number of bits must share more than to be nearer.
func (s *search) least(count int) int {
	return s.shared * (s.bits + count) / (s.either + s.shared)
}
