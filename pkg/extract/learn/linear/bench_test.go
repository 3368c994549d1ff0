package linear_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
)

func BenchmarkFit(b *testing.B) {
	for _, of := range []struct {
		name          string
		data          func(task learn.Task, rows, columns int, seed uint64) learn.Data
		rows, columns int
	}{
		{"dense", learntest.Data, 20_000, 200}, {"dense", learntest.Data, 20_000, 1000}, {"dense", learntest.Data, 1000, 2000},
		{"bits", learntest.Bits, 20_000, 2048}, {"bits", learntest.Bits, 1000, 2048},
	} {
		for _, learner := range []learn.Learner{
			linear.RidgeLearner(0.1), linear.LogisticLearner(0.01), linear.LogisticLearner(10),
		} {
			task := learn.Regression
			if learner.Name == "logistic" {
				task = learn.Classification
			}
			b.Run(fmt.Sprintf("%s/%v/%s/%dx%d", learner.Name, learner.Parameters["c"], of.name, of.rows, of.columns), func(b *testing.B) {
				d := of.data(task, of.rows, of.columns, 1)
				start := used(b)
				for b.Loop() {
					// other rows each time, so that nothing is shared
					rows := learntest.Rows(d)[b.N%2:]
					if _, err := learner.Fit(b.Context(), d, rows); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((used(b)-start).Seconds()/float64(b.N), "cpu-s/op")
			})
		}
	}
}

// used returns the processor time of the process.
func used(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
