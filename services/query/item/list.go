package item

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// list is a list of the items of areas.
type list struct {
	areas  []owned
	area   string // the only area; empty for all
	status Status // the only status; empty for all
}

// owned is an area in a list.
type owned struct {
	Owned
	name string
}

// owned returns the areas whose items have owners: the one with a name, or all of them. names are those of all.
func (s *Service) owned(name string) (areas []owned, names []string) {
	for _, a := range s.areas {
		area, ok := a.Area.(Owned)
		if !ok {
			continue
		}
		if names = append(names, a.name); name == "" || name == a.name {
			areas = append(areas, owned{area, a.name})
		}
	}
	return areas, names
}

// page reads a page of the items of an owner, newest first, and returns the cursor of the next one. It may contain fewer items
// than limit, or none, without being the last. An item that exists while all pages are read is in exactly one of them. It returns
// table.ErrCursor for a cursor of another list.
func (l list) page(ctx context.Context, owner string, limit int32, text string) ([]entry, string, error) {
	at, err := l.parseCursor(text)
	if err != nil {
		return nil, "", err
	}
	q := selection{owner: owner, limit: limit, status: l.status, before: at.before()}
	var sources []*source
	reads, reading := errgroup.WithContext(ctx)
	for _, a := range l.areas {
		from, continues := at.Lists[a.name]
		if !continues {
			continue
		}
		s := &source{area: a, name: a.name, from: from}
		sources = append(sources, s)
		reads.Go(func() error {
			if err := s.fill(reading, q); err != nil {
				return fmt.Errorf("list the items of %s: %w", s.name, err)
			}
			return nil
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, "", err
	}
	page := merge(sources, int(limit))
	next, err := at.next(page, sources)
	return page, next, err
}
