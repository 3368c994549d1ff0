package find

import (
	"context"

	"github.com/assay-project/assay/services/query/search"
)

// Read searches an index and reads the items of the hits from the tables. read returns those with the given ids that exist, by id.
// show returns an item as a hit, and whether the caller may see it. The index forgets items of the owner that do not exist.
func Read[T any](
	ctx context.Context, s *search.Searcher, q search.Query, owner string,
	read func(context.Context, []string) (map[string]T, error), show func(T) (h Hit, visible bool, err error),
) (Page, error) {
	result, err := s.Search(ctx, q)
	if err != nil {
		return Page{}, err
	}
	items, err := read(ctx, result.IDs())
	if err != nil {
		return Page{}, err
	}
	page := PageOf(result)
	var gone []string
	for _, found := range result.Hits {
		item, exists := items[found.ID]
		if !exists {
			gone = append(gone, found.ID)
			continue
		}
		h, visible, err := show(item)
		if err != nil {
			return Page{}, err
		}
		if visible {
			h.Hit = found
			page.Hits = append(page.Hits, h)
		}
	}
	s.Forget(owner, gone...)
	return page, nil
}
