package wordstats

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
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
	for _, k := range kernels() {
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

// mustPlace compares the places that all kernels find with the bits that are set.
func mustPlace(t *testing.T, changes []uint64, base int) {
	t.Helper()
	var want []uint16
	for i, change := range changes {
		for bit := range blockSize {
			if change>>bit&1 != 0 {
				want = append(want, uint16(base+i*blockSize+bit))
			}
		}
	}
	for _, k := range kernels() {
		var got edges
		if n := k.places(changes, base, &got); !slices.Equal(got[:n], want) {
			t.Fatalf("%s kernel: the places of %x from %d are %v, want %v", k.name, changes, base, got[:n], want)
		}
	}
}

func TestKernelsFindPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	full := make([]uint64, chunkBlocks)
	for i := range full {
		full[i] = 1<<64 - 1
	}
	mustPlace(t, nil, 0)
	mustPlace(t, full, bufferSize-chunkSize)
	for range 2000 {
		changes := make([]uint64, rng.IntN(chunkBlocks+1))
		for i := range changes {
			changes[i] = rng.Uint64() & rng.Uint64() >> rng.IntN(64)
		}
		mustPlace(t, changes, rng.IntN(bufferSize-chunkSize))
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
		var changes []uint64
		for at := 0; at+8 <= len(data) && len(changes) < chunkBlocks; at += 8 {
			changes = append(changes, binary.LittleEndian.Uint64(data[at:]))
		}
		mustPlace(t, changes, len(data)%bufferSize/2)
	})
}
