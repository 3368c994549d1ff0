package domain

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// TestMolecules compares the nearest molecules and the threshold with those that direct comparisons find.
func TestMolecules(t *testing.T) {
	all := generate(500, 1)
	all[3] = &fingerprint.Fingerprint{}
	all[4] = all[5]
	d, err := OfMolecules(t.Context(), all, 1)
	if err != nil {
		t.Fatal(err)
	}
	nearest := func(f *fingerprint.Fingerprint, except int) float64 {
		best := 0.0
		for i, other := range all {
			if i != except {
				best = max(best, f.Similarity(other))
			}
		}
		return best
	}
	queries := append(generate(200, 2), all[0], all[3], &fingerprint.Fingerprint{1, 2})
	for i, f := range queries {
		if got, want := d.Nearest(nil, f), nearest(f, -1); got != want {
			t.Errorf("molecule %d: got %g, want %g", i, got, want)
		}
	}
	var own []float64
	for i, f := range all {
		own = append(own, nearest(f, i))
	}
	slices.Sort(own)
	if want := own[25]; d.Threshold() != want || !d.Inside(want) || d.Inside(math.Nextafter(want, 0)) {
		t.Errorf("got threshold %g, want %g", d.Threshold(), want)
	}
	if got := d.Nearest(nil, nil); got != 0 {
		t.Errorf("no fingerprint: got %g, want 0", got)
	}
}

// grid returns rows of two features with different scales.
func grid(n int) learn.Matrix {
	random, m := rand.New(rand.NewPCG(5, 6)), learn.Matrix{Rows: n, Columns: 2}
	for range n {
		m.Values = append(m.Values, 1000*random.NormFloat64(), 1e-3*random.NormFloat64())
	}
	return m
}

func TestRows(t *testing.T) {
	x := grid(300)
	d, err := OfRows(t.Context(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Nearest(x.Row(7), nil); got != 1 {
		t.Errorf("a training row: got %g, want 1", got)
	}
	p := d.points
	far := []float64{p.means[0] + 100*p.deviations[0], p.means[1]}
	if got := d.Nearest(far, nil); d.Inside(got) || got > 0.02 {
		t.Errorf("a row at a distance of about 97/√2: got %g, inside = %t, want about 1/70, false", got, d.Inside(got))
	}
	if got := d.Nearest([]float64{math.MaxFloat64, math.Inf(1)}, nil); got != 0 {
		t.Errorf("an infinite row: got %g, want 0", got)
	}
	within := 0
	for i := range x.Rows {
		if d.Inside(p.nearest(p.row(i), i)) {
			within++
		}
	}
	if within != 285 {
		t.Errorf("got %d of 300 rows inside the domain of the others, want 95 %%", within)
	}
}

// TestSamples checks that the domain of many rows is a sample, the same for the same seed.
func TestSamples(t *testing.T) {
	encode := func(seed uint64) []byte {
		d, err := OfRows(t.Context(), grid(MaxPoints+500), seed)
		if err != nil || d.points.len() != MaxPoints {
			t.Fatalf("got %d rows, error %v, want %d", d.points.len(), err, MaxPoints)
		}
		data, err := d.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if a := encode(1); !slices.Equal(a, encode(1)) || slices.Equal(a, encode(2)) {
		t.Error("got other rows for the same seed, or the same rows for another seed")
	}
}

// domains returns a domain of molecules and one of rows.
func domains(t *testing.T) (molecules, rows *Domain) {
	t.Helper()
	molecules, err := OfMolecules(t.Context(), generate(50, 1), 1)
	rows, failed := OfRows(t.Context(), grid(40), 1)
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	return molecules, rows
}

func TestEncoding(t *testing.T) {
	molecules, rows := domains(t)
	var seeds [][]byte
	for _, d := range []*Domain{molecules, rows} {
		data, err := d.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, data)
		var back Domain
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		f, row := generate(1, 9)[0], []float64{1, 2e-4}
		if back.Threshold() != d.Threshold() || back.Nearest(row, f) != d.Nearest(row, f) || back.Molecules() != d.Molecules() {
			t.Errorf("got threshold %g, similarity %g, want %g, %g", back.Threshold(), back.Nearest(row, f), d.Threshold(), d.Nearest(row, f))
		}
		for n := range len(data) {
			if err := back.UnmarshalBinary(data[:n]); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d of %d bytes: got error %v, want ErrDamaged", n, len(data), err)
			}
		}
	}
	recordstest.Mutate(t, 1000, seeds, func(data []byte) {
		if len(data) > 4 { // also with the right checksum
			binary.LittleEndian.PutUint32(data[len(data)-4:], crc32.ChecksumIEEE(data[:len(data)-4]))
		}
		var d Domain
		if err := d.UnmarshalBinary(data); err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("got error %v, want ErrDamaged", err)
		}
	})
}

func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OfMolecules(ctx, generate(10, 1), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
	if _, err := OfRows(ctx, grid(1), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want Canceled", err)
	}
}
