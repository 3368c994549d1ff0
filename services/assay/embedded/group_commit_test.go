package embedded

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestGroupCommitCoversEarlierWrites checks that every caller of share was covered by a call that
// began after the caller's write, and that calls of one name never overlap.
func TestGroupCommitCoversEarlierWrites(t *testing.T) {
	var g groupCommit
	var written, covered, running, calls atomic.Int64
	f := func() error {
		if n := running.Add(1); n != 1 {
			t.Errorf("got %d concurrent calls, want 1", n)
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
				if err := g.share("folder", f); err != nil {
					t.Error(err)
				}
				if at := covered.Load(); at < mine {
					t.Errorf("after share: covered %d writes, want at least %d", at, mine)
				}
			}
		})
	}
	all.Wait()
	if n := calls.Load(); n > callers*each || len(g.waiting)+len(g.running) > 0 {
		t.Errorf("got %d calls and %d remaining commits, want at most %d and 0", n, len(g.waiting)+len(g.running), callers*each)
	}
}

// TestGroupCommitIsShared checks that callers that arrive during a call share one more call and its
// error, and that names are independent.
func TestGroupCommitIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g groupCommit
		end := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			if err := g.share("folder", func() error { <-end; return nil }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		broken := errors.New("the disk is unavailable")
		var calls atomic.Int64
		for range 8 {
			all.Go(func() {
				if err := g.share("folder", func() error { calls.Add(1); return broken }); !errors.Is(err, broken) {
					t.Errorf("share = %v, want %v", err, broken)
				}
			})
		}
		synctest.Wait()
		if err := g.share("other", func() error { return nil }); err != nil || calls.Load() != 0 {
			t.Errorf("got %v, and %d calls before the first ended, want none", err, calls.Load())
		}
		close(end)
		all.Wait()
		if n := calls.Load(); n != 1 {
			t.Errorf("got %d calls for the waiting callers, want 1", n)
		}
	})
}

// TestGroupCommitIncludesCallersUntilItBegins checks that a call covers all callers that joined
// before it began, and none that joined later.
func TestGroupCommitIncludesCallersUntilItBegins(t *testing.T) {
	var g groupCommit
	calls := 0
	broken := errors.New("the disk is unavailable")
	join := func(during func()) (wait func() error) {
		return g.join("folder", func() error { calls++; during(); return broken })
	}
	var late func() error
	first := join(func() { late = join(func() {}) })
	second := join(func() { t.Error("got a second call for the same commit, want one call") })
	if calls != 0 {
		t.Errorf("got %d calls before wait, want none", calls)
	}
	for i, wait := range []func() error{first, second} {
		if err := wait(); !errors.Is(err, broken) || calls != 1 {
			t.Errorf("caller %d: got %v after %d calls, want %v after one", i+1, err, calls, broken)
		}
	}
	if err := late(); !errors.Is(err, broken) || calls != 2 {
		t.Errorf("caller that joined during a call: got %v after %d calls, want %v after two", err, calls, broken)
	}
	if len(g.waiting)+len(g.running) > 0 {
		t.Errorf("got %d remaining commits, want none", len(g.waiting)+len(g.running))
	}
}
