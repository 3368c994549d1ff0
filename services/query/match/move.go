package match

import (
	"context"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/services/query/search"
)

// moved handles a change of the name or the folder of a file.
func (s *Service) moved(ctx context.Context, d bus.Delivery) error {
	var changed event.NodeChanged
	if err := d.Unmarshal(d.Data, &changed); err != nil {
		return bus.Permanent(err)
	}
	i := saved.Item{Area: saved.MovedArea(d.Subject), ID: changed.NodeId}
	return s.compare(ctx, d.Owner, i, saved.Cause{ID: d.ID, At: d.Time}, func(query string) bool {
		parsed, err := terms.Parse(query)
		return err == nil && (changed.PreviousParentId != "" && parsed.Filter.In != "" ||
			changed.PreviousName != "" && namesMatter(parsed, changed.PreviousName, changed.Name))
	})
}

// namesMatter reports whether a file can begin to match a query because its name has changed: the new name has words of the query that the old
// one did not have, or lacks excluded ones, or has another extension.
func namesMatter(q terms.Parsed, before, after string) bool {
	if q.Filter.Format != "" && terms.FormatOf(before) != terms.FormatOf(after) {
		return true
	}
	for _, t := range q.Terms.In("name") {
		gained := t
		gained.Not, gained.Field = false, ""
		had, has := contains(before, gained), contains(after, gained)
		if had != has && has != t.Not {
			return true
		}
	}
	return false
}

func contains(name string, t terms.Term) bool {
	return len(search.Mark(name, search.FormsIn(name, terms.Terms{t}))) > 0
}
