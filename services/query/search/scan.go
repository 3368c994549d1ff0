package search

import (
	"context"
	"iter"
)

// Scan iterates over the items of a table. read returns a page of rows and the cursor of the next one, which is empty after the last;
// the first page has an empty cursor. item returns the item of a row, and whether it is indexed.
func Scan[T any](read func(cursor string) (rows []T, next string, err error), item func(T) (Item, bool)) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for cursor := ""; ; {
			rows, next, err := read(cursor)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, row := range rows {
				if i, ok := item(row); ok && !yield(i, nil) {
					return
				}
			}
			if cursor = next; cursor == "" {
				return
			}
		}
	}
}

// Readings reads the rows of items together, and returns how to read the text of each. An item without a row has the zero T.
func Readings[T any](
	ctx context.Context, runs []Pending, read func(ctx context.Context, ids []string) (map[string]T, error), reading func(Pending, T) Reading,
) ([]Reading, error) {
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.ID
	}
	rows, err := read(ctx, ids)
	if err != nil {
		return nil, err
	}
	readings := make([]Reading, len(runs))
	for i, run := range runs {
		readings[i] = reading(run, rows[run.ID])
	}
	return readings, nil
}
