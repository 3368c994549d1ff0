package dynamolite

import (
	"bytes"
	"strconv"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"go.etcd.io/bbolt"
)

// maxPage is where a page of Query or Scan ends, in bytes of items read.
const maxPage = 1 << 20

// reader reads one page of a table, or of an index of it.
type reader struct {
	table      *table
	index      *index // nil: the table itself
	first, end []byte // the range of keys, end excluded; nil is open
	start      []byte // key of the last item of the page before; nil: none
	backward   bool
	limit      int // of items read; 0: none
	filter     expr.Condition
	project    func(attr.Item) attr.Item // of items that pass the filter; nil: they are only counted
	// fetch makes a local secondary index answer with whole items.
	fetch bool
}

// page is what a reader has read.
type page struct {
	items   []attr.Item
	count   int // of items that passed the filter
	scanned int // of items read
	size    int // of items read, in bytes
	last    attr.Item
}

// read reads until the range, the limit or maxPage ends. last is set unless
// the range has ended.
func (r *reader) read(tx *bbolt.Tx) (page, error) {
	var p page
	name := bucketName('i', r.table.ID)
	if r.index != nil {
		name = bucketName('x', r.index.ID)
	}
	bucket := tx.Bucket(name)
	if bucket == nil {
		return p, errTableChanged
	}
	cursor := bucket.Cursor()
	next := cursor.Next
	if r.backward {
		next = cursor.Prev
	}
	for key, stored := r.seek(cursor); key != nil && r.inside(key); key, stored = next() {
		item, err := r.item(tx, key, stored)
		if err != nil {
			return p, err
		}
		p.scanned++
		p.size += attr.Size(item)
		if r.filter.Eval(item) {
			p.count++
			if r.project != nil {
				p.items = append(p.items, r.project(item))
			}
		}
		if p.scanned == r.limit || p.size >= maxPage {
			p.last = r.keyOf(item)
			return p, nil
		}
	}
	return p, nil
}

func (r *reader) seek(cursor *bbolt.Cursor) (key, stored []byte) {
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

// item returns the item of an entry as the table or index shows it.
func (r *reader) item(tx *bbolt.Tx, key, stored []byte) (attr.Item, error) {
	if r.index == nil {
		return attr.DecodeItem(stored)
	}
	item, err := readItem(tx, r.table, stored)
	if err != nil || r.fetch {
		return item, err
	}
	return r.index.project(r.table, item), nil
}

// keyOf returns the key attributes that continue after item.
func (r *reader) keyOf(item attr.Item) attr.Item {
	key := r.table.Key.of(item)
	if r.index != nil {
		for _, a := range r.index.Key.attributes() {
			key[a.Name] = item[a.Name]
		}
	}
	return key
}

// startAt sets the reader to continue after an ExclusiveStartKey.
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
		if key[name].Kind != kind {
			return bad
		}
	}
	r.start = r.table.Key.encode(key)
	if r.index != nil {
		r.start = r.index.entry(key, r.start)
	}
	return nil
}

// readOutput answers Query and Scan.
type readOutput struct {
	page
	counted  bool // Select is COUNT: no items
	consumed *consumedCapacity
}

// AppendJSON appends the answer.
func (o readOutput) AppendJSON(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"Count":`...), int64(o.count), 10)
	dst = strconv.AppendInt(append(dst, `,"ScannedCount":`...), int64(o.scanned), 10)
	if !o.counted {
		dst = append(dst, `,"Items":[`...)
		for i, item := range o.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		dst = append(dst, ']')
	}
	if o.last != nil {
		dst = o.last.AppendJSON(append(dst, `,"LastEvaluatedKey":`...))
	}
	return append(appendMember(dst, "ConsumedCapacity", o.consumed), '}')
}
