package linear_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
)

func TestBinary(t *testing.T) {
	for task, l := range learners(1) {
		d := learntest.Data(task, 40, 5, 1)
		m := fit(t, l, d)
		data := marshal(t, m)
		var read linear.Model
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		for i := range d.X.Rows {
			if got, want := read.Predict(d.X.Row(i)), m.Predict(d.X.Row(i)); got != want {
				t.Errorf("%s: read model predicts %v, want %v", l.Name, got, want)
			}
		}
		for i := range data {
			damaged := bytes.Clone(data)
			damaged[i] ^= 0x10
			if err := new(linear.Model).UnmarshalBinary(damaged); err == nil {
				t.Errorf("%s: no error with a damaged byte %d", l.Name, i)
			}
			if err := new(linear.Model).UnmarshalBinary(data[:i]); err == nil {
				t.Errorf("%s: no error with %d of %d bytes", l.Name, i, len(data))
			}
		}
	}
}

func TestInvalidModelsAreNotWritten(t *testing.T) {
	for _, m := range []linear.Model{
		{},
		{Task: learn.Regression, Center: math.NaN()},
		{Task: learn.Regression, Standardized: []float64{1}, Means: []float64{0}},
		{Task: learn.Regression, Standardized: []float64{1}, Means: []float64{0}, Deviations: []float64{0}},
		{Task: learn.Regression, Standardized: []float64{1}, Means: []float64{0}, Deviations: []float64{-1}},
		{Task: learn.Regression, Standardized: []float64{1e10}, Means: []float64{0}, Deviations: []float64{1e-300}},
	} {
		if data, err := m.MarshalBinary(); err == nil {
			t.Errorf("%+v is written as %x, want an error", m, data)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	for task, l := range learners(1) {
		d := learntest.Data(task, 40, 3, 1)
		m, err := l.Fit(f.Context(), d, learntest.Rows(d))
		if err != nil {
			f.Fatal(err)
		}
		data, err := m.(*linear.Model).MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= 4 { // a correct checksum lets damage reach the other checks
			end := len(data) - 4
			data = binary.LittleEndian.AppendUint32(bytes.Clone(data[:end]), crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)))
		}
		var m linear.Model
		if m.UnmarshalBinary(data) != nil {
			return
		}
		if got := marshal(t, &m); !bytes.Equal(got, data) {
			t.Errorf("read model is written as %x, want %x", got, data)
		}
		y := m.Predict(make([]float64, len(m.Means)))
		if m.Task == learn.Classification && !(y >= 0 && y <= 1) && y == y {
			t.Errorf("got probability %v", y)
		}
		m.Importance()
	})
}
