package dynamolite

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

// bucketName returns the name of a bucket of a table, an index or a stream: one
// letter and the ID.
//
//	i<table>   storage key → item
//	x<index>   index key + storage key → storage key
//	e<table>   expiry (8 bytes, epoch seconds) + storage key → nothing
//	r<stream>  sequence number (8 bytes) → record
//	b<backup>  storage key → item, or nothing for an item that did not exist when the backup began
//
// All numbers are big-endian, so that they sort numerically. Values begin with
// their checksums (seal.go).
func bucketName(kind byte, id uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 9), kind), id)
}

// countsBucket stores, by table ID, the number of items and the number of bytes (8
// bytes each).
var countsBucket = []byte("counts")

// writeTx is the bbolt transaction of a group of requests. Requests run
// sequentially, and each one sees the writes of the earlier ones.
type writeTx struct {
	tx      *bbolt.Tx
	now     time.Time
	tables  catalog
	changed bool // whether the group has written anything
	intact  bool // whether the last change has failed without writing anything
	counts  map[uint64]*counts
	// journal is the record of the writes of put, remove and push. A group that
	// also writes in other ways is structural, and does not use it.
	journal    []byte
	structural bool
	// late contains the tokens of this group, and before those of earlier groups
	// since the last checkpoint. Both are nil without a journal.
	late, before map[string][]byte
}

// restructure marks the group as structural, because a request writes in ways
// other than put, remove and push.
func (w *writeTx) restructure() {
	w.changed, w.structural = true, true
}

func (w *writeTx) note(kind byte, bucket, key, value []byte) {
	w.changed = true
	if !w.structural {
		w.journal = appendOperation(w.journal, kind, bucket, key, value)
	}
}

func (w *writeTx) put(bucket, key, value []byte) error {
	return w.putSealed(bucket, key, seal(key, value))
}

func (w *writeTx) putSealed(bucket, key, stored []byte) error {
	w.note(opPut, bucket, key, stored)
	return bucketOf(w.tx, bucket).Put(key, stored)
}

func (w *writeTx) remove(bucket, key []byte) error {
	w.note(opDelete, bucket, key, nil)
	return bucketOf(w.tx, bucket).Delete(key)
}

// push stores value under the bucket's next sequence number.
func (w *writeTx) push(name, value []byte) error {
	bucket := bucketOf(w.tx, name)
	sequence, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	key := binary.BigEndian.AppendUint64(nil, sequence)
	stored := seal(key, value)
	w.note(opAppend, name, key, stored)
	bucket.FillPercent = 1 // keys only grow
	return bucket.Put(key, stored)
}

// move stores value under the key to and removes the key from. Either is nil if
// there is no such entry.
func (w *writeTx) move(bucket, from, to, value []byte) error {
	if string(from) == string(to) {
		return nil
	}
	if from != nil {
		if err := w.remove(bucket, from); err != nil {
			return err
		}
	}
	if to == nil {
		return nil
	}
	return w.put(bucket, to, value)
}

// counts is the size of a table, or a change to it.
type counts struct{ items, bytes int64 }

// current returns errTableChanged unless t is the current definition.
func (w *writeTx) current(t *table) error {
	if w.tables[t.Name] != t {
		return errTableChanged
	}
	return nil
}

// readItem returns the item under key, or nil if there is none, and the length of
// its stored form.
func readItem(tx *bbolt.Tx, t *table, key []byte) (item attr.Item, size int, err error) {
	bucket := bucketOf(tx, bucketName('i', t.ID))
	if bucket == nil {
		return nil, 0, errTableChanged
	}
	value, err := lookup(bucket, key)
	if err == nil && value != nil {
		item, err = attr.DecodeItem(value)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("item %x of table %s: %w", key, t.Name, err)
	}
	return item, len(value), nil
}

// replace writes one item, its index entries, its expiry and its stream record. It
// replaces before with after under key; either is nil if there is no item. size is the
// length of the stored form of before. If the item does not change, nothing is
// written. service marks a deletion by TTL.
func (w *writeTx) replace(t *table, key []byte, before, after attr.Item, size int, service bool) error {
	if before == nil && after == nil || before != nil && after != nil && before.Equal(after) {
		return nil
	}
	if t.Copying != 0 {
		if err := w.preserve(t, key); err != nil {
			return err
		}
	}
	items := bucketName('i', t.ID)
	count := w.count(t.ID)
	if before != nil {
		count.items--
		count.bytes -= int64(len(key) + size)
	}
	if after != nil {
		stored := attr.EncodeItem(make([]byte, sealSize, sealSize+attr.Size(after)+8*len(after)), after)
		count.items++
		count.bytes += int64(len(key) + len(stored) - sealSize)
		if err := w.putSealed(items, key, sealIn(key, stored)); err != nil {
			return err
		}
	} else if err := w.remove(items, key); err != nil {
		return err
	}
	for _, ix := range t.Indexes {
		if err := w.move(bucketName('x', ix.ID), ix.entry(before, key), ix.entry(after, key), key); err != nil {
			return err
		}
	}
	if t.TTL != "" {
		if err := w.move(bucketName('e', t.ID), expiryEntry(t.TTL, before, key), expiryEntry(t.TTL, after, key), []byte{}); err != nil {
			return err
		}
	}
	if t.Stream != nil && t.Stream.open() {
		return w.record(t, before, after, service)
	}
	return nil
}

func (w *writeTx) count(id uint64) *counts {
	c, ok := w.counts[id]
	if !ok {
		c = &counts{}
		w.counts[id] = c
	}
	return c
}

// flushCounts adds the changes to the stored sizes.
func (w *writeTx) flushCounts() error {
	bucket := bucketOf(w.tx, countsBucket)
	for id, change := range w.counts {
		key := binary.BigEndian.AppendUint64(nil, id)
		size, err := readCounts(bucket, key)
		if err != nil {
			return err
		}
		value := binary.BigEndian.AppendUint64(nil, uint64(size.items+change.items))
		value = binary.BigEndian.AppendUint64(value, uint64(size.bytes+change.bytes))
		if err := w.put(countsBucket, key, value); err != nil {
			return err
		}
	}
	return nil
}

// readCounts returns the entry of countsBucket for a table.
func readCounts(bucket *bucket, key []byte) (counts, error) {
	value, err := lookup(bucket, key)
	if err != nil || len(value) != 16 {
		return counts{}, err
	}
	return counts{
		items: int64(binary.BigEndian.Uint64(value)),
		bytes: int64(binary.BigEndian.Uint64(value[8:])),
	}, nil
}
