package dynamolite

import (
	"bytes"
	"slices"
)

// tree is the committed tree of a bucket.
type tree struct {
	pages pages
	root  uint64
	small *treePage // the page of a small bucket, which has no root

	sequence uint64 // of the bucket
}

// treePath is a place in a tree: the pages from the root to a leaf.
type treePath struct {
	tree  *tree
	stack []place
}

// place is an element of a page.
type place struct {
	page  *treePage
	index int
	high  []byte // the keys of the page are less; nil means no bound
}

// pick chooses an element of a page.
type pick func(p *treePage, key []byte) int

// find returns the position of the leaf that can have the key. On the leaf, the index
// can be that after the last element.
func (t *tree) find(key []byte, choose pick) treePath {
	at := treePath{tree: t, stack: make([]place, 0, 4)}
	top := t.small
	if top == nil {
		top = t.pages.page(t.root)
	}
	at.enter(top, nil, nil, key, choose)
	return at
}

// has reports whether the tree has an entry with the key.
func (t *tree) has(key []byte) bool {
	at := t.find(key, (*treePage).search)
	e, ok := at.current()
	return ok && bytes.Equal(e.key, key)
}

// enter descends from a page whose keys are from low up to, but excluding, high.
func (at *treePath) enter(p *treePage, low, high, key []byte, choose pick) {
	for {
		if len(at.stack) == maxDepth {
			p.damaged("the tree is too deep")
		}
		if p.count > 0 && (bytes.Compare(p.element(0).key, low) < 0 || high != nil && bytes.Compare(p.element(p.count-1).key, high) >= 0) {
			p.damaged("it has keys of another page")
		}
		i := choose(p, key)
		at.stack = append(at.stack, place{p, i, high})
		if p.leaf {
			return
		}
		p, low, high = at.child(len(at.stack)-1, i)
	}
}

// child returns the child of an element of a branch page, and the range of its keys.
func (at *treePath) child(level, i int) (p *treePage, low, high []byte) {
	parent := at.stack[level]
	e := parent.page.element(i)
	if high = parent.high; i+1 < parent.page.count {
		high = parent.page.element(i + 1).key
	}
	return at.tree.pages.page(e.child), e.key, high
}

// leaf returns the innermost place.
func (at *treePath) leaf() *place { return &at.stack[len(at.stack)-1] }

// current returns the element at the position. ok is false after the last element of a
// leaf.
func (at *treePath) current() (e element, ok bool) {
	leaf := at.leaf()
	if leaf.index >= leaf.page.count {
		return e, false
	}
	return leaf.page.element(leaf.index), true
}

// move moves by one element, forward or backward. It returns false at the end.
func (at *treePath) move(step int, choose pick) bool {
	for level := len(at.stack) - 1; level >= 0; level-- {
		from := &at.stack[level]
		i := from.index + step
		if i < 0 || i >= from.page.count {
			continue
		}
		from.index = i
		if from.page.leaf {
			return true
		}
		at.stack = at.stack[:level+1]
		p, low, high := at.child(level, i)
		at.enter(p, low, high, nil, choose)
		if p := at.leaf().page; p.count > 0 {
			return true
		}
		level = len(at.stack) // skips an empty leaf
	}
	return false
}

func (at *treePath) next() bool { return at.move(1, (*treePage).first) }

func (at *treePath) previous() bool { return at.move(-1, (*treePage).last) }

// around checks the pages that bbolt uses when it goes to the position, moves by one
// element, or changes the tree there.
func (t *tree) around(key []byte, choose pick) {
	at := t.find(key, choose)
	for level, p := range at.stack[:len(at.stack)-1] {
		for _, i := range []int{p.index - 1, p.index + 1} {
			if i >= 0 && i < p.page.count {
				at.child(level, i)
			}
		}
	}
	next, previous := at.clone(), at.clone()
	next.leaf().index = next.leaf().page.count - 1
	next.next()
	previous.leaf().index = 0
	previous.previous()
}

func (at *treePath) clone() treePath { return treePath{at.tree, slices.Clone(at.stack)} }

// visit calls f for every page and every element of the leaves.
func (t *tree) visit(visited func(*treePage), f func(*treePage, element)) {
	top := t.small
	if top == nil {
		top = t.pages.page(t.root)
	}
	t.visitFrom(top, nil, nil, 0, visited, f)
}

func (t *tree) visitFrom(p *treePage, low, high []byte, depth int, visited func(*treePage), f func(*treePage, element)) {
	if depth == maxDepth {
		p.damaged("the tree is too deep")
	}
	visited(p)
	for i := range p.count {
		e := p.element(i)
		if bytes.Compare(e.key, low) < 0 || i > 0 && bytes.Equal(e.key, low) || high != nil && bytes.Compare(e.key, high) >= 0 {
			p.damaged("element %d is not in order", i)
		}
		low = e.key
		if p.leaf {
			f(p, e)
			continue
		}
		end := high
		if i+1 < p.count {
			end = p.element(i + 1).key
		}
		t.visitFrom(t.pages.page(e.child), e.key, end, depth+1, visited, f)
	}
}
