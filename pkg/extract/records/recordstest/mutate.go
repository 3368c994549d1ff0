// Package recordstest tests parsers with damaged files.
package recordstest

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

const (
	slowest  = 5 * time.Second // time limit for one mutated file, on a busy machine
	smallest = 64 << 20        // bytes that a parser may allocate for any file
	factor   = 2_000           // additional bytes that it may allocate per byte of the file
)

// Mutate calls parse with n damaged copies of the seeds: bytes are changed, ranges are removed, repeated or
// copied from another seed, and digits are replaced by large numbers. It fails the test if a call panics, takes
// too long or allocates too much. The copies are the same in every run.
func Mutate(t *testing.T, n int, seeds [][]byte, parse func(data []byte)) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		data := Mutated(random, seeds)
		try(t, i, data, parse)
	}
}

func try(t *testing.T, i int, data []byte, parse func(data []byte)) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("file %d: got panic %v, want none\n%q", i, p, data[:min(len(data), 2_000)])
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	since := time.Now()
	parse(data)
	took := time.Since(since)
	runtime.ReadMemStats(&after)
	if took > slowest {
		t.Errorf("file %d of %d bytes: took %v, want at most %v\n%q", i, len(data), took, slowest, data[:min(len(data), 2_000)])
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > smallest+factor*uint64(len(data)) {
		t.Errorf("file %d of %d bytes: allocated %d bytes, want at most %d\n%q", i, len(data), used, smallest+factor*len(data), data[:min(len(data), 2_000)])
	}
}

// Mutated returns a damaged copy of one of the seeds.
func Mutated(random *rand.Rand, seeds [][]byte) []byte {
	data := bytes.Clone(seeds[random.IntN(len(seeds))])
	for range 1 + random.IntN(6) {
		if len(data) == 0 {
			return data
		}
		from := random.IntN(len(data))
		to := min(len(data), from+1+random.IntN(1+random.IntN(200)))
		switch random.IntN(7) {
		case 0:
			data[from] = byte(random.IntN(256))
		case 1:
			data = append(data[:from:from], data[to:]...)
		case 2:
			data = append(data[:to:to], data[from:]...)
		case 3:
			other := seeds[random.IntN(len(seeds))]
			if len(other) > 0 {
				at := random.IntN(len(other))
				data = append(append(data[:from:from], other[at:min(len(other), at+to-from)]...), data[to:]...)
			}
		case 4:
			for j := from; j < to; j++ {
				if data[j] >= '0' && data[j] <= '9' {
					data[j] = "0999-"[random.IntN(5)]
				}
			}
		case 5:
			data = data[:from]
		case 6:
			data[from] = " \n\r\t$;'\"(>-#"[random.IntN(12)]
		}
	}
	return data
}
