package find

import (
	"context"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
)

// Fresh waits like the parameter after of a search, for an item that a caller may see. It returns search.ErrNotReady.
func (s *Service) Fresh(ctx context.Context, i saved.Item, c web.Caller) error {
	if s.areas[i.Area] == nil {
		return nil
	}
	return s.areas[i.Area].Indexed(ctx, i.ID, c)
}

// Matches reports whether a search finds one item, and returns the item. Words with typing errors do not match. It returns
// search.ErrNotReady, and an error of package terms for a query that became invalid.
func (s *Service) Matches(ctx context.Context, query string, i saved.Item, c web.Caller) (h Hit, ok bool, err error) {
	area := s.areas[i.Area]
	if area == nil {
		return Hit{}, false, nil
	}
	q, err := queryOf(query, c)
	if err != nil {
		return Hit{}, false, err
	}
	q.Only, q.Limit = i.ID, 1
	page, err := area.Find(ctx, q, c)
	if err != nil || len(page.Hits) == 0 {
		return Hit{}, false, err
	}
	return page.Hits[0], true, nil
}

// Named is an item that was found.
type Named struct{ Area, ID, Name string }

// Best returns the best items that a search finds, at most limit, and whether there are more. It returns a problem if the query, or
// an area, is invalid.
func (s *Service) Best(ctx context.Context, query string, areas []string, limit int, c web.Caller) (all []Named, more bool, err error) {
	found, err := s.search(ctx, &searchInput{CallerParam: web.CallerParam{Caller: c}, Query: query, Area: areas, Limit: limit})
	if err != nil {
		return nil, false, err
	}
	for _, h := range found.Body.Hits {
		all = append(all, Named{h.Area, h.ID, h.Name})
	}
	return all, found.Body.NextCursor != "", nil
}

// queryOf returns the query of a caller.
func queryOf(query string, c web.Caller) (search.Query, error) {
	parsed, err := terms.Parse(query)
	return search.Query{
		Caller: search.Caller{Owner: c.Owner, Groups: c.Groups()}, Terms: parsed.Terms, Filter: parsed.Filter, Tags: parsed.Tags,
	}, err
}
