package records

import (
	"context"
	"slices"
	"strings"
	"sync"
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

// values are the values of a column by position. Most columns need no texts.
type values struct {
	classes []class
	keys    []uint64
	texts   []string // nil if all are ""
}

func (v *values) at(i int32) value {
	one := value{class: v.classes[i], key: v.keys[i]}
	if v.texts != nil {
		one.text = v.texts[i]
	}
	return one
}

// values returns the values of a column in the records with these ascending indexes. Texts are truncated to maxSorted.
func (f *File) values(ctx context.Context, indexes []int, c Column) (*values, error) {
	all, l := &values{classes: make([]class, len(indexes)), keys: make([]uint64, len(indexes))}, f.layout()
	var allocate sync.Once
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
				all.classes[i] = absent
				continue
			}
			v := c.value(cells[indexes[i]-l.start(chunk)])
			v.text = v.text[:min(len(v.text), maxSorted)]
			if size > maxSorted*len(cells) { // so that the large texts of the chunk can be freed
				v.text = strings.Clone(v.text)
			}
			all.classes[i], all.keys[i] = v.class, v.key
			if v.text != "" {
				allocate.Do(func() { all.texts = make([]string, len(indexes)) })
				all.texts[i] = v.text
			}
		}
		return nil
	})
	return all, err
}

// keyed is the key of the value at a position.
type keyed struct {
	key uint64
	at  int32
}

// sort sorts positions by their values, and keeps the order of equal ones.
func (s Sort) sort(all []keyed, values *values) []keyed {
	sorted, classes := make([]keyed, 0, len(all)), []class{typed, textual, absent}
	if s.Descending {
		classes = []class{textual, typed, absent}
	}
	var bounds []int // where each class begins
	for _, class := range classes {
		from := len(sorted)
		for _, k := range all {
			if values.classes[k.at] == class {
				if k.key = values.keys[k.at]; s.Descending {
					k.key = ^k.key
				}
				sorted = append(sorted, k)
			}
		}
		bounds = append(bounds, from)
	}
	for i, from := range bounds { // all is not needed any more
		to := len(sorted)
		if i+1 < len(bounds) {
			to = bounds[i+1]
		}
		radixSort(sorted[from:to], all[from:to])
		s.sortTexts(sorted[from:to], values)
	}
	return sorted
}

// sortTexts sorts positions with the same key, which are adjacent, by their texts.
func (s Sort) sortTexts(all []keyed, values *values) {
	if values.texts == nil {
		return
	}
	for from := 0; from < len(all); {
		first, to, same := values.texts[all[from].at], from+1, true
		for to < len(all) && all[to].key == all[from].key {
			same = same && values.texts[all[to].at] == first
			to++
		}
		if !same {
			slices.SortStableFunc(all[from:to], func(a, b keyed) int {
				if s.Descending {
					a, b = b, a
				}
				return values.at(a.at).compare(values.at(b.at))
			})
		}
		from = to
	}
}

// radixSort sorts by key, byte by byte, and keeps the order of equal keys. It overwrites spare, which has the same length.
func radixSort(all, spare []keyed) {
	sorted := all
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
