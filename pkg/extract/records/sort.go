package records

import (
	"context"
	"slices"
	"strings"
)

// A Sort is one criterion of an order of records.
type Sort struct {
	Column
	Descending bool
}

// MaxSorts is the maximum number of criteria.
const MaxSorts = 5

// ParseSort returns the criteria with these names, which are resolved like those of a Filter. A name after a minus sign sorts
// in descending order. The error is an UnknownFieldError.
func ParseSort(names []string, columns []Column) ([]Sort, error) {
	var order []Sort
	for _, name := range names {
		c, found := Find(name, columns)
		rest, descending := strings.CutPrefix(name, "-")
		if !found && descending {
			c, found = Find(rest, columns)
			name = rest
		} else {
			descending = false
		}
		if !found {
			return nil, &UnknownFieldError{name, columns}
		}
		order = append(order, Sort{c, descending})
	}
	return order, nil
}

// maxSorted is the number of bytes of a text by which records are sorted.
const maxSorted = 128

// sort returns indexes, which ascend, in an order. Numbers precede texts, and records without a value are last, also in
// descending order. Records with equal values remain in the order of the file. Sorting is stable, so the last criterion is
// applied first.
func (f *File) sort(ctx context.Context, indexes []int, order []Sort) ([]int, error) {
	all := make([]keyed, len(indexes))
	for i := range all {
		all[i].at = int32(i)
	}
	for _, s := range slices.Backward(order) {
		values, err := f.values(ctx, indexes, s.Column)
		if err != nil {
			return nil, err
		}
		all = s.sort(all, values)
	}
	sorted := make([]int, len(all))
	for i := range all {
		sorted[i] = indexes[all[i].at]
	}
	return sorted, nil
}

// values returns the values of a column in the records with these ascending indexes. Texts are truncated to maxSorted.
func (f *File) values(ctx context.Context, indexes []int, c Column) ([]value, error) {
	values, l := make([]value, len(indexes)), f.layout()
	err := f.each(ctx, func(ctx context.Context, chunk int) error {
		from, to := l.part(indexes, chunk)
		if from == to {
			return nil
		}
		o, err := f.open(ctx, chunk)
		if err != nil {
			return err
		}
		cells, err := o.column(ctx, columnKey{c.Name, c.Property})
		if err != nil {
			return err
		}
		size := 0
		for _, cell := range cells {
			size += len(cell)
		}
		for i := from; i < to; i++ {
			if cells == nil {
				values[i].class = absent
				continue
			}
			v := c.value(cells[indexes[i]-l.start(chunk)])
			v.text = v.text[:min(len(v.text), maxSorted)]
			if size > maxSorted*len(cells) { // so that the large texts of the chunk can be freed
				v.text = strings.Clone(v.text)
			}
			values[i] = v
		}
		return nil
	})
	return values, err
}

// keyed is the key of the value at a position.
type keyed struct {
	key uint64
	at  int32
}

// sort sorts positions by their values, and keeps the order of equal ones.
func (s Sort) sort(all []keyed, values []value) []keyed {
	sorted, classes := make([]keyed, 0, len(all)), []class{typed, textual, absent}
	if s.Descending {
		classes = []class{textual, typed, absent}
	}
	for _, class := range classes {
		from := len(sorted)
		for _, k := range all {
			if v := &values[k.at]; v.class == class {
				if k.key = v.key; s.Descending {
					k.key = ^k.key
				}
				sorted = append(sorted, k)
			}
		}
		s.sortKeys(sorted[from:], values)
	}
	return sorted
}

// sortKeys sorts positions by their keys, and those with the same key by their values.
func (s Sort) sortKeys(all []keyed, values []value) {
	radixSort(all)
	for from := 0; from < len(all); {
		first, to, same := &values[all[from].at].text, from+1, true
		for to < len(all) && all[to].key == all[from].key {
			same = same && values[all[to].at].text == *first
			to++
		}
		if !same {
			slices.SortStableFunc(all[from:to], func(a, b keyed) int {
				if s.Descending {
					a, b = b, a
				}
				return values[a.at].compare(values[b.at])
			})
		}
		from = to
	}
}

// radixSort sorts by key, byte by byte, and keeps the order of equal keys.
func radixSort(all []keyed) {
	sorted, spare := all, make([]keyed, len(all))
	for shift := 0; shift < 64; shift += 8 {
		var counts [256]int
		for i := range all {
			counts[byte(all[i].key>>shift)]++
		}
		if len(all) == 0 || counts[byte(all[0].key>>shift)] == len(all) {
			continue
		}
		at := 0
		for b, n := range counts {
			counts[b] = at
			at += n
		}
		for i := range all {
			b := byte(all[i].key >> shift)
			spare[counts[b]] = all[i]
			counts[b]++
		}
		all, spare = spare, all
	}
	copy(sorted, all)
}
