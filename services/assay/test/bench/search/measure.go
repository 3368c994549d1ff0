package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
)

// searches searches for words by their frequency in texts, as any of the
// owners.
func (s *system) searches(ctx context.Context, out io.Writer, l *contents, count int) error {
	kinds := []struct {
		name  string
		query func() string
	}{
		{"one word", func() string { return l.text(1) }},
		{"two words", func() string { return l.text(2) }},
		{"a phrase", func() string { return `"` + l.text(2) + `"` }},
		{"a beginning", func() string { return l.text(1)[:2] + "*" }},
		{"the most frequent", func() string { return l.word(0) }},
	}
	var every []time.Duration
	for _, kind := range kinds {
		var took []time.Duration
		hits := 0
		for range count / len(kinds) {
			c, err := s.client(l.owners[l.random.IntN(len(l.owners))])
			if err != nil {
				return err
			}
			q := client.Search{Query: kind.query()}
			began := time.Now()
			page, err := c.SearchLibrary(ctx, q)
			if err != nil {
				return err
			}
			took, hits = append(took, time.Since(began)), hits+page.Total
		}
		every = append(every, took...)
		fmt.Fprintf(out, "%-18s %s, %d hits each\n", kind.name, quantiles(took), hits/len(took))
	}
	fmt.Fprintf(out, "%-18s %s\n", "all", quantiles(every))
	return nil
}

func quantiles(took []time.Duration) string {
	slices.Sort(took)
	at := func(part float64) float64 {
		return took[min(len(took)-1, int(part*float64(len(took))))].Seconds() * 1e3
	}
	return fmt.Sprintf("p50 %5.1f ms, p99 %5.1f ms, max %5.1f ms", at(0.5), at(0.99), at(1))
}

// revokes revokes the shares of folders, and measures the time until no hit and no count of a search includes
// their content.
func (s *system) revokes(ctx context.Context, out io.Writer, l *contents) error {
	var took []time.Duration
	for i, folder := range l.shared {
		reader := folder.Permissions.Users[0]
		if folder.Permissions.IsPublic || reader == folder.OwnedBy || len(took) == 50 {
			continue
		}
		c, err := s.client(reader)
		if err != nil {
			return err
		}
		q := client.Search{Query: l.word(0), ParentID: folder.ID}
		before, err := c.SearchLibrary(ctx, client.Search{Query: q.Query})
		if err != nil {
			return err
		}
		inside, err := c.SearchLibrary(ctx, q)
		if err != nil {
			return err
		}
		if inside.Total == 0 {
			continue
		}
		if _, err := s.store.Share(ctx, folder.ID, false, nil, nil, library.Edit{By: l.owners[i]}); err != nil {
			return err
		}
		began := time.Now()
		for {
			now, err := c.SearchLibrary(ctx, client.Search{Query: q.Query})
			if err != nil {
				return err
			}
			if now.Total == before.Total-inside.Total {
				break
			}
		}
		took = append(took, time.Since(began))
	}
	if len(took) == 0 {
		return errors.New("no shared folder has hits")
	}
	fmt.Fprintf(out, "%-18s %s\n", "revoked and gone", quantiles(took))
	return nil
}
