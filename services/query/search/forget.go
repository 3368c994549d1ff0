package search

import (
	"context"
	"time"
)

// maxGone is the number of items that wait until they are forgotten.
const maxGone = 1000

// Forget removes items that are not in the tables any more from the index, without waiting for it. Items that cannot be
// removed soon are found, and forgotten, again.
func (s *Searcher) Forget(owner string, ids ...string) {
	for _, id := range ids {
		select {
		case s.gone <- Item{ID: id, Owner: owner, Removed: true, Changed: time.Now()}:
		default:
			return
		}
	}
}

// forget removes items from an index until ctx is done.
func (s *Searcher) forget(ctx context.Context, index Index) {
	for {
		var gone []Item
		select {
		case <-ctx.Done():
			return
		case item := <-s.gone:
			gone = append(gone, item)
		}
		for more := true; more && len(gone) < applyBatch; {
			select {
			case item := <-s.gone:
				gone = append(gone, item)
			default:
				more = false
			}
		}
		if err := s.remove(ctx, index, gone); err != nil && ctx.Err() == nil {
			s.o.Log.Warn().Err(err).Msg("deleted items remain in the search index until they are found again")
		}
	}
}

func (s *Searcher) remove(ctx context.Context, index Index, gone []Item) error {
	if shared, is := index.(SharedIndex); is {
		return shared.Forget(ctx, gone)
	}
	s.write.Lock()
	defer s.write.Unlock()
	sequence, built, err := index.Position(ctx)
	if err != nil || !built {
		return err
	}
	return index.Apply(ctx, gone, sequence)
}
