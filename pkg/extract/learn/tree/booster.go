package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/exact"
)

// booster grows the trees of a model, one after the other.
type booster struct {
	bins       *Bins
	data       learn.Data
	rows       []int32
	parameters BoostingParameters

	// Of each row of the data:
	sums      []float64 // of the trees so far
	gradients []gradient

	chosen  []int32    // rows of the tree that grows
	scratch []int32    // for partitions
	ordered []gradient // of the rows of a node
	layout  layout
	free    []histogram // histograms that are not in use
	splits  []gain      // of each feature, of a node
	branch  []branch    // nodes of the tree that grows
}

// gradient is the first and second derivative of the loss of a row by the sum of the trees.
type gradient struct{ first, second float64 }

func newBooster(b *Bins, d learn.Data, rows []int, p BoostingParameters, base float64) *booster {
	g := &booster{
		bins: b, data: d, parameters: p,
		rows:      make([]int32, len(rows)),
		sums:      slices.Repeat([]float64{base}, b.rows),
		gradients: make([]gradient, b.rows),
		chosen:    make([]int32, 0, len(rows)),
		scratch:   make([]int32, 0, len(rows)),
		ordered:   make([]gradient, len(rows)),
		layout:    newLayout(b),
		splits:    make([]gain, b.Columns()),
	}
	for i, r := range rows {
		g.rows[i] = int32(r) //nolint:gosec // a row of a matrix in memory
	}
	return g
}

// derive computes the derivatives at the sums.
func (g *booster) derive() {
	for _, r := range g.rows {
		if g.data.Task == learn.Regression {
			g.gradients[r] = gradient{g.sums[r] - g.data.Y[r], 1}
			continue
		}
		p := exact.Probability(g.sums[r])
		g.gradients[r] = gradient{p - g.data.Y[r], float64(p * (1 - p))}
	}
}

// choose chooses the rows of the next tree. It keeps their order.
func (g *booster) choose(random *rand.Rand) {
	g.chosen = g.chosen[:0]
	n := len(g.rows)
	wanted := n
	if g.parameters.Subsample < 1 {
		wanted = max(1, int(math.Round(float64(g.parameters.Subsample*float64(n)))))
	}
	for i, r := range g.rows {
		// With this probability, all choices of the wanted number are equally likely.
		if missing := wanted - len(g.chosen); missing == n-i || random.IntN(n-i) < missing {
			g.chosen = append(g.chosen, r)
		}
	}
}

// branch is a node of the tree that grows.
type branch struct {
	start, end  int // of its rows in chosen
	depth       int
	total       gradientBin
	gain        gain      // its best split
	bins        histogram // nil if it is not to be split
	left, right int       // children, or 0 for a leaf
}

// grow returns the nodes of a tree, adds it to the sums, and adds the gains of its splits to those of the features.
func (g *booster) grow(ctx context.Context, random *rand.Rand, importance []float64) ([]node, error) {
	g.derive()
	g.choose(random)
	g.branch = append(g.branch[:0], g.root())
	for leaves := 1; leaves < g.parameters.MaxLeaves; leaves++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		best := -1
		for i, b := range g.branch {
			if b.bins != nil && (best < 0 || b.gain.value > g.branch[best].gain.value) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		importance[g.branch[best].gain.feature] += g.branch[best].gain.value
		g.split(best)
	}
	for i := range g.branch {
		g.release(&g.branch[i])
	}
	for _, r := range g.rows {
		g.sums[r] += g.value(g.reach(r))
	}
	return g.nodes(), nil
}

// root returns the root of a tree.
func (g *booster) root() branch {
	b := branch{end: len(g.chosen)}
	for _, r := range g.chosen {
		b.total.add(gradientBin{g.gradients[r].first, g.gradients[r].second, 1})
	}
	if g.divisible(b) {
		b.bins = g.acquire()
		g.count(b.bins, g.chosen, b.total)
		g.search(&b)
	}
	return b
}

// split splits a branch. The histogram of the child of fewer rows is counted; that of the other is the difference to their
// parent's.
func (g *booster) split(index int) {
	parent := &g.branch[index]
	middle := parent.start + g.partition(g.chosen[parent.start:parent.end], parent.gain)
	left := branch{start: parent.start, end: middle, depth: parent.depth + 1, total: parent.gain.left}
	right := branch{
		start: middle, end: parent.end, depth: parent.depth + 1, total: parent.total.minus(parent.gain.left),
	}
	small, large := &left, &right
	if small.total.rows > large.total.rows {
		small, large = large, small
	}
	if g.divisible(*small) || g.divisible(*large) {
		small.bins = g.acquire()
		g.count(small.bins, g.chosen[small.start:small.end], small.total)
		large.bins, parent.bins = parent.bins, nil
		for i, b := range small.bins {
			large.bins[i] = large.bins[i].minus(b)
		}
		g.search(small)
		g.search(large)
	}
	g.release(parent)
	parent.left, parent.right = len(g.branch), len(g.branch)+1
	g.branch = append(g.branch, left, right)
}

// partition moves the rows that go left before the others, and returns their number. It keeps their order.
func (g *booster) partition(rows []int32, s gain) int {
	column := g.bins.column(s.feature)
	left := 0
	right := g.scratch
	for _, r := range rows {
		if column[r] <= s.bin {
			rows[left] = r
			left++
		} else {
			right = append(right, r)
		}
	}
	copy(rows[left:], right)
	return left
}

// reach returns the leaf of a row.
func (g *booster) reach(row int32) *branch {
	b := &g.branch[0]
	for b.left != 0 {
		if g.bins.column(b.gain.feature)[row] <= b.gain.bin {
			b = &g.branch[b.left]
		} else {
			b = &g.branch[b.right]
		}
	}
	return b
}

// value returns the value of a leaf.
func (g *booster) value(b *branch) float64 {
	return float64(b.total.step() * g.parameters.LearningRate)
}

// nodes returns the tree.
func (g *booster) nodes() []node {
	nodes := make([]node, 0, len(g.branch))
	var add func(b *branch)
	add = func(b *branch) {
		if b.left == 0 {
			nodes = append(nodes, node{value: g.value(b), feature: leaf})
			return
		}
		index := len(nodes)
		edge := g.bins.features[b.gain.feature].edges[b.gain.bin]
		nodes = append(nodes, node{value: edge, feature: int32(b.gain.feature)}) //nolint:gosec // a column
		add(&g.branch[b.left])
		nodes[index].right = int32(len(nodes)) //nolint:gosec // at most twice the rows
		add(&g.branch[b.right])
	}
	add(&g.branch[0])
	return nodes
}
