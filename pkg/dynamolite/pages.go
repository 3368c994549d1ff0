package dynamolite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
	"unsafe"

	"go.etcd.io/bbolt"
)

// bbolt trusts its pages: a damaged page can make it follow references in a circle until
// the memory is exhausted. Therefore, this package reads the tree itself in a read
// transaction, and checks in a write transaction each page that bbolt is going to use.
// A damaged page is a panic with a *pageError, which guard turns into an error.

// The layout of bbolt's pages, in bytes:
//
//	page     id 8, flags 2, number of elements 2, number of overflow pages 4, elements, data
//	branch   offset of the key from the element 4, length of the key 4, page 8
//	leaf     flags 4, offset of the key from the element 4, length of the key 4, of the value 4
//	bucket   a value: root page 8, sequence number 8, and if the root is 0, a leaf page
//
// The data is contiguous: the keys and values of all elements in their order. Numbers are
// in the byte order of the machine.
const (
	pageHeader  = 16
	elementSize = 16
	branchPage  = 1
	leafPage    = 2
	bucketValue = 1
	bucketSize  = 16
	// maxDepth is the maximum depth of a tree. A page of 4 KB has at least two elements.
	maxDepth = 64
)

// pageError is a page of bbolt's file that is not part of a valid tree.
type pageError struct {
	id      uint64
	problem string
}

func (e *pageError) Error() string {
	return fmt.Sprintf("page %d of the file is damaged: %s; restore a backup", e.id, e.problem)
}

func (e *pageError) Unwrap() error { return ErrDamaged }

// pages are the pages of bbolt's file that are committed when a transaction begins.
type pages struct {
	data []byte
	size int // of a page
}

func pagesOf(tx *bbolt.Tx) pages {
	info := tx.DB().Info()
	start := *(*unsafe.Pointer)(unsafe.Pointer(&info.Data)) // the mapping does not change during a transaction
	return pages{unsafe.Slice((*byte)(start), tx.Size()), info.PageSize}
}

// treePage is a checked page.
type treePage struct {
	id    uint64
	body  []byte // with the overflow pages
	least int    // minimum length of the used part of body
	leaf  bool
	count int
}

func (p *treePage) damaged(format string, v ...any) {
	panic(&pageError{p.id, fmt.Sprintf(format, v...)})
}

// page returns the page with this id.
func (s pages) page(id uint64) *treePage {
	p := &treePage{id: id}
	last := uint64(len(s.data) / s.size)
	if id < 2 || id >= last {
		p.damaged("it is outside the file")
	}
	p.body = s.data[id*uint64(s.size):]
	if stored := binary.NativeEndian.Uint64(p.body); stored != id {
		p.damaged("it has the number %d", stored)
	}
	overflow := uint64(binary.NativeEndian.Uint32(p.body[12:]))
	if overflow >= last-id {
		p.damaged("it has %d overflow pages", overflow)
	}
	p.body, p.least = p.body[:(overflow+1)*uint64(s.size)], int(overflow)*s.size
	p.check()
	return p
}

// check checks the header, and the first and the last element.
func (p *treePage) check() {
	flags := binary.NativeEndian.Uint16(p.body[8:])
	p.leaf, p.count = flags == leafPage, int(binary.NativeEndian.Uint16(p.body[10:]))
	switch {
	case flags != leafPage && flags != branchPage:
		p.damaged("it has the type %#x", flags)
	case pageHeader+p.count*elementSize > len(p.body):
		p.damaged("it has %d elements", p.count)
	case p.count > 0:
		p.element(0)
		p.element(p.count - 1)
	case !p.leaf || p.least > pageHeader:
		p.damaged("it has no elements")
	}
}

// element is an element of a page.
type element struct {
	key, value []byte
	bucket     bool   // the value is a bucket
	child      uint64 // on a branch page
}

// span returns an element, and the start and the end of its data.
func (p *treePage) span(i int) (e element, start, end int) {
	at := pageHeader + i*elementSize
	field := func(n int) int { return int(binary.NativeEndian.Uint32(p.body[at+4*n:])) }
	offset, key, value := field(0), field(1), 0
	if p.leaf {
		e.bucket = field(0) == bucketValue
		if field(0) > bucketValue {
			p.damaged("element %d has the flags %#x", i, field(0))
		}
		offset, key, value = field(1), field(2), field(3)
	} else {
		e.child = binary.NativeEndian.Uint64(p.body[at+8:])
	}
	start, end = at+offset, at+offset+key+value
	if key == 0 || end > len(p.body) {
		p.damaged("element %d has a key of %d bytes and a value of %d bytes at %d", i, key, value, start)
	}
	e.key, e.value = p.body[start:start+key:start+key], p.body[start+key:end:end]
	return e, start, end
}

// element returns an element after checking that its data follows that of the element
// before it.
func (p *treePage) element(i int) element {
	follows := pageHeader + p.count*elementSize
	if i > 0 {
		_, _, follows = p.span(i - 1)
	}
	e, start, end := p.span(i)
	if start != follows || i == p.count-1 && end < p.least {
		p.damaged("element %d is at %d to %d, after %d", i, start, end, follows)
	}
	return e
}

// search returns the index of the first element of a leaf page whose key is not less
// than key, or of the element of a branch page whose child can have the key.
func (p *treePage) search(key []byte) int {
	at := sort.Search(p.count, func(i int) bool { return bytes.Compare(p.element(i).key, key) >= 0 })
	if !p.leaf && at > 0 && (at == p.count || !bytes.Equal(p.element(at).key, key)) {
		at--
	}
	return at
}

func (p *treePage) first([]byte) int { return 0 }

func (p *treePage) last([]byte) int { return max(0, p.count-1) }

// inline returns the page of a small bucket, which is in the value of the bucket.
func inline(value []byte, id uint64) *treePage {
	p := &treePage{id: id, body: value[bucketSize:]}
	if len(p.body) < pageHeader || binary.NativeEndian.Uint16(p.body[8:]) != leafPage {
		p.damaged("a bucket in it has no page")
	}
	p.least = len(p.body)
	p.check()
	return p
}
