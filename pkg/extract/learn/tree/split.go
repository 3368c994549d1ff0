package tree

import "math/bits"

// split is a split of a node.
type split struct {
	feature   int32 // -1: none
	bin       uint8 // the last that goes left
	threshold float64
	score     float64 // of its children
}

// bin is the sum of samples.
type bin struct {
	sum    float64
	counts uint64 // weight<<32 | number of samples
}

func (b *bin) add(s sample) {
	b.sum += s.sum
	b.counts += uint64(s.weight)<<32 | 1
}

func (b bin) minus(c bin) bin { return bin{b.sum - c.sum, b.counts - c.counts} }

func (b bin) weight() float64 { return float64(b.counts >> 32) }
func (b bin) samples() int    { return int(b.counts & 0xffffffff) }
func (b bin) mean() float64   { return b.sum / b.weight() }

// score returns the sum of squares that the mean explains. The sum of the scores of two children, less the score of their
// parent, is the decrease of the sum of squared errors.
func (b bin) score() float64 { return float64(b.sum*b.sum) / b.weight() }

// search is memory for the search of splits.
type search struct {
	bins [256]bin  // all 0 between calls
	used [4]uint64 // bits of the bins that are not empty; all 0 between calls
}

// feature replaces best by the best split at a feature if that has a greater score. It reports whether the samples have
// more than one bin.
func (s *search) feature(b *Bins, f int32, samples []sample, total bin, minLeaf int, best *split) bool {
	column := b.column(int(f))
	scale := &b.features[f]
	if constant(column, samples) {
		return false
	}
	for i := range samples {
		sample := &samples[i]
		code := column[sample.row]
		s.used[code>>6] |= 1 << (code & 63)
		s.bins[code].add(*sample)
	}
	var left bin
	score, lower, upper := best.score, -1, 0
	previous := -1
	for word, used := range s.used {
		for ; used != 0; used &= used - 1 {
			code := word<<6 | bits.TrailingZeros64(used)
			b := &s.bins[code]
			right := total.minus(left)
			if previous >= 0 && left.samples() >= minLeaf && right.samples() >= minLeaf {
				if sum := left.score() + right.score(); sum > score {
					score, lower, upper = sum, previous, code
				}
			}
			left.sum += b.sum
			left.counts += b.counts
			*b = bin{}
			previous = code
		}
	}
	s.used = [4]uint64{}
	if lower >= 0 {
		*best = split{
			feature: f, bin: uint8(lower), //nolint:gosec // at most 255
			threshold: between(scale.upper[lower], scale.lower[upper]), score: score,
		}
	}
	return true
}

// ofTwo does the same for a feature of two bins, of whose second bin it is given the sum.
func ofTwo(s *scale, f int32, right, total bin, minLeaf int, best *split) bool {
	left := total.minus(right)
	if left.samples() == 0 || right.samples() == 0 {
		return false
	}
	if left.samples() >= minLeaf && right.samples() >= minLeaf {
		if score := left.score() + right.score(); score > best.score {
			*best = split{feature: f, threshold: s.edges[0], score: score}
		}
	}
	return true
}

// constant reports whether all samples are in one bin.
func constant(column []uint8, samples []sample) bool {
	first := column[samples[0].row]
	for i := range samples {
		if column[samples[i].row] != first {
			return false
		}
	}
	return true
}
