package dynamolite

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// bucket is a bucket in a transaction.
type bucket struct {
	*bbolt.Bucket       // nil in a read transaction
	tree          *tree // nil if the bucket was created in this transaction
}

// rootOf returns the tree of all buckets.
func rootOf(tx *bbolt.Tx) *tree {
	return &tree{pages: pagesOf(tx), root: uint64(tx.Cursor().Bucket().Root())}
}

// bucketOf returns the bucket with this name, or nil if there is none.
func bucketOf(tx *bbolt.Tx, name []byte) *bucket {
	root := rootOf(tx)
	at := root.find(name, (*treePage).search)
	b := &bucket{}
	if e, ok := at.current(); ok && bytes.Equal(e.key, name) {
		b.tree = treeOf(root.pages, at.leaf().page, e)
	}
	if !tx.Writable() {
		if b.tree == nil {
			return nil
		}
		return b
	}
	if b.Bucket = tx.Bucket(name); b.Bucket == nil {
		return nil
	}
	return b
}

// treeOf returns the tree of a bucket that is an element of a page.
func treeOf(all pages, p *treePage, e element) *tree {
	if !e.bucket || len(e.value) < bucketSize {
		p.damaged("element %x is not a bucket", e.key)
	}
	t := &tree{pages: all, root: binary.NativeEndian.Uint64(e.value), sequence: binary.NativeEndian.Uint64(e.value[8:])}
	if t.root == 0 {
		t.small = inline(e.value, p.id)
	}
	return t
}

// createBucket creates a bucket.
func createBucket(tx *bbolt.Tx, name []byte) error {
	rootOf(tx).around(name, (*treePage).search)
	_, err := tx.CreateBucket(name)
	return err
}

// deleteBucket removes a bucket with its entries.
func deleteBucket(tx *bbolt.Tx, name []byte) error {
	rootOf(tx).around(name, (*treePage).search)
	if b := bucketOf(tx, name); b != nil && b.tree != nil {
		b.tree.visit(func(*treePage) {}, func(*treePage, element) {})
	}
	return tx.DeleteBucket(name)
}

func (b *bucket) around(key []byte, choose pick) {
	if b.tree != nil {
		b.tree.around(key, choose)
	}
}

// Sequence returns the last sequence number of the bucket.
func (b *bucket) Sequence() uint64 {
	if b.Bucket == nil {
		return b.tree.sequence
	}
	return b.Bucket.Sequence()
}

// Put stores an entry.
func (b *bucket) Put(key, stored []byte) error {
	if b.tree != nil {
		b.tree.find(key, (*treePage).search)
	}
	return b.Bucket.Put(key, stored)
}

// Delete removes an entry.
func (b *bucket) Delete(key []byte) error {
	b.around(key, (*treePage).search)
	return b.Bucket.Delete(key)
}

// Get returns the stored form of an entry, or nil if there is none.
func (b *bucket) Get(key []byte) []byte {
	if found, stored := b.Cursor().Seek(key); bytes.Equal(found, key) {
		return stored
	}
	return nil
}

// ForEach calls f for each entry.
func (b *bucket) ForEach(f func(key, stored []byte) error) error {
	cursor := b.Cursor()
	for key, stored := cursor.First(); key != nil; key, stored = cursor.Next() {
		if err := f(key, stored); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the number of entries in a read transaction.
func (b *bucket) entries() (n int64) {
	b.tree.visit(func(*treePage) {}, func(*treePage, element) { n++ })
	return n
}

// eachBucket calls f for each bucket in a read transaction.
func eachBucket(tx *bbolt.Tx, f func(name []byte, b *bucket) error) (err error) {
	root := rootOf(tx)
	root.visit(func(*treePage) {}, func(p *treePage, e element) {
		if err == nil {
			err = f(e.key, &bucket{tree: treeOf(root.pages, p, e)})
		}
	})
	return err
}

// Cursor returns a cursor of the bucket.
func (b *bucket) Cursor() *cursor {
	c := &cursor{bucket: b}
	if b.Bucket != nil {
		c.bolt = b.Bucket.Cursor()
	}
	return c
}

// cursor moves over the entries of a bucket. Without an entry, its methods return a nil
// key.
type cursor struct {
	bucket *bucket
	bolt   *bbolt.Cursor // moves in a write transaction, which sees its own writes
	at     treePath      // in a read transaction
	key    []byte        // of the present entry
}

// First moves to the first entry.
func (c *cursor) First() (key, stored []byte) {
	if c.bolt == nil {
		return c.start(nil, (*treePage).first)
	}
	c.bucket.around(nil, (*treePage).first)
	return c.on(c.bolt.First())
}

// Last moves to the last entry.
func (c *cursor) Last() (key, stored []byte) {
	if c.bolt == nil {
		return c.start(nil, (*treePage).last)
	}
	c.bucket.around(nil, (*treePage).last)
	return c.on(c.bolt.Last())
}

// Seek moves to the first entry whose key is not less than key.
func (c *cursor) Seek(key []byte) (found, stored []byte) {
	if c.bolt == nil {
		return c.start(key, (*treePage).search)
	}
	// If this transaction has removed the key, Delete has checked the pages around it.
	if t := c.bucket.tree; t != nil && !t.has(key) {
		t.around(key, (*treePage).search)
	}
	return c.on(c.bolt.Seek(key))
}

// Next moves to the next entry.
func (c *cursor) Next() (key, stored []byte) {
	if c.bolt == nil {
		return c.entry(c.at.next(), 1)
	}
	c.bucket.around(c.key, (*treePage).search)
	return c.on(c.bolt.Next())
}

// Prev moves to the previous entry.
func (c *cursor) Prev() (key, stored []byte) {
	if c.bolt == nil {
		return c.entry(c.at.previous(), -1)
	}
	c.bucket.around(c.key, (*treePage).search)
	return c.on(c.bolt.Prev())
}

func (c *cursor) on(key, stored []byte) ([]byte, []byte) {
	c.key = key
	return key, stored
}

func (c *cursor) start(key []byte, choose pick) ([]byte, []byte) {
	c.at, c.key = c.bucket.tree.find(key, choose), nil
	_, ok := c.at.current()
	return c.entry(ok || c.at.next(), 1)
}

// entry returns the entry at the position, after a move in the given direction.
func (c *cursor) entry(moved bool, step int) (key, stored []byte) {
	if !moved {
		return nil, nil
	}
	e, _ := c.at.current()
	if e.bucket || c.key != nil && bytes.Compare(e.key, c.key) != step {
		c.at.leaf().page.damaged("element %d is not in order", c.at.leaf().index)
	}
	c.key = e.key
	return e.key, e.value
}

// checkTree checks the pages of all buckets, but not the checksums of the entries.
func checkTree(tx *bbolt.Tx, length int64) error {
	if tx.Size() > length {
		return fmt.Errorf("%w: the file has %d bytes, but its pages have %d", ErrDamaged, length, tx.Size())
	}
	root := rootOf(tx)
	used := make([]bool, len(root.pages.data)/root.pages.size)
	visited := func(p *treePage) {
		for i := range len(p.body) / root.pages.size { // none for the page of a small bucket
			if used[int(p.id)+i] {
				p.damaged("two pages refer to it")
			}
			used[int(p.id)+i] = true
		}
	}
	root.visit(visited, func(p *treePage, e element) {
		treeOf(root.pages, p, e).visit(visited, func(p *treePage, e element) {
			if e.bucket {
				p.damaged("it has a bucket in a bucket")
			}
		})
	})
	return nil
}
