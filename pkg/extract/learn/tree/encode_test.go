package tree

import (
	"encoding"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/learntest"
)

// fitted returns small models of both kinds.
func fitted(t testing.TB, task learn.Task) (*Forest, *Boosting, learn.Data) {
	t.Helper()
	d := learntest.Friedman(task, 150, 6, 11)
	b := Bin(d.X)
	forest, err := FitForest(t.Context(), b, d, learntest.Rows(d), ForestParameters{Trees: 4, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	boosting, err := FitBoosting(t.Context(), b, d, learntest.Rows(d), BoostingParameters{Trees: 4, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	return forest, boosting, d
}

func marshal(t testing.TB, m encoding.BinaryMarshaler) []byte {
	t.Helper()
	data, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestMarshal(t *testing.T) {
	for _, task := range []learn.Task{learn.Regression, learn.Classification} {
		forest, boosting, _ := fitted(t, task)
		var f Forest
		if err := f.UnmarshalBinary(marshal(t, forest)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&f, forest) {
			t.Errorf("%s: another forest", task)
		}
		var m Boosting
		if err := m.UnmarshalBinary(marshal(t, boosting)); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(&m, boosting) {
			t.Errorf("%s: another boosting model", task)
		}
		if err := m.UnmarshalBinary(marshal(t, forest)); !errors.Is(err, ErrDamaged) {
			t.Errorf("a forest as a boosting model: %v", err)
		}
		if !reflect.DeepEqual(&m, boosting) {
			t.Error("an error changed the model")
		}
	}
}

// TestDamaged cuts a model, and changes each of its bytes, with a wrong and with a right checksum.
func TestDamaged(t *testing.T) {
	forest, _, d := fitted(t, learn.Regression)
	data := marshal(t, forest)
	for n := range data {
		if err := new(Forest).UnmarshalBinary(data[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	for i := range data {
		damaged := append([]byte(nil), data...)
		damaged[i] ^= 0x15
		if err := new(Forest).UnmarshalBinary(damaged); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", i, err)
		}
		var f Forest
		err := f.UnmarshalBinary(seal(damaged))
		switch {
		case err == nil:
			f.Predict(d.X.Row(0))
		case !errors.Is(err, ErrDamaged):
			t.Fatalf("byte %d: %v", i, err)
		}
	}
}

// seal replaces the last bytes by the right checksum.
func seal(data []byte) []byte {
	body := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(append([]byte(nil), body...), checksum(body))
}

// FuzzUnmarshal checks that data which is accepted is a model that can be used, and that memory is in proportion to the
// data. The checksum is set, since the fuzzer would not find it.
func FuzzUnmarshal(f *testing.F) {
	forest, boosting, _ := fitted(f, learn.Classification)
	f.Add(marshal(f, forest))
	f.Add(marshal(f, boosting))
	for _, lengths := range [][]byte{
		{0xff, 0xff, 0xff, 0xff, 0x7f}, {0, 0xff, 0xff, 0xff, 0x7f}, {0, 1, 0xff, 0xff, 0xff, 0x7f},
	} {
		data := append(marshal(f, forest)[:len(magic)+3+8], lengths...)
		f.Add(append(data, make([]byte, 100)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= 4 {
			data = seal(data)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		use(t, data, &Forest{})
		use(t, data, &Boosting{})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(1<<20+50*len(data)) {
			t.Errorf("%d bytes of memory for %d", n, len(data))
		}
	})
}

// use reads a model, and predicts by it.
func use(t *testing.T, data []byte, m interface {
	learn.Predictor
	encoding.BinaryUnmarshaler
},
) {
	t.Helper()
	if err := m.UnmarshalBinary(data); err != nil {
		if !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
		return
	}
	m.Predict(make([]float64, len(m.Importance())))
}
