package simd

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowMasks computes the masks of classify byte by byte.
func slowMasks(block []byte) Masks {
	var m Masks
	for i, b := range block {
		bit := uint64(1) << i
		switch {
		case b >= 0x7F:
			m.Alien |= bit
		case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_':
			m.Word |= bit
		case b > ' ':
			m.Other |= bit
		}
	}
	return m
}

// mustClassify compares all kernels with slowMasks.
func mustClassify(t *testing.T, data []byte) {
	t.Helper()
	var got [8]Masks
	for _, k := range Kernels() {
		n := k.Classify(data, got[:len(data)/BlockSize])
		for i := range n {
			want := slowMasks(data[i*BlockSize:][:BlockSize])
			ascii := ^want.Alien
			if got[i].Word&ascii != want.Word || got[i].Other&ascii != want.Other || got[i].Alien != want.Alien {
				t.Fatalf("%s kernel: block %d of %q:\n got %064b\nwant %064b", k.Name, i, data, got[i], want)
			}
			if last := i == n-1; last != (want.Alien != 0 || i == len(data)/BlockSize-1) {
				t.Fatalf("%s kernel: got %d blocks of %q, want those up to the first alien byte", k.Name, n, data)
			}
		}
	}
}

// mustPlace compares the positions that all kernels find with the set bits.
func mustPlace(t *testing.T, changes []uint64, base int) {
	t.Helper()
	var want []uint16
	for i, change := range changes {
		for bit := range BlockSize {
			if change>>bit&1 != 0 {
				want = append(want, uint16(base+i*BlockSize+bit))
			}
		}
	}
	for _, k := range Kernels() {
		var got Edges
		if n := k.Places(changes, base, &got); !slices.Equal(got[:n], want) {
			t.Fatalf("%s kernel: positions of %x from %d: got %v, want %v", k.Name, changes, base, got[:n], want)
		}
	}
}

// mustCountShort counts the words of a text with all kernels, and compares the counts and the missed
// words with those of the portable kernel.
func mustCountShort(t *testing.T, text []byte, known *Table) {
	t.Helper()
	b, edges, finds := new(Buffer), new(Edges), new(Finds)
	copy(b[:], text)
	n := edgesOf(text, edges)
	var want []uint16
	var wanted []uint32
	for i, k := range append([]Kernel{Portable()}, Kernels()...) {
		table := *known
		table.Counts = slices.Clone(known.Counts)
		missed := finds.Missed[:k.CountShort(&table, b, edges[:n], finds)]
		if i == 0 {
			want, wanted = slices.Clone(missed), table.Counts
		}
		if !slices.Equal(missed, want) || !slices.Equal(table.Counts, wanted) {
			t.Fatalf("%s kernel: %q: got missed words %d, counts %d; want %d, %d", k.Name, text, missed, table.Counts, want, wanted)
		}
	}
}

// edgesOf stores where the runs of letters, digits and '_' of a text begin and end.
func edgesOf(text []byte, edges *Edges) (n int) {
	inside := false
	for at := 0; at <= len(text); at++ {
		word := at < len(text) && slowMasks(text[at:at+1]).Word != 0
		if word != inside {
			edges[n], inside = uint16(at), word
			n++
		}
	}
	return n
}

// knownShort returns a table with some of the words of a text. It is full enough that some words
// are not in their first slot.
func knownShort(text []byte) *Table {
	table := &Table{Seed: 0x9E3779B97F4A7C15}
	words := slices.DeleteFunc(bytes.FieldsFunc(text, func(r rune) bool { return r <= ' ' }), func(word []byte) bool { return len(word) > 8 })
	slots := uint64(16)
	for slots < 2*uint64(len(words)) {
		slots *= 2
	}
	table.Keys, table.Counts = make([]uint64, slots), make([]uint32, slots)
	for i, word := range words {
		if i%3 == 0 {
			continue
		}
		var room [8]byte
		copy(room[:], word)
		key := (binary.LittleEndian.Uint64(room[:]) | Small) & LowBytes[len(word)]
		at := Hash(table.Seed, key) & (slots - 1)
		for table.Keys[at] != 0 && table.Keys[at] != key {
			at = (at + 1) & (slots - 1)
		}
		table.Keys[at] = key
	}
	return table
}

func TestKernelsCountShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	table := knownShort(nil)
	mustCountShort(t, nil, table)
	for range 2000 {
		var text []byte
		for n := rng.IntN(ChunkSize); len(text) < n; {
			for range 1 + rng.IntN(1+rng.IntN(17)) {
				text = append(text, "aAb01_"[rng.IntN(6)])
			}
			text = append(text, ' ')
		}
		text = text[:min(len(text), ChunkSize)]
		if rng.IntN(4) == 0 {
			table = knownShort(text)
		}
		mustCountShort(t, text, table)
	}
}

func TestKernelsPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	full := make([]uint64, ChunkBlocks)
	for i := range full {
		full[i] = 1<<64 - 1
	}
	mustPlace(t, nil, 0)
	mustPlace(t, full, BufferSize-ChunkSize)
	for range 2000 {
		changes := make([]uint64, rng.IntN(ChunkBlocks+1))
		for i := range changes {
			changes[i] = rng.Uint64() & rng.Uint64() >> rng.IntN(64)
		}
		mustPlace(t, changes, rng.IntN(BufferSize-ChunkSize))
	}
}

func TestKernelsAgree(t *testing.T) {
	block := make([]byte, BlockSize)
	for b := range 256 {
		for at := range block {
			clear(block)
			block[at] = byte(b)
			mustClassify(t, block)
		}
	}
	rng := rand.New(rand.NewPCG(7, 7))
	data := make([]byte, 8*BlockSize)
	for range 2000 {
		most := 128 + rng.IntN(3)*rng.IntN(129)
		for i := range data {
			data[i] = byte(rng.IntN(most))
		}
		mustClassify(t, data)
	}
}

func FuzzKernels(f *testing.F) {
	f.Add(make([]byte, 2*BlockSize))
	f.Add([]byte("a B a_1 nine_byte eight_by THE the seventeen_bytes_17 a b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		mustClassify(t, data[:min(len(data)/BlockSize, 8)*BlockSize])
		var changes []uint64
		for at := 0; at+8 <= len(data) && len(changes) < ChunkBlocks; at += 8 {
			changes = append(changes, binary.LittleEndian.Uint64(data[at:]))
		}
		mustPlace(t, changes, len(data)%BufferSize/2)
		text := data[:min(len(data), ChunkSize)]
		mustCountShort(t, text, knownShort(text))
	})
}
