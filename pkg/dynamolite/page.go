package dynamolite

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"go.etcd.io/bbolt"
)

// maxPage is the maximum size of a page of Query or Scan, in bytes of items
// read.
const maxPage = 1 << 20

// reader reads one page of a table or of one of its indexes.
type reader struct {
	table      *table
	index      *index // nil to read the table itself
	first, end []byte // the range of keys from first up to, but excluding, end; nil means unbounded
	start      []byte // key of the last item of the previous page; nil for the first page
	backward   bool
	limit      int // maximum number of items read; 0 means no limit
	filter     expr.Condition
	project    func(attr.Item) attr.Item // projects items that pass the filter; nil if they are only counted
	asStored   bool                      // every item is returned in full: there is no filter and no projection
	// fetch makes a local secondary index return complete items.
	fetch bool
}

// page is the result of a reader.
type page struct {
	items   []byte // JSON, separated by commas
	count   int    // number of items that passed the filter
	scanned int    // number of items read
	size    int    // size of the items read, in bytes
	last    attr.Item
}

// read reads until the end of the range, the limit or maxPage. The page's last is
// set unless the end of the range was reached.
func (r *reader) read(tx *bbolt.Tx) (page, error) {
	var p page
	name := bucketName('i', r.table.ID)
	if r.index != nil {
		name = bucketName('x', r.index.ID)
	}
	bucket := bucketOf(tx, name)
	if bucket == nil {
		return p, errTableChanged
	}
	cursor := bucket.Cursor()
	next := cursor.Next
	if r.backward {
		next = cursor.Prev
	}
	for key, stored := r.seek(cursor); key != nil && r.inside(key); key, stored = next() {
		stored, err := r.stored(tx, key, stored)
		if err != nil {
			return p, err
		}
		if err := r.take(&p, stored); err != nil {
			return p, fmt.Errorf("entry %x of table %s: %w", key, r.table.Name, err)
		}
		if p.scanned == r.limit || p.size >= maxPage {
			item, err := attr.DecodeItem(stored)
			p.last = r.keyOf(item)
			return p, err
		}
	}
	return p, nil
}

// stored returns the encoded item of an entry.
func (r *reader) stored(tx *bbolt.Tx, key, stored []byte) ([]byte, error) {
	value, err := unseal(key, stored)
	if err != nil || r.index == nil {
		return value, err
	}
	items := bucketOf(tx, bucketName('i', r.table.ID))
	if items == nil {
		return nil, errTableChanged
	}
	item, err := lookup(items, value)
	if err == nil && item == nil {
		err = damaged(key) // the entry refers to a missing item
	}
	return item, err
}

// take adds a stored item to the page.
func (r *reader) take(p *page, stored []byte) (err error) {
	p.scanned++
	if r.asStored {
		var size int
		p.count++
		p.items, size, err = attr.AppendStored(p.comma(), stored)
		p.size += size
		return err
	}
	item, err := attr.DecodeItem(stored)
	if err != nil {
		return err
	}
	if r.index != nil && !r.fetch {
		item = r.index.project(r.table, item)
	}
	p.size += attr.Size(item)
	if r.filter.Eval(item) {
		p.count++
		if r.project != nil {
			p.items = r.project(item).AppendJSON(p.comma())
		}
	}
	return nil
}

// minFree is the minimum free space in a page's buffer before an item is appended,
// in bytes.
const minFree = 4 << 10

// comma returns the page's buffer, ready for the next item to be appended. It doubles
// a full buffer: with append alone, the bytes of a page of 1 MB would be copied about
// four times.
func (p *page) comma() []byte {
	if cap(p.items)-len(p.items) < minFree {
		p.items = slices.Grow(p.items, len(p.items)+minFree)
	}
	if len(p.items) == 0 {
		return p.items
	}
	return append(p.items, ',')
}

func (r *reader) seek(cursor *cursor) (key, stored []byte) {
	if !r.backward {
		if r.start == nil {
			return cursor.Seek(r.first)
		}
		key, stored = cursor.Seek(r.start)
		if bytes.Equal(key, r.start) {
			return cursor.Next()
		}
		return key, stored
	}
	end := r.end
	if r.start != nil {
		end = r.start
	}
	if end == nil {
		return cursor.Last()
	}
	if key, _ = cursor.Seek(end); key == nil {
		return cursor.Last()
	}
	return cursor.Prev()
}

func (r *reader) inside(key []byte) bool {
	if r.backward {
		return bytes.Compare(key, r.first) >= 0
	}
	return r.end == nil || bytes.Compare(key, r.end) < 0
}

// keyOf returns the key attributes with which a read continues after item.
func (r *reader) keyOf(item attr.Item) attr.Item {
	return item.Part(func(name string) bool { return r.table.Key.has(name) || r.index != nil && r.index.Key.has(name) })
}

// startAt makes the reader continue after an ExclusiveStartKey.
func (r *reader) startAt(key attr.Item) error {
	if key == nil {
		return nil
	}
	bad := invalid("The provided starting key is invalid")
	if err := key.Validate(); err != nil {
		return err
	}
	wanted := map[string]attr.Kind{}
	for _, a := range r.table.Key.attributes() {
		wanted[a.Name] = a.Kind
	}
	if r.index != nil {
		for _, a := range r.index.Key.attributes() {
			wanted[a.Name] = a.Kind
		}
	}
	if len(key) != len(wanted) {
		return bad
	}
	for name, kind := range wanted {
		if key.Of(name).Kind != kind {
			return bad
		}
	}
	r.start = r.table.Key.encode(key)
	if r.index != nil {
		if r.start = r.index.entry(key, r.start); r.start == nil {
			return bad
		}
	}
	return nil
}

// readOutput is the response of Query and Scan.
type readOutput struct {
	page
	counted  bool // Select is COUNT: the response has no items
	consumed *consumedCapacity
}

// responseFrame is the approximate size of a response without its items, in bytes.
const responseFrame = 1024

// AppendJSON appends the response as JSON.
func (o readOutput) AppendJSON(dst []byte) []byte {
	dst = slices.Grow(dst, len(o.items)+responseFrame)
	dst = strconv.AppendInt(append(dst, `{"Count":`...), int64(o.count), 10)
	dst = strconv.AppendInt(append(dst, `,"ScannedCount":`...), int64(o.scanned), 10)
	if !o.counted {
		dst = append(dst, `,"Items":[`...)
		dst = append(append(dst, o.items...), ']')
	}
	if o.last != nil {
		dst = o.last.AppendJSON(append(dst, `,"LastEvaluatedKey":`...))
	}
	return append(appendMember(dst, "ConsumedCapacity", o.consumed), '}')
}
