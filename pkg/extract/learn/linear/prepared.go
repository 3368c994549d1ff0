package linear

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/assay-project/assay/pkg/extract/learn"
)

// prepared are rows with what fits with all parameters need of them.
type prepared struct {
	*design
	matrix
	// products are those of the columns, or of the rows if there are fewer rows than columns that vary.
	products symmetric
	byRows   bool
}

func prepare(ctx context.Context, x learn.Matrix, rows []int) (*prepared, error) {
	d, err := newDesign(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	m, err := d.matrix(ctx)
	if err != nil {
		return nil, err
	}
	p := &prepared{design: d, matrix: m, byRows: len(rows) < len(d.columns)}
	if p.byRows {
		p.products, err = m.dual(ctx)
	} else {
		p.products, err = m.gram(ctx, one)
	}
	return p, err
}

func one(int) float64 { return 1 }

// A solver solves (Zᵀ·W·Z + penalty*I)·v = u for the standardized matrix Z and weights W of its rows.
type solver struct {
	p       *prepared
	factor  symmetric
	root    func(i int) float64 // of the weight of a row
	penalty float64
}

// solver returns a solver for weights, or for their mean in place of each if that is much less expensive.
func (p *prepared) solver(ctx context.Context, weights []float64, penalty float64) (*solver, error) {
	s := &solver{p: p, penalty: penalty}
	if p.byRows {
		s.root = roots(weights)
		s.factor = p.products.scaled(s.root)
	} else {
		mean := 0.0
		for _, w := range weights {
			mean += w
		}
		root := math.Sqrt(mean / float64(len(weights)))
		s.factor = p.products.scaled(func(int) float64 { return root })
	}
	return s, s.factor.factor(ctx, penalty)
}

// exactSolver returns a solver for weights if there are not fewer rows than columns.
func (p *prepared) exactSolver(ctx context.Context, weights []float64, penalty float64) (*solver, error) {
	factor, err := p.gram(ctx, roots(weights))
	if err != nil {
		return nil, err
	}
	return &solver{p: p, factor: factor, penalty: penalty}, factor.factor(ctx, penalty)
}

func roots(weights []float64) func(i int) float64 {
	values := make([]float64, len(weights))
	for i, w := range weights {
		values[i] = math.Sqrt(w)
	}
	return func(i int) float64 { return values[i] }
}

func (s *solver) solve(ctx context.Context, u []float64) ([]float64, error) {
	if !s.p.byRows {
		v := slices.Clone(u)
		s.factor.solve(v)
		return v, nil
	}
	// As Woodbury has it, v = (u - Zᵀ·R·(R·Z·Zᵀ·R + penalty*I)⁻¹·R·Z·u) / penalty with the roots R of the weights.
	z := make([]float64, len(s.p.rows))
	if err := s.p.times(ctx, u, z); err != nil {
		return nil, err
	}
	for i := range z {
		z[i] = float64(z[i] * s.root(i))
	}
	s.factor.solve(z)
	for i := range z {
		z[i] = float64(z[i] * s.root(i))
	}
	v, err := s.p.transposed(ctx, z)
	if err != nil {
		return nil, err
	}
	for i := range v {
		v[i] = (u[i] - v[i]) / s.penalty
	}
	return v, nil
}

// maxCached is the size of the products that a cache keeps, in values: 128 MiB. The last one is kept if it is larger.
const maxCached, maxEntries = 1 << 24, 32

// cache shares what is prepared between learners that differ only in their parameters. The bits of models do not depend on
// it.
type cache struct {
	mu      sync.Mutex
	entries []*entry // the last used last
}

type entry struct {
	x    learn.Matrix
	rows []int
	mu   sync.Mutex
	p    *prepared // nil until computed
}

func (c *cache) prepare(ctx context.Context, x learn.Matrix, rows []int) (*prepared, error) {
	e := c.entry(x, rows)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.p == nil {
		p, err := prepare(ctx, x, e.rows)
		if err != nil {
			return nil, err
		}
		e.p = p
	}
	return e.p, nil
}

func (c *cache) entry(x learn.Matrix, rows []int) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.entries, func(e *entry) bool { return sameMatrix(e.x, x) && slices.Equal(e.rows, rows) })
	var e *entry
	if i >= 0 {
		e = c.entries[i]
		c.entries = slices.Delete(c.entries, i, i+1)
	} else {
		e = &entry{x: x, rows: slices.Clone(rows)}
	}
	c.entries = append(c.entries, e)
	size := 0
	for i := len(c.entries) - 1; i >= 0; i-- {
		n := min(len(c.entries[i].rows), x.Columns)
		size += n * (n + 1) / 2
		if (size > maxCached || len(c.entries)-i > maxEntries) && i < len(c.entries)-1 {
			c.entries = slices.Delete(c.entries, 0, i+1)
			break
		}
	}
	return e
}

func sameMatrix(a, b learn.Matrix) bool {
	return a.Rows == b.Rows && a.Columns == b.Columns && len(a.Values) == len(b.Values) &&
		(len(a.Values) == 0 || &a.Values[0] == &b.Values[0])
}
