package fingerprint

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/records/recordstest"
)

// chunk returns the fingerprints of n records, every 5th of which has none. One is empty, one has all bits.
func chunk(n int) Chunk {
	random := rand.New(rand.NewPCG(1, 2))
	c := Chunk{Engine: "RDKit 1"}
	for i := range n {
		if i%5 == 0 {
			c.All = append(c.All, nil)
			continue
		}
		f := &Fingerprint{}
		for range []int{0, 40, 400}[i%3] {
			f.Set(random.IntN(Bits))
		}
		c.All = append(c.All, f)
	}
	full := &Fingerprint{}
	for i := range full {
		full[i] = ^uint64(0)
	}
	c.All = append(c.All, full)
	return c
}

func TestChunksRoundTrip(t *testing.T) {
	for _, c := range []Chunk{chunk(100), {Engine: strings.Repeat("x", 255)}, {All: []*Fingerprint{nil}}} {
		data, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(data)
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("got %d fingerprints of %q, error %v, want the %d of %q", len(back.All), back.Engine, err, len(c.All), c.Engine)
		}
	}
	for _, c := range []Chunk{{Engine: strings.Repeat("x", 256)}, {All: make([]*Fingerprint, MaxChunk+1)}} {
		if _, err := c.Encode(); err == nil {
			t.Errorf("%d fingerprints: got no error, want one", len(c.All))
		}
	}
}

// TestDamagedChunks checks that damaged bytes are errors, also if their checksum is right, and take little time and memory.
func TestDamagedChunks(t *testing.T) {
	data, err := chunk(100).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(data) {
		if _, err := Decode(data[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: got error %v, want ErrDamaged", n, len(data), err)
		}
	}
	recordstest.Mutate(t, 2000, [][]byte{data}, func(damaged []byte) {
		if _, err := Decode(damaged); err == nil && string(damaged) != string(data) {
			t.Errorf("%d damaged bytes: got no error, want one", len(damaged))
		}
		if len(damaged) > 4 {
			binary.LittleEndian.PutUint32(damaged[len(damaged)-4:], crc32.ChecksumIEEE(damaged[:len(damaged)-4]))
		}
		if c, err := Decode(damaged); err == nil && len(c.All) > len(damaged) {
			t.Errorf("%d bytes: got %d fingerprints", len(damaged), len(c.All))
		}
	})
}

func TestSimilarity(t *testing.T) {
	a, b := &Fingerprint{}, &Fingerprint{}
	if got := a.Similarity(b); got != 1 {
		t.Errorf("two empty fingerprints: got %g, want 1", got)
	}
	for _, bit := range []int{0, 63, 64, 2047} {
		a.Set(bit)
	}
	for _, bit := range []int{63, 64, 1000} {
		b.Set(bit)
	}
	if got := a.Similarity(b); got != 2.0/5 || a.Count() != 4 || !a.Has(2047) || a.Has(1) {
		t.Errorf("got similarity %g, %d bits, want 0.4, 4", got, a.Count())
	}
}

func TestParse(t *testing.T) {
	text := "1" + strings.Repeat("0", Bits-2) + "1"
	f, err := Parse(text)
	if err != nil || f.Count() != 2 || !f.Has(0) || !f.Has(Bits-1) {
		t.Errorf("got %v, error %v, want the first and the last bit", f, err)
	}
	for _, bad := range []string{"", text[1:], text[1:] + "2"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%d bits: got no error, want one", len(bad))
		}
	}
}

// TestSequence checks that fingerprints are found in chunks of any length, in ascending order and again from the start, and that
// a chunk is read once for records in order.
func TestSequence(t *testing.T) {
	all, ends := chunk(99).All, []int{40, 40, 90, 100}
	last, reads := errors.New("no such chunk"), 0
	s := Sequence{Get: func(_ context.Context, number int) (Chunk, error) {
		if reads++; number >= len(ends) {
			return Chunk{}, last
		}
		start := 0
		if number > 0 {
			start = ends[number-1]
		}
		return Chunk{All: all[start:ends[number]]}, nil
	}}
	for range 2 {
		for i := 0; i < len(all); i += 3 {
			if f, err := s.At(t.Context(), i); err != nil || f != all[i] {
				t.Fatalf("record %d: got %v, error %v, want %v", i, f, err, all[i])
			}
		}
	}
	if reads != 2*len(ends) {
		t.Errorf("got %d reads, want %d", reads, 2*len(ends))
	}
	for range 2 {
		if f, err := s.At(t.Context(), len(all)); !errors.Is(err, last) {
			t.Errorf("beyond the last record: got %v, error %v, want that of Get", f, err)
		}
	}
	if f, err := s.At(t.Context(), 41); err != nil || f != all[41] {
		t.Errorf("after an error: got %v, error %v, want record 41", f, err)
	}
	if _, err := s.At(t.Context(), -1); err == nil {
		t.Error("record -1: got no error, want one")
	}
}
