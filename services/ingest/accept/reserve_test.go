package accept_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/outage"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// shelf is an area whose items are texts. An idempotency key may name its item by the id, or by an entry of keys.
type shelf struct {
	items map[string]string
	keys  map[string]string
	made  int
	err   error // of Create
}

// reservation returns a reservation whose ids are derived from the key, or new for each call.
func (s *shelf) reservation(key, text string, derived bool) accept.Reservation[string] {
	r := accept.Reservation[string]{
		Owner: "ann", Key: key,
		ID: func(context.Context) (string, error) {
			s.made++
			if derived && key != "" {
				return "id of " + key, nil
			}
			return fmt.Sprintf("id %d", s.made), nil
		},
		Counted: func(id string) []quota.Item { return []quota.Item{{Area: "shelf", ID: id, Bytes: 10}} },
		Find: func(_ context.Context, id string) (string, error) {
			if item, ok := s.items[id]; ok {
				return item, nil
			}
			return "", lifecycle.ErrNotFound
		},
		Create: func(_ context.Context, id string) (string, error) {
			if s.err != nil {
				return "", s.err
			}
			if _, used := s.keys[key]; used || s.items[id] != "" {
				return "", fmt.Errorf("create: %w", lifecycle.ErrExists)
			}
			s.items[id] = text
			if !derived && key != "" {
				s.keys[key] = id
			}
			return text, nil
		},
		Same: func(item string) bool { return item == text },
	}
	if !derived {
		r.First = func(ctx context.Context, _ string) (string, error) { return r.Find(ctx, s.keys[key]) }
	}
	return r
}

// TestReserve checks what a repeated call gets, and that exactly the items that exist count toward quotas, whether ids are
// derived from idempotency keys or not.
func TestReserve(t *testing.T) {
	for _, derived := range []bool{true, false} {
		t.Run(fmt.Sprintf("derived ids %t", derived), func(t *testing.T) {
			s, shared := &shelf{items: map[string]string{}, keys: map[string]string{}}, openShared(t, "items=2")
			for _, step := range []struct {
				what, key, text string
				err             error // of Create
				want            error
				created         bool
				items           int64 // that count
			}{
				{"the first call", "k", "one", nil, nil, true, 1},
				{"the same call", "k", "one", nil, nil, false, 1},
				{"other parameters", "k", "two", nil, accept.ErrOtherRequest, false, 1},
				{"an item that is refused", "", "three", errRefused, errRefused, false, 1},
				{"an item that is refused, with a key", "l", "three", errRefused, errRefused, false, 1},
				{"an unknown outcome", "m", "four", &outage.Error{Backend: outage.DynamoDB, Err: errRefused}, errRefused, false, 2},
				{"a full quota", "n", "five", nil, errExceeded, false, 2},
				{"the first call again", "k", "one", nil, nil, false, 2},
			} {
				s.err = step.err
				item, created, err := accept.Reserve(t.Context(), shared, s.reservation(step.key, step.text, derived))
				if _, ok := errors.AsType[*quota.ExceededError](err); ok {
					err = errExceeded
				}
				if !errors.Is(err, step.want) || created != step.created || err == nil && item != step.text {
					t.Errorf("%s: got item %q, created %t, error %v; want %q, %t, %v", step.what, item, created, err, step.text, step.created, step.want)
				}
				if usage, err := shared.Quotas.Usage(t.Context(), "ann", shared.Quotas.Of("ann")); err != nil || usage.Use == nil || usage.Use.Items != step.items {
					t.Errorf("%s: got usage %+v, error %v; want %d items", step.what, usage.Use, err, step.items)
				}
			}
		})
	}
}

var (
	errRefused  = errors.New("the parent is in the trash")
	errExceeded = errors.New("a quota is exceeded")
)

// TestReserveWaits checks that an item whose id belonged to a deleted one is not returned while late content of that one is
// being deleted.
func TestReserveWaits(t *testing.T) {
	s, shared := &shelf{items: map[string]string{}, keys: map[string]string{}}, openShared(t, "")
	const id = "id of k"
	if err := shared.Withdrawn.Add(t.Context(), "shelf", id, time.Now()); err != nil {
		t.Fatal(err)
	}
	absent := func(context.Context) (bool, error) { return false, nil }
	removed := false
	err := shared.Withdrawn.Clear(t.Context(), "shelf", id, absent, func(ctx context.Context) error {
		removed = true
		for _, created := range []bool{true, false} { // a repeated call waits too
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			_, made, err := accept.Reserve(ctx, shared, s.reservation("k", "one", true))
			cancel()
			if made != created || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("during the deletion: got created %t, error %v, want %t and one that it took too long", made, err, created)
			}
		}
		return nil
	})
	if err != nil || !removed {
		t.Fatalf("removed = %t, error %v", removed, err)
	}
	if item, created, err := accept.Reserve(t.Context(), shared, s.reservation("k", "one", true)); item != "one" || created || err != nil {
		t.Errorf("after the deletion: got item %q, created %t, error %v, want the item", item, created, err)
	}
}

func openShared(t *testing.T, limits string) accept.Shared {
	t.Helper()
	db, _ := tabletest.Start(t)
	settings := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(settings).Tables); err != nil {
		t.Fatal(err)
	}
	return accept.Shared{Quotas: quota.New(quota.Config{Quotas: limits}, settings, db, zerolog.Nop()), Withdrawn: withdrawn.New(platform.NewStore(db, settings))}
}
