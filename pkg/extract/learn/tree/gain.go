package tree

// gain is a split of a branch.
type gain struct {
	feature int
	bin     uint8       // the last that goes left
	left    gradientBin // sum of what goes left
	value   float64     // decrease of the loss, times two; 0: no split
}

// leastCurvature is the least sum of second derivatives of a leaf. Below it, Newton steps are not reliable.
const leastCurvature = 1e-3

// divisible reports whether a branch may be split.
func (g *booster) divisible(b branch) bool {
	deepest := g.parameters.MaxDepth > 0 && b.depth >= g.parameters.MaxDepth
	return !deepest && b.total.rows >= 2*g.parameters.MinLeaf &&
		b.total.second >= leastCurvature && g.parameters.MaxLeaves > 1
}

// search sets the best split of a branch. If there is none, it releases the histogram.
func (g *booster) search(b *branch) {
	b.gain = gain{}
	if g.divisible(*b) {
		g.each(g.bins.Columns(), len(b.bins)/g.bins.Columns(), func(f int) { g.splits[f] = g.bestOf(f, b) })
		for _, s := range g.splits {
			if s.value > b.gain.value {
				b.gain = s
			}
		}
	}
	if b.gain.value == 0 {
		g.release(b)
	}
}

// bestOf returns the best split of a branch at a feature.
func (g *booster) bestOf(f int, b *branch) gain {
	best := gain{feature: f}
	bins := g.layout.of(b.bins, f)
	current := b.total.decrease()
	var left gradientBin
	for i := range len(bins) - 1 {
		if bins[i].rows == 0 {
			continue // the same split as before
		}
		left.add(bins[i])
		right := b.total.minus(left)
		if left.rows < g.parameters.MinLeaf || left.second < leastCurvature {
			continue
		}
		if right.rows < g.parameters.MinLeaf || right.second < leastCurvature {
			break
		}
		if value := left.decrease() + right.decrease() - current; value > best.value {
			best.bin, best.left, best.value = uint8(i), left, value //nolint:gosec // at most 255
		}
	}
	return best
}

// acquire returns a histogram.
func (g *booster) acquire() histogram {
	if n := len(g.free); n > 0 {
		h := g.free[n-1]
		g.free = g.free[:n-1]
		return h
	}
	return make(histogram, g.layout[len(g.layout)-1])
}

// release ends the use of a branch's histogram, if it has one.
func (g *booster) release(b *branch) {
	if b.bins != nil {
		g.free = append(g.free, b.bins)
		b.bins = nil
	}
}
