package wordstats

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/wordstats/simd"
)

func TestTablesCountLikeAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	v := newVocabulary()
	for range 3 { // the same vocabulary for several texts, one of them large
		v.reset(Limits{})
		want := map[string]int64{}
		for range 200_000 {
			word := strings.Repeat("w", rng.IntN(18)) + fmt.Sprint(rng.IntN(1+rng.IntN(50_000)))
			want[word]++
			if err := v.add([]byte(word)); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]int64{}
		v.each(func(word []byte, count uint32) uint32 {
			got[string(word)] += int64(count)
			return count
		})
		if len(got) != len(want) || v.unique() != int64(len(want)) {
			t.Fatalf("got %d words, %d unique; want %d", len(got), v.unique(), len(want))
		}
		for word, count := range want {
			if got[word] != count {
				t.Fatalf("%q: got %d; want %d", word, got[word], count)
			}
		}
	}
}

// TestTablesLargerThanCaches counts words of 9 to 16 bytes in more buckets than fit into the caches.
// Word i occurs once for each set bit of i.
func TestTablesLargerThanCaches(t *testing.T) {
	const words = 3 * cachedBuckets
	var text strings.Builder
	for round := range bits.Len(words) {
		for i := 1; i <= words; i++ {
			if bits.OnesCount(uint(i)) > round {
				fmt.Fprintf(&text, "Word%0*d ", 5+i%8, i)
			}
		}
	}
	c := newCounter()
	for _, c.kernel = range simd.Kernels() {
		c.reset(Limits{})
		if err := c.countFrom(strings.NewReader(text.String())); err != nil {
			t.Fatal(err)
		}
		if n := c.vocabulary.middle.used; n != words || len(c.vocabulary.middle.buckets) <= cachedBuckets {
			t.Fatalf("%s: got %d words in %d buckets; want %d words in more than %d buckets", c.kernel.Name, n, len(c.vocabulary.middle.buckets), words, cachedBuckets)
		}
		c.vocabulary.each(func(word []byte, count uint32) uint32 {
			i, err := strconv.Atoi(strings.TrimPrefix(string(word), "word"))
			if want := bits.OnesCount(uint(i)); err != nil || int(count) != want {
				t.Fatalf("%s: %q: got %d, %v; want %d", c.kernel.Name, word, count, err, want)
			}
			return count
		})
	}
}

func TestCountsBeyond32Bits(t *testing.T) {
	v := newVocabulary()
	v.reset(Limits{})
	for _, word := range []string{"a", "middle-size", "a word of more than 16 bytes", "rare"} {
		if err := v.add([]byte(word)); err != nil {
			t.Fatal(err)
		}
	}
	const each = 1<<32 - 1
	for range 3 {
		v.each(func(word []byte, count uint32) uint32 {
			if string(word) == "rare" {
				return count
			}
			return each
		})
		v.spill()
	}
	s := v.statistics()
	if s.TotalWords != 3*3*each+1 || s.UniqueWords != 4 || s.Top10Words[0].Count != 3*each || s.Top10Words[3].Count != 1 {
		t.Errorf("got %+v, want %d words, 4 of them unique, with the counts %d and 1", s, int64(3*3*each+1), int64(3*each))
	}
}

func TestCounterIsReset(t *testing.T) {
	texts := []string{strings.Join(samples, " "), "a b", strings.Repeat("x", 100_000), "", "c"}
	c := newCounter()
	for _, c.kernel = range simd.Kernels() {
		for _, text := range texts {
			c.reset(Limits{})
			if err := c.countFrom(strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			mustEqual(t, text, c.vocabulary.statistics(), oracle(text), "count after others")
		}
		c.reset(Limits{Vocabulary: 2 * wordPlace})
		if err := c.countFrom(strings.NewReader(strings.Repeat("y", 90_000) + " z z1")); err == nil {
			t.Fatal("counting above the limit succeeded, want an error")
		}
	}
}

// TestMemoryPerWordIsBounded measures the memory of tables that have just grown.
func TestMemoryPerWordIsBounded(t *testing.T) {
	const slack = 2 << 20 // the first tables and the current block of the arena
	for _, form := range []string{"%x", "middle%08x", "a word longer than that %x"} {
		v := newVocabulary()
		v.reset(Limits{})
		before := v.memory()
		for i := range 200_000 {
			if err := v.add(fmt.Appendf(nil, form, i)); err != nil {
				t.Fatal(err)
			}
			if takes := v.memory(); takes != before {
				if limit := v.bytes + wordPlace*v.unique(); takes > limit+slack {
					t.Fatalf("%d words like %q: got %d bytes, want at most %d", i+1, form, takes, limit+slack)
				}
				before = takes
			}
		}
	}
}

// memory returns the size of the tables in bytes.
func (v *vocabulary) memory() int64 {
	sum := 12*len(v.short.Keys) + bucketBytes*len(v.middle.buckets) + 16*len(v.long.slots)
	for _, block := range v.long.arena.blocks {
		sum += cap(block)
	}
	return int64(sum)
}

func TestHashSeedsAreRandom(t *testing.T) {
	a, b := newVocabulary(), newVocabulary()
	word := []byte("a word of more than sixteen bytes")
	if simd.Hash(a.short.Seed, 'a') == simd.Hash(b.short.Seed, 'a') ||
		hashMiddle(a.middle.seed, [2]uint64{'a', 'b'}) == hashMiddle(b.middle.seed, [2]uint64{'a', 'b'}) ||
		maphash.Bytes(a.long.seed, word) == maphash.Bytes(b.long.seed, word) {
		t.Error("got equal hashes from two vocabularies, want different seeds")
	}
}

// TestSimilarWordsSpread adds similar words to a table with twice as many slots. Of random words, three
// in four would find their first slot empty.
func TestSimilarWordsSpread(t *testing.T) {
	const words, secrets = 4096, 50
	rng := rand.New(rand.NewPCG(1, 9))
	for _, form := range []string{"%08o", "%04o", "%04o%[1]04o", "a%04ob", "aaaa%04o"} {
		empty := 0
		for range secrets {
			table := newShortTable(2*words, rng.Uint64()|1)
			mask := uint64(len(table.Keys) - 1)
			for i := range words {
				var word [8]byte
				copy(word[:], fmt.Sprintf(form, i))
				key := binary.LittleEndian.Uint64(word[:])
				if table.Keys[simd.Hash(table.Seed, key)&mask] == 0 {
					empty++
				}
				table.add(key, 1)
			}
		}
		if share := float64(empty) / (words * secrets); share < 0.7 {
			t.Errorf("words like %q: got a share of %.2f with an empty first slot, want at least 0.7", form, share)
		}
	}
}
