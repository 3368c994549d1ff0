package wordstats

import (
	"math/rand/v2"
	"testing"
)

// slowMasks is what classify must find, byte by byte.
func slowMasks(block []byte) masks {
	var m masks
	for i, b := range block {
		bit := uint64(1) << i
		switch {
		case b >= 0x7F:
			m.alien |= bit
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_':
			m.word |= bit
		case b > ' ':
			m.other |= bit
		}
	}
	return m
}

// mustClassify compares all kernels with slowMasks.
func mustClassify(t *testing.T, data []byte) {
	t.Helper()
	var got [8]masks
	for _, k := range []kernel{{"portable", classify}, fastestKernel()} {
		n := k.classify(data, got[:len(data)/blockSize])
		for i := range n {
			want := slowMasks(data[i*blockSize:][:blockSize])
			ascii := ^want.alien
			if got[i].word&ascii != want.word || got[i].other&ascii != want.other || got[i].alien != want.alien {
				t.Fatalf("%s kernel: block %d of %q:\n got %064b\nwant %064b", k.name, i, data, got[i], want)
			}
			if last := i == n-1; last != (want.alien != 0 || i == len(data)/blockSize-1) {
				t.Fatalf("%s kernel: stopped at block %d of %q", k.name, n, data)
			}
		}
	}
}

func TestKernelsAgree(t *testing.T) {
	block := make([]byte, blockSize)
	for b := range 256 {
		for at := range block {
			clear(block)
			block[at] = byte(b)
			mustClassify(t, block)
		}
	}
	rng := rand.New(rand.NewPCG(7, 7))
	data := make([]byte, 8*blockSize)
	for range 2000 {
		most := 128 + rng.IntN(3)*rng.IntN(129)
		for i := range data {
			data[i] = byte(rng.IntN(most))
		}
		mustClassify(t, data)
	}
}

func FuzzKernels(f *testing.F) {
	f.Add(make([]byte, 2*blockSize))
	f.Fuzz(func(t *testing.T, data []byte) {
		mustClassify(t, data[:min(len(data)/blockSize, 8)*blockSize])
	})
}
