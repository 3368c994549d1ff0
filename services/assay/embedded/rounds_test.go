package embedded

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestRoundsCoverEarlierWrites checks that every caller of share was covered by a call that
// began after the caller's write, and that calls of one name never overlap.
func TestRoundsCoverEarlierWrites(t *testing.T) {
	var r rounds
	var written, covered, running, calls atomic.Int64
	f := func() error {
		if running.Add(1) != 1 {
			t.Error("two concurrent calls")
		}
		defer running.Add(-1)
		calls.Add(1)
		seen := written.Load()
		for old := covered.Load(); old < seen && !covered.CompareAndSwap(old, seen); old = covered.Load() {
			continue
		}
		return nil
	}
	var all sync.WaitGroup
	const callers, each = 16, 500
	for range callers {
		all.Go(func() {
			for range each {
				mine := written.Add(1)
				if err := r.share("folder", f); err != nil {
					t.Error(err)
				}
				if at := covered.Load(); at < mine {
					t.Errorf("number %d was written, but only %d is covered", mine, at)
				}
			}
		})
	}
	all.Wait()
	if n := calls.Load(); n > callers*each || len(r.waiting)+len(r.under) > 0 {
		t.Errorf("%d calls, and %d rounds remain", n, len(r.waiting)+len(r.under))
	}
}

// TestRoundsAreShared checks that callers that arrive during a call share one more call and its
// error, and that names are independent.
func TestRoundsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r rounds
		end := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			if err := r.share("folder", func() error { <-end; return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		broken := errors.New("the disk is unavailable")
		var calls atomic.Int64
		for range 8 {
			all.Go(func() {
				if err := r.share("folder", func() error { calls.Add(1); return broken }); !errors.Is(err, broken) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		if err := r.share("other", func() error { return nil }); err != nil || calls.Load() != 0 {
			t.Errorf("%v, and %d calls before the first ended", err, calls.Load())
		}
		close(end)
		all.Wait()
		if n := calls.Load(); n != 1 {
			t.Errorf("%d calls for the waiting callers, want 1", n)
		}
	})
}

// TestRoundsIncludeCallersUntilTheyBegin checks that a call covers all callers that joined
// before it began, and none that joined later.
func TestRoundsIncludeCallersUntilTheyBegin(t *testing.T) {
	var r rounds
	calls := 0
	broken := errors.New("the disk is unavailable")
	join := func(during func()) (need func() error) {
		return r.join("folder", func() error { calls++; during(); return broken })
	}
	var late func() error
	first := join(func() { late = join(func() {}) })
	second := join(func() { t.Error("called again for the same round") })
	if calls != 0 {
		t.Errorf("%d calls before the first was needed", calls)
	}
	for i, need := range []func() error{first, second} {
		if err := need(); !errors.Is(err, broken) || calls != 1 {
			t.Errorf("number %d: %v after %d calls, want one", i+1, err, calls)
		}
	}
	if err := late(); !errors.Is(err, broken) || calls != 2 {
		t.Errorf("a caller that joined during a call: %v after %d calls, want two", err, calls)
	}
	if len(r.waiting)+len(r.under) > 0 {
		t.Errorf("%d rounds remain", len(r.waiting)+len(r.under))
	}
}
