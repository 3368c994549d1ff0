package feed

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/query/trace"
)

// Trace returns what the primary table contains about an item.
func (a *Area) Trace(ctx context.Context, id string) (trace.Item, error) {
	i, err := a.store.Get(ctx, id)
	if err != nil {
		return trace.Item{}, err
	}
	ingested, err := i.Ingested()
	analyzed, analyzedErr := i.Analyzed()
	failed, failedErr := i.Failed()
	if err := errors.Join(err, analyzedErr, failedErr); err != nil {
		return trace.Item{}, fmt.Errorf("parse the times of %s: %w", id, err)
	}
	item := trace.Item{Name: i.SourceURL, State: string(i.Status), Error: i.ErrorMessage}
	item.Add(ingested, "ingested, by its own statement or on arrival")
	item.Add(analyzed, "analyzed with model "+i.ModelVersion)
	item.Add(failed, "given up")
	return item, nil
}

// WorkSubjects returns the subject of the work events of an item.
func (a *Area) WorkSubjects(id string) string { return feed.AcceptedSubject(id) }
