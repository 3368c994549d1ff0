package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
)

// TestDeterministic fits models with different numbers of threads. The hashes of the models are the same on all
// architectures:
//
//	GOARCH=arm64 go test -c && qemu-aarch64 ./tree.test -test.run TestDeterministic
func TestDeterministic(t *testing.T) {
	previous := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(previous) })
	numbers := func(task learn.Task) learn.Data { return learntest.Data(task, 1000, 150, 3) } // several threads split a root
	bits := func(task learn.Task) learn.Data { return learntest.Bits(task, 1000, 150, 3) }
	for _, c := range []struct {
		data             func(learn.Task) learn.Data
		task             learn.Task
		forest, boosting string
	}{
		{numbers, learn.Regression, "317c6af1412f4298", "7255100e5089d66b"},
		{numbers, learn.Classification, "9424476881cb37d9", "2e70f4d8f375c3f0"},
		{bits, learn.Regression, "2b9bf806115dcaf0", "60b3c0a7b03d51e1"},
		{bits, learn.Classification, "7a834613d242130b", "acd82b4758473b7d"},
	} {
		d := c.data(c.task)
		var rows []int
		for i := range d.Y {
			if i%7 != 0 {
				rows = append(rows, i)
			}
		}
		for _, threads := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(threads)
			b := Bin(d.X)
			forest, err := FitForest(t.Context(), b, d, rows, ForestParameters{Trees: 4, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			boosting, err := FitBoosting(t.Context(), b, d, rows, BoostingParameters{Trees: 4, Subsample: 0.7, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			if got := hash(t, forest.ensemble); got != c.forest {
				t.Errorf("forest, %s, %d threads: %s, want %s", c.task, threads, got, c.forest)
			}
			if got := hash(t, boosting.ensemble); got != c.boosting {
				t.Errorf("boosting, %s, %d threads: %s, want %s", c.task, threads, got, c.boosting)
			}
		}
	}
}

// TestBits checks that the ways to add the samples of a bit give the same model.
func TestBits(t *testing.T) {
	d := learntest.Bits(learn.Regression, 1500, 40, 9)
	fit := func(b *Bins) string {
		m, err := FitForest(t.Context(), b, d, learntest.Rows(d), ForestParameters{Trees: 5})
		if err != nil {
			t.Fatal(err)
		}
		return hash(t, m.ensemble)
	}
	b := Bin(d.X)
	rare := 0
	for _, rows := range b.rare {
		rare += len(rows)
	}
	if rare == 0 {
		t.Error("no rows of rare bits")
	}
	want := fit(b)
	clear(b.rare)
	if got := fit(b); got != want {
		t.Errorf("%s without rows of rare bits, %s with them", got, want)
	}
}

// hash returns the start of the hash of a model.
func hash(t *testing.T, e ensemble) string {
	t.Helper()
	data, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
