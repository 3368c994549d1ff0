package choose_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/choose"
	"github.com/assay-project/assay/pkg/extract/learn/fold"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
)

func BenchmarkChoose(b *testing.B) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		b.Run(string(task), func(b *testing.B) {
			d := learntest.Data(task, 20_000, 200, 1)
			folds, err := fold.Split(5, d, 1)
			if err != nil {
				b.Fatal(err)
			}
			start := used(b)
			for b.Loop() {
				if _, err := choose.Choose(b.Context(), d, folds, candidates(task)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((used(b)-start).Seconds()/float64(b.N), "cpu-s/op")
		})
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
