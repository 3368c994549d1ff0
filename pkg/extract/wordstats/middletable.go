package wordstats

// middleTable is a hash table from words of 9 to 16 bytes to counts. Most words of a large vocabulary
// have these lengths, and their table exceeds the caches. Each bucket is a cache line, so a failed
// lookup costs one cache miss, and counting the word then costs none. A word is in the bucket
// selected by the lower bits of its hash or, if that was full, in the first adjacent bucket that was
// not (see find). The number of buckets is a power of two.
type middleTable struct {
	buckets []bucket
	used    int // words
	seed    uint64
}

// bucket fills its slots in order. A zero key marks an empty slot.
type bucket struct {
	keys   [3][2]uint64
	counts [3]uint32
	_      uint32
}

const (
	bucketBytes = 64
	// bucketWords is the number of words per bucket at which the table grows.
	bucketWords = 2
	// cachedBuckets is the number of buckets that fit into the second-level caches of current processors.
	cachedBuckets = 1 << 14
	pageBytes     = 4096 // the smallest page size of all supported systems
)

func newMiddleTable(words int, seed uint64) middleTable {
	return middleTable{buckets: make([]bucket, words/bucketWords), seed: seed}
}

// add counts a key n times and reports whether it is new.
func (t *middleTable) add(key [2]uint64, n uint32) bool {
	b, i := find(t.buckets, t.seed, key)
	if b.keys[i] == key {
		b.counts[i] += n
		return false
	}
	b.keys[i], b.counts[i] = key, n
	t.used++
	if t.used > bucketWords*len(t.buckets) {
		t.grow()
	}
	return true
}

// find returns the slot of a key, or an empty slot for it. The buckets that it probes are adjacent, so
// a processor fetches them together.
func find(buckets []bucket, seed uint64, key [2]uint64) (*bucket, int) {
	mask := uint64(len(buckets) - 1)
	hash := hashMiddle(seed, key)
	for probe := uint64(0); ; probe++ {
		b := &buckets[(hash^probe)&mask]
		for i := range b.keys {
			if b.keys[i] == key || b.keys[i] == [2]uint64{} {
				return b, i
			}
		}
	}
}

// grow doubles the table. A word moves to the bucket with the same index or to the corresponding
// bucket in the upper half, so both halves are written in order.
func (t *middleTable) grow() {
	larger := make([]bucket, 2*len(t.buckets))
	// A page that is read before its first write faults twice.
	for i := 0; i < len(larger); i += pageBytes / bucketBytes {
		larger[i].counts[0] = 0
	}
	for i := range t.buckets {
		b := &t.buckets[i]
		for j, key := range b.keys {
			if key == [2]uint64{} {
				break
			}
			to, k := find(larger, t.seed, key)
			to.keys[k], to.counts[k] = key, b.counts[j]
		}
	}
	t.buckets = larger
}

// reset empties the table, or replaces it as shortTable.reset does.
func (t *middleTable) reset(words, most int) {
	capacity := bucketWords * len(t.buckets)
	switch {
	case capacity > most || capacity > words && t.used < capacity/8:
		*t = newMiddleTable(words, t.seed)
	case t.used > 0:
		clear(t.buckets)
		t.used = 0
	}
}
