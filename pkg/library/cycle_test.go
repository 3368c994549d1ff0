package library

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

var races = flag.Int("races", 200, "how many times two moves run concurrently")

// Of two concurrent moves, A into B and B into A, exactly one succeeds.
func TestConcurrentMovesFormNoCycle(t *testing.T) {
	const pairs = 10
	rounds := max(1, *races/pairs)
	r := open(t)
	var all sync.WaitGroup
	for pair := range pairs {
		a, b := r.folder(fmt.Sprint("a", pair), ""), r.folder(fmt.Sprint("b", pair), "")
		all.Go(func() {
			for range rounds {
				if err := r.race(a.ID, b.ID); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// race concurrently moves two folders of the root into each other, and then moves both back. It returns an error
// unless exactly one move succeeds and both folders stay below the root.
func (r *rig) race(a, b string) error {
	var all sync.WaitGroup
	errs := make([]error, 2)
	start := make(chan struct{})
	for i, m := range [][2]string{{a, b}, {b, a}} {
		all.Go(func() {
			<-start
			_, errs[i] = r.Move(r.t.Context(), m[0], m[1], ann)
		})
	}
	close(start)
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), ErrCycle) {
		return fmt.Errorf("got errors %w, want one success and one ErrCycle", errors.Join(errs...))
	}
	for _, id := range []string{a, b} {
		path, err := r.Path(r.t.Context(), id)
		if err != nil {
			return err
		}
		if path.Trashed() {
			return fmt.Errorf("got %s in the trash, want it below the root", id)
		}
		if _, err := r.Move(r.t.Context(), id, "", ann); err != nil {
			return err
		}
	}
	return nil
}

// Concurrent moves, trashes and restores of a few folders leave each of them below the root or in the trash.
func TestConcurrentEditsPreserveTree(t *testing.T) {
	r := open(t)
	var folders []string
	for i := range 6 {
		folders = append(folders, r.folder(fmt.Sprint(i), "").ID)
	}
	var all sync.WaitGroup
	for worker := range 6 {
		random := rand.New(rand.NewPCG(7, uint64(worker)))
		all.Go(func() {
			for range 60 {
				id, to := folders[random.IntN(len(folders))], folders[random.IntN(len(folders))]
				var err error
				switch random.IntN(5) {
				case 0:
					_, err = r.Trash(t.Context(), id, ann)
				case 1, 2:
					_, err = r.Restore(t.Context(), id, ann)
				default:
					_, err = r.Move(t.Context(), id, to, ann)
				}
				for _, expected := range []error{ErrCycle, ErrTrashed, ErrNotTrashed, ErrBusy} {
					if errors.Is(err, expected) {
						err = nil
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, id := range folders {
		path, err := r.Path(t.Context(), id)
		if err != nil || len(path) > len(folders)+1 {
			t.Errorf("%s: got a path of %d nodes, error %v, want at most %d nodes", id, len(path), err, len(folders)+1)
		}
	}
}
