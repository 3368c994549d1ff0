package search

import "iter"

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
