package trained

import (
	"math/rand/v2"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/choose"
	"github.com/assay-project/assay/pkg/extract/learn/fold"
)

// synthetic returns examples whose values depend on few of the features.
func synthetic(rows, columns int) learn.Data {
	random := rand.New(rand.NewPCG(1, 2))
	d := learn.Data{Task: learn.Regression, X: learn.Matrix{Rows: rows, Columns: columns, Values: make([]float64, rows*columns)}, Y: make([]float64, rows)}
	for i := range d.X.Values {
		d.X.Values[i] = random.NormFloat64()
	}
	for i := range d.Y {
		x := d.X.Row(i)
		d.Y[i] = 10*x[0]*x[1] + 3*x[2]*x[3] + x[4] + x[5] + x[6] + random.NormFloat64()
	}
	return d
}

// BenchmarkChoice measures the choice among all candidates, at the size of data that the documentation states. It also reports
// the peak of the heap, in MB.
func BenchmarkChoice(b *testing.B) {
	d := synthetic(20_000, 200)
	folds, err := fold.Split(Folds, d, 1)
	if err != nil {
		b.Fatal(err)
	}
	peak, stop := make(chan float64), make(chan struct{})
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		most := uint64(0)
		for {
			heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
			metrics.Read(heap)
			most = max(most, heap[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-stop:
				peak <- float64(most) / 1e6
				return
			}
		}
	}()
	for b.Loop() {
		if _, err := choose.Choose(b.Context(), d, folds, Candidates(d, 1)); err != nil {
			b.Fatal(err)
		}
	}
	close(stop)
	b.ReportMetric(<-peak, "peak-MB")
}
