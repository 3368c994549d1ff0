package linear_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
)

// standardized returns the features as gonum standardizes them, without columns that do not vary.
func standardized(d learn.Data) (*mat.Dense, []int) {
	var columns []int
	z := mat.NewDense(d.X.Rows, d.X.Columns, nil)
	for j := range d.X.Columns {
		column := make([]float64, d.X.Rows)
		for i := range column {
			column[i] = d.X.Row(i)[j]
		}
		if floats.Min(column) == floats.Max(column) {
			continue
		}
		mean, deviation := stat.PopMeanStdDev(column, nil)
		floats.AddConst(-mean, column)
		floats.Scale(1/deviation, column)
		z.SetCol(len(columns), column)
		columns = append(columns, j)
	}
	return mat.DenseCopyOf(z.Slice(0, d.X.Rows, 0, len(columns))), columns
}

// The coefficients equal those from gonum's QR factorization of the features and the penalty below them.
func TestRidgeEqualsGonum(t *testing.T) {
	for _, d := range []learn.Data{
		learntest.Data(learn.Regression, 300, 40, 3), learntest.Data(learn.Regression, 700, 300, 3), learntest.Data(learn.Regression, 50, 120, 3),
		learntest.Bits(learn.Regression, 700, 300, 3), learntest.Bits(learn.Regression, 50, 120, 3),
	} {
		size := [2]int{d.X.Rows, d.X.Columns}
		z, columns := standardized(d)
		n, p := z.Dims()
		stacked, y := mat.NewDense(n+p, p, nil), mat.NewVecDense(n+p, nil)
		stacked.Slice(0, n, 0, p).(*mat.Dense).Copy(z)
		mean := stat.Mean(d.Y, nil)
		for i, v := range d.Y {
			y.SetVec(i, v-mean)
		}
		for k := range p {
			stacked.Set(n+k, k, math.Sqrt(0.5))
		}
		var want mat.VecDense
		if err := want.SolveVec(stacked, y); err != nil {
			t.Fatal(err)
		}
		got, err := linear.FitRidge(t.Context(), d, learntest.Rows(d), 0.5)
		if err != nil {
			t.Fatal(err)
		}
		for k, j := range columns {
			if math.Abs(got.Standardized[j]-want.AtVec(k)) > 1e-9 {
				t.Errorf("%v: coefficient %d = %v, want %v", size, j, got.Standardized[j], want.AtVec(k))
			}
		}
	}
}

// The coefficients equal those at the minimum that gonum's L-BFGS finds.
func TestLogisticEqualsGonum(t *testing.T) {
	for _, d := range []learn.Data{
		learntest.Data(learn.Classification, 400, 40, 4), learntest.Data(learn.Classification, 900, 300, 4), learntest.Data(learn.Classification, 60, 90, 4),
		learntest.Bits(learn.Classification, 900, 300, 4), learntest.Bits(learn.Classification, 60, 90, 4),
	} {
		size := [2]int{d.X.Rows, d.X.Columns}
		z, columns := standardized(d)
		n, p := z.Dims()
		const c = 0.05
		problem := optimize.Problem{
			Func: func(w []float64) float64 {
				sum := floats.Dot(w[1:], w[1:]) / (2 * c)
				for i := range n {
					odds := w[0] + floats.Dot(w[1:], z.RawRowView(i))
					sum += math.Max(odds, 0) + math.Log1p(math.Exp(-math.Abs(odds))) - d.Y[i]*odds
				}
				return sum
			},
			Grad: func(gradient, w []float64) {
				clear(gradient)
				floats.AddScaled(gradient[1:], 1/c, w[1:])
				for i := range n {
					odds := w[0] + floats.Dot(w[1:], z.RawRowView(i))
					rest := 1/(1+math.Exp(-odds)) - d.Y[i]
					gradient[0] += rest
					floats.AddScaled(gradient[1:], rest, z.RawRowView(i))
				}
			},
		}
		want, err := optimize.Minimize(problem, make([]float64, p+1), &optimize.Settings{GradientThreshold: 1e-5}, &optimize.LBFGS{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := linear.FitLogistic(t.Context(), d, learntest.Rows(d), c)
		if err != nil {
			t.Fatal(err)
		}
		worst := math.Abs(got.Center - want.X[0])
		for k, j := range columns {
			worst = max(worst, math.Abs(got.Standardized[j]-want.X[k+1]))
		}
		if !(worst <= 1e-6) {
			t.Errorf("%v: largest difference of a coefficient is %v, want at most 1e-6", size, worst)
		}
	}
}
