package records

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
)

// each calls do for the chunks of the file, up to maxAhead of them concurrently.
func (f *File) each(ctx context.Context, do func(ctx context.Context, chunk int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxAhead)
	for chunk := range f.layout().chunks() {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error { return do(ctx, chunk) })
	}
	return group.Wait()
}

// Select returns the indexes of all records that match filter, or of all records if it is nil, in an order. Without an order
// they ascend. It reads only the columns that the filter and the order refer to. Memory is bounded by 220 bytes per
// record of the file.
func (f *File) Select(ctx context.Context, filter *Filter, order []Sort) ([]int, error) {
	var found []int
	if filter == nil {
		found = make([]int, f.Total)
		for i := range found {
			found[i] = i
		}
	} else {
		parts := make([][]int, f.layout().chunks())
		err := f.each(ctx, func(ctx context.Context, chunk int) (err error) {
			parts[chunk], err = f.matchChunk(ctx, chunk, filter)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			found = append(found, part...)
		}
	}
	if len(order) == 0 || len(found) == 0 {
		return found, nil
	}
	return f.sort(ctx, found, order)
}

// Read returns the records with these indexes, in their order, reduced to the parts that the query requests.
func (f *File) Read(ctx context.Context, indexes []int, q Query) ([]Record, error) {
	ascending := slices.Clone(indexes)
	slices.Sort(ascending)
	ascending = slices.Compact(ascending)
	read, err := f.records(ctx, ascending, q)
	if err != nil {
		return nil, err
	}
	found := make([]Record, len(indexes))
	for i, index := range indexes {
		at, _ := slices.BinarySearch(ascending, index)
		found[i] = read[at]
	}
	return found, nil
}

// part returns the range of the indexes, which ascend, that lie in a chunk.
func (l layout) part(indexes []int, chunk int) (from, to int) {
	from, _ = slices.BinarySearch(indexes, l.start(chunk))
	to, _ = slices.BinarySearch(indexes, l.start(chunk+1))
	return from, to
}
