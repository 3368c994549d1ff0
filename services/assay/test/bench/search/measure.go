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
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// searches measures several kinds of queries by random owners. The words of a query have the same
// distribution as those of the texts.
func (s *system) searches(ctx context.Context, out io.Writer, l *contents, count int) error {
	kinds := []struct {
		name  string
		query func() string
	}{
		{"one word", func() string { return l.text(1) }},
		{"two words", func() string { return l.text(2) }},
		{"a phrase", func() string { return `"` + l.text(2) + `"` }},
		{"a prefix", func() string { return l.text(1)[:2] + "*" }},
		{"most frequent word", func() string { return l.word(0) }},
		{"a field", func() string { return "name:" + l.text(1) }},
		{"a typing error", func() string { return l.misspelled() }},
	}
	var every, everyCPU []time.Duration
	for _, kind := range kinds {
		var took, used []time.Duration
		hits := 0
		for range count / len(kinds) {
			c, err := s.client(l.owners[l.random.IntN(len(l.owners))])
			if err != nil {
				return err
			}
			q := client.Search{Query: kind.query()}
			before, err := paired.OwnCPU()
			if err != nil {
				return err
			}
			began := time.Now()
			page, err := c.SearchLibrary(ctx, q)
			if err != nil {
				return err
			}
			took, hits = append(took, time.Since(began)), hits+page.Total
			after, err := paired.OwnCPU()
			if err != nil {
				return err
			}
			used = append(used, time.Duration((after-before)*float64(time.Second)))
		}
		every, everyCPU = append(every, took...), append(everyCPU, used...)
		fmt.Fprintf(out, "%-18s %s; CPU %s; %d hits each\n", kind.name, quantiles(took), quantiles(used), hits/len(took))
	}
	fmt.Fprintf(out, "%-18s %s; CPU %s\nload %s\n", "all", quantiles(every), quantiles(everyCPU), paired.Load())
	return nil
}

func quantiles(took []time.Duration) string {
	slices.Sort(took)
	at := func(part float64) float64 {
		return took[min(len(took)-1, int(part*float64(len(took))))].Seconds() * 1e3
	}
	return fmt.Sprintf("p50 %5.1f ms, p99 %5.1f ms, max %5.1f ms", at(0.5), at(0.99), at(1))
}

// revokedTime is the time after which the measurement fails if the content of a revoked share is still found.
const revokedTime = 30 * time.Second

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
		every := client.Search{Query: l.word(0)}
		inside, err := c.SearchLibrary(ctx, client.Search{Query: every.Query, ParentID: folder.ID})
		if err != nil {
			return err
		}
		if inside.Total == 0 {
			continue
		}
		found, err := c.SearchLibrary(ctx, every)
		if err != nil {
			return err
		}
		most := found.Total - inside.Total // the folder itself may be found as well
		if _, err := s.store.Share(ctx, folder.ID, false, nil, nil, library.Edit{By: l.owners[i]}); err != nil {
			return err
		}
		began := time.Now()
		for found.Total > most {
			if time.Since(began) > revokedTime {
				return fmt.Errorf("%d nodes are found %s after a share was revoked, want at most %d", found.Total, revokedTime, most)
			}
			if found, err = c.SearchLibrary(ctx, every); err != nil {
				return err
			}
		}
		took = append(took, time.Since(began))
	}
	if len(took) == 0 {
		return errors.New("no shared folder has hits")
	}
	fmt.Fprintf(out, "%-18s %s\n", "revoked share not found", quantiles(took))
	return nil
}
