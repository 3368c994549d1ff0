package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// sample is a row of a bootstrap sample.
type sample struct {
	row    uint32
	weight uint32  // how many times the row was drawn
	sum    float64 // weight times the centered value of the row
}

// grower grows the trees of a forest, one after the other.
type grower struct {
	bins       *Bins
	y          []float64
	rows       []int
	parameters ForestParameters
	offset     float64 // mean of the values

	// Of the tree that grows:
	random     *rand.Rand
	samples    []sample
	nodes      []node
	importance []float64

	features []int32  // permutation of the features
	draws    []uint32 // of each row
	place    []uint32 // index in samples of each row of the data
	scratch  []sample // for partitions
	search   search
}

func newGrower(b *Bins, d learn.Data, rows []int, p ForestParameters, offset float64) *grower {
	return &grower{
		bins: b, y: d.Y, rows: rows, parameters: p, offset: offset,
		samples:  make([]sample, 0, len(rows)),
		features: make([]int32, b.Columns()),
		draws:    make([]uint32, len(rows)),
		place:    make([]uint32, b.rows),
		scratch:  make([]sample, 0, len(rows)),
	}
}

// pending is a part of the samples for which a node is to be made.
type pending struct {
	start, end int
	depth      int
	parent     int32    // whose right child it is, or -1
	constant   []uint64 // bits of features whose samples are in one bin, as far as the ancestors found them
}

// grow returns the nodes of a tree and the normalized importance of the features.
func (g *grower) grow(ctx context.Context, random *rand.Rand) ([]node, []float64, error) {
	g.random = random
	g.draw()
	g.nodes = g.nodes[:0]
	g.importance = make([]float64, g.bins.Columns())
	for i := range g.features {
		g.features[i] = int32(i) //nolint:gosec // columns of a matrix in memory
	}
	stack := []pending{{end: len(g.samples), parent: -1, constant: make([]uint64, g.bins.words)}}
	for len(stack) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		index := int32(len(g.nodes)) //nolint:gosec // at most twice the rows
		if p.parent >= 0 {
			g.nodes[p.parent].right = index
		}
		if middle := g.add(&p); middle > p.start {
			stack = append(stack,
				pending{middle, p.end, p.depth + 1, index, p.constant},
				pending{p.start, middle, p.depth + 1, -1, p.constant})
		}
	}
	normalize(g.importance)
	return slices.Clone(g.nodes), g.importance, nil
}

// draw draws as many rows as there are, with replacement.
func (g *grower) draw() {
	clear(g.draws)
	for range g.rows {
		g.draws[g.random.IntN(len(g.rows))]++
	}
	g.samples = g.samples[:0]
	for i := range g.place {
		g.place[i] = math.MaxUint32
	}
	for i, n := range g.draws {
		if n > 0 {
			r := g.rows[i]
			g.place[r] = uint32(len(g.samples)) //nolint:gosec // at most the rows
			g.samples = append(g.samples, sample{
				row:    uint32(r), //nolint:gosec // a row of a matrix in memory
				weight: n,
				sum:    float64(float64(n) * (g.y[r] - g.offset)),
			})
		}
	}
}

// add adds a node. If it has a split, it moves the samples that go left before the others, and returns where those start.
func (g *grower) add(p *pending) (middle int) {
	samples := g.samples[p.start:p.end]
	total := bin{}
	pure := true
	first := g.y[samples[0].row]
	for _, s := range samples {
		total.add(s)
		pure = pure && g.y[s.row] == first
	}
	deepest := g.parameters.MaxDepth > 0 && p.depth >= g.parameters.MaxDepth
	if !pure && !deepest && len(samples) >= 2*g.parameters.MinLeaf {
		if s := g.best(samples, total, p); s.feature >= 0 {
			g.nodes = append(g.nodes, node{value: s.threshold, feature: s.feature})
			g.importance[s.feature] += max(s.score-total.score(), 0)
			return p.start + g.partition(p.start, samples, s)
		}
	}
	g.nodes = append(g.nodes, node{value: leafValue(g.offset + total.mean()), feature: leaf})
	return 0
}

// best returns the best split of samples, which has the feature -1 if there is none. It adds the features that it finds to be
// constant to those of p.
func (g *grower) best(samples []sample, total bin, p *pending) split {
	best := split{feature: -1, score: -1}
	varies, shared := false, true
	for i := range g.features {
		if i >= g.parameters.MaxFeatures && varies {
			break
		}
		j := i + g.random.IntN(len(g.features)-i)
		g.features[i], g.features[j] = g.features[j], g.features[i]
		f := g.features[i]
		word, bit := f/wordBits, uint64(1)<<(f%wordBits)
		switch {
		case p.constant[word]&bit != 0:
		case g.feature(f, p, samples, total, &best):
			varies = true
		default:
			if shared { // with other nodes
				p.constant, shared = slices.Clone(p.constant), false
			}
			p.constant[word] |= bit
		}
	}
	return best
}

// cachedRows is the number of samples up to which it takes less time to read the bits of features row by row: they stay in the
// cache between features.
const cachedRows = 128

// feature replaces best by the best split at a feature if that has a greater score. It reports whether the samples have more
// than one bin.
func (g *grower) feature(f int32, p *pending, samples []sample, total bin, best *split) bool {
	scale := &g.bins.features[f]
	var right bin
	switch rare := g.bins.rare[f]; {
	case len(scale.lower) > 2:
		return g.search.feature(g.bins, f, samples, total, g.parameters.MinLeaf, best)
	case len(scale.lower) < 2:
		return false
	case rare != nil && len(rare) < len(samples):
		for _, r := range rare {
			if i := int(g.place[r]); i >= p.start && i < p.end {
				right.add(g.samples[i])
			}
		}
	case len(samples) <= cachedRows:
		for i := range samples {
			if sample := &samples[i]; g.bins.second(sample.row, f) {
				right.add(*sample)
			}
		}
	default:
		column := g.bins.column(int(f))
		for i := range samples {
			if sample := &samples[i]; column[sample.row] != 0 {
				right.add(*sample)
			}
		}
	}
	return ofTwo(scale, f, right, total, g.parameters.MinLeaf, best)
}

// partition moves the samples that go left before the others. It keeps their order, so that columns are read in theirs.
// It returns the number of samples that go left.
func (g *grower) partition(start int, samples []sample, s split) int {
	column := g.bins.column(int(s.feature))
	left := 0
	right := g.scratch
	for _, sample := range samples {
		if column[sample.row] <= s.bin {
			samples[left] = sample
			left++
		} else {
			right = append(right, sample)
		}
	}
	copy(samples[left:], right)
	for i, sample := range samples {
		g.place[sample.row] = uint32(start + i) //nolint:gosec // at most the rows
	}
	return left
}
