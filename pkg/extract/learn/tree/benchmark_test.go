package tree

import (
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
)

// The sets are those of "testdata/reference.py time", which measures scikit-learn.
const benchmarkRows, benchmarkColumns, benchmarkSeed = 20_000, 200, 7

func BenchmarkBin(b *testing.B) {
	d := learntest.Friedman(learn.Regression, benchmarkRows, benchmarkColumns, benchmarkSeed)
	measure(b, func() error {
		Bin(d.X)
		return nil
	})
}

// measure also reports the CPU time, which is to be compared with scikit-learn's.
func measure(b *testing.B, f func() error) {
	b.Helper()
	start := processTime(b)
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processTime(b)-start).Seconds()/float64(b.N), "cpu-s/op")
}

// processTime returns the CPU time of the process.
func processTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkForest fits 10 trees.
func BenchmarkForest(b *testing.B) {
	for _, c := range []struct {
		name     string
		task     learn.Task
		features int
	}{
		{"regression/66", learn.Regression, 66},
		{"regression/200", learn.Regression, 200},
		{"classification/14", learn.Classification, 14},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := learntest.Friedman(c.task, benchmarkRows, benchmarkColumns, benchmarkSeed)
			bins := Bin(d.X)
			rows := learntest.Rows(d)
			measure(b, func() error {
				_, err := FitForest(b.Context(), bins, d, rows, ForestParameters{Trees: 10, MaxFeatures: c.features})
				return err
			})
		})
	}
}

// BenchmarkBoosting fits 100 trees.
func BenchmarkBoosting(b *testing.B) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		b.Run(string(task), func(b *testing.B) {
			d := learntest.Friedman(task, benchmarkRows, benchmarkColumns, benchmarkSeed)
			bins := Bin(d.X)
			rows := learntest.Rows(d)
			measure(b, func() error {
				_, err := FitBoosting(b.Context(), bins, d, rows, BoostingParameters{})
				return err
			})
		})
	}
}

// BenchmarkPredict predicts 100,000 rows by 100 trees.
func BenchmarkPredict(b *testing.B) {
	d := learntest.Friedman(learn.Regression, 100_000, benchmarkColumns, benchmarkSeed)
	train := d
	train.X.Rows = benchmarkRows
	train.X.Values = d.X.Values[:benchmarkRows*benchmarkColumns]
	train.Y = d.Y[:benchmarkRows]
	bins := Bin(train.X)
	forest, err := FitForest(b.Context(), bins, train, learntest.Rows(train), ForestParameters{})
	if err != nil {
		b.Fatal(err)
	}
	boosting, err := FitBoosting(b.Context(), bins, train, learntest.Rows(train), BoostingParameters{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("forest", func(b *testing.B) {
		measure(b, func() error {
			_, err := forest.PredictAll(b.Context(), d.X)
			return err
		})
	})
	b.Run("boosting", func(b *testing.B) {
		measure(b, func() error {
			_, err := boosting.PredictAll(b.Context(), d.X)
			return err
		})
	})
}
