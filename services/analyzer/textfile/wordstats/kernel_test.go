package wordstats

import (
	"bytes"
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

// mustCountShort has all kernels count the words of a text, as countShort takes them,
// and compares what they missed, and their counts, with those of the portable one.
func mustCountShort(t *testing.T, text []byte, known *shortTable) {
	t.Helper()
	c := newCounter()
	copy(c.buffer[:], text)
	n, _ := c.findEdges(0, len(text))
	var want []uint16
	wanted := known.counts
	for i, k := range append([]kernel{portable()}, kernels()...) {
		table := *known
		table.counts = slices.Clone(known.counts)
		missed := c.finds.missed[:k.countShort(&table, c.buffer, c.edges[:n], &c.finds)]
		if i == 0 {
			want, wanted = slices.Clone(missed), table.counts
		}
		if !slices.Equal(missed, want) || !slices.Equal(table.counts, wanted) {
			t.Fatalf("%s kernel: of the words of %q it missed %d, want %d, or counted them otherwise", k.name, text, missed, want)
		}
	}
}

// knownShort is a table of some of the words of a text, full enough to have them in other
// slots than their first.
func knownShort(t *testing.T, text []byte) *shortTable {
	t.Helper()
	v := newVocabulary()
	v.reset(Limits{})
	v.short = newShortTable(16, v.short.seed)
	for i, word := range bytes.Fields(text) {
		word = bytes.ToLower(word)
		if i%3 != 0 && len(word) <= 8 && isAllASCII(word) {
			if err := v.add(word); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &v.short
}

func TestKernelsCountShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	table := knownShort(t, nil)
	mustCountShort(t, nil, table)
	for range 2000 {
		var text []byte
		for n := rng.IntN(chunkSize); len(text) < n; {
			for range 1 + rng.IntN(1+rng.IntN(17)) {
				text = append(text, "aAb01_"[rng.IntN(6)])
			}
			text = append(text, ' ')
		}
		text = text[:min(len(text), chunkSize)]
		if rng.IntN(4) == 0 {
			table = knownShort(t, text)
		}
		mustCountShort(t, text, table)
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
	f.Add([]byte("a B a_1 nine_byte eight_by THE the seventeen_bytes_17 a b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		mustClassify(t, data[:min(len(data)/blockSize, 8)*blockSize])
		var changes []uint64
		for at := 0; at+8 <= len(data) && len(changes) < chunkBlocks; at += 8 {
			changes = append(changes, binary.LittleEndian.Uint64(data[at:]))
		}
		mustPlace(t, changes, len(data)%bufferSize/2)
		text := data[:min(len(data), chunkSize)]
		mustCountShort(t, text, knownShort(t, text))
	})
}
