package fold_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/fold"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
)

// counts returns the rows of each value in each fold.
func counts(d learn.Data, folds []int, k int) [][2]int {
	n := make([][2]int, k)
	for row, f := range folds {
		class := 0
		if d.Task == learn.Classification && d.Y[row] == 1 {
			class = 1
		}
		n[f][class]++
	}
	return n
}

func spread(n [][2]int, value func([2]int) int) int {
	low, high := value(n[0]), value(n[0])
	for _, c := range n {
		low, high = min(low, value(c)), max(high, value(c))
	}
	return high - low
}

func TestSplitRowsEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 10).Draw(t, "k")
		task := rapid.SampledFrom([]learn.Task{learn.Regression, learn.Classification}).Draw(t, "task")
		d := learntest.Data(task, rapid.IntRange(60, 200).Draw(t, "rows"), 3, rapid.Uint64().Draw(t, "data"))
		d.Groups = nil
		folds, err := fold.Split(k, d, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			if errors.Is(err, fold.ErrClasses) && task == learn.Classification {
				return
			}
			t.Fatal(err)
		}
		n := counts(d, folds, k)
		for _, value := range []func([2]int) int{
			func(c [2]int) int { return c[0] }, func(c [2]int) int { return c[1] }, func(c [2]int) int { return c[0] + c[1] },
		} {
			if spread(n, value) > 1 {
				t.Errorf("got folds with %v rows of the values, want differences of at most 1", n)
			}
		}
	})
}

// Sizes differ by at most the largest group, and each fold has both values.
func TestSplitBalancesGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, rows := rapid.IntRange(2, 6).Draw(t, "k"), rapid.IntRange(6, 80).Draw(t, "rows")
		d := learn.Data{Task: learn.Regression, X: learn.Matrix{Rows: rows}, Y: make([]float64, rows), Groups: make([]int, rows)}
		if rapid.Bool().Draw(t, "classes") {
			d.Task = learn.Classification
		}
		sizes := map[int]int{}
		for row := range rows {
			d.Groups[row] = rapid.IntRange(-10, 10).Draw(t, "group")
			d.Y[row] = float64(rapid.IntRange(0, 1).Draw(t, "y"))
			sizes[d.Groups[row]]++
		}
		folds, err := fold.Split(k, d, rapid.Uint64().Draw(t, "seed"))
		if errors.Is(err, fold.ErrGroups) && len(sizes) < k || errors.Is(err, fold.ErrClasses) && d.Task == learn.Classification {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		of, largest := map[int]int{}, 0
		for row, f := range folds {
			if other, ok := of[d.Groups[row]]; ok && other != f {
				t.Fatalf("group %d is in folds %d and %d", d.Groups[row], f, other)
			}
			of[d.Groups[row]] = f
			largest = max(largest, sizes[d.Groups[row]])
		}
		n := counts(d, folds, k)
		if d.Task == learn.Regression && spread(n, func(c [2]int) int { return c[0] }) > largest {
			t.Errorf("got folds with %v rows, want differences of at most %d", n, largest)
		}
		for _, c := range n {
			if d.Task == learn.Classification && (c[0] == 0 || c[1] == 0) {
				t.Errorf("got folds with %v rows of the values, want both in each", n)
			}
		}
	})
}

func TestSplitKeepsGroups(t *testing.T) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		d := learntest.Data(task, 1000, 3, 1)
		folds, err := fold.Split(5, d, 7)
		if err != nil {
			t.Fatal(err)
		}
		of := map[int]int{}
		for row, f := range folds {
			if other, ok := of[d.Groups[row]]; ok && other != f {
				t.Fatalf("%s: group %d is in folds %d and %d", task, d.Groups[row], f, other)
			}
			of[d.Groups[row]] = f
		}
		n := counts(d, folds, 5)
		if spread(n, func(c [2]int) int { return c[0] }) > 6 || spread(n, func(c [2]int) int { return c[1] }) > 6 {
			t.Errorf("%s: got folds with %v rows of the values, want about as many", task, n)
		}
		again, err := fold.Split(5, d, 7)
		if err != nil || !slices.Equal(again, folds) {
			t.Errorf("%s: second split differs (error %v)", task, err)
		}
		other, err := fold.Split(5, d, 8)
		if err != nil || slices.Equal(other, folds) {
			t.Errorf("%s: split of another seed is the same (error %v)", task, err)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	data := func(task learn.Task, y []float64, groups []int) learn.Data {
		return learn.Data{Task: task, X: learn.Matrix{Rows: len(y)}, Y: y, Groups: groups}
	}
	y := []float64{0, 1, 1, 1, 0, 1}
	for _, test := range []struct {
		k    int
		data learn.Data
		want error
	}{
		{3, data(learn.Regression, y, []int{1, 1, 1, 2, 2, 2}), fold.ErrGroups},
		{7, data(learn.Regression, y, nil), fold.ErrGroups},
		{3, data(learn.Classification, y, nil), fold.ErrClasses},
		{2, data(learn.Classification, y, []int{1, 2, 3, 4, 1, 5}), fold.ErrClasses},
		{2, data(learn.Regression, nil, nil), fold.ErrGroups},
	} {
		if _, err := fold.Split(test.k, test.data, 1); !errors.Is(err, test.want) {
			t.Errorf("%d folds of %v: got error %v, want %v", test.k, test.data, err, test.want)
		}
	}
	if _, err := fold.Split(1, data(learn.Regression, y, nil), 1); err == nil {
		t.Error("no error for 1 fold")
	}
	if _, err := fold.Split(2, data(learn.Regression, y, []int{1}), 1); err == nil {
		t.Error("no error for 1 group number of 6 rows")
	}
	if folds, err := fold.Split(2, data(learn.Classification, y, nil), 1); err != nil || folds[0] == folds[4] {
		t.Errorf("got folds %v and error %v, want both values in each", folds, err)
	}
}
