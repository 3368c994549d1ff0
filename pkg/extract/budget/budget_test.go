package budget_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/webpage"
)

func TestReserve(t *testing.T) {
	b := budget.New(100)
	if _, err := b.Reserve(t.Context(), 101); !errors.Is(err, budget.ErrTooLarge) || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("got %v, want ErrTooLarge with the limit", err)
	}
	release, err := b.Reserve(t.Context(), 60)
	if err != nil || b.Used() != 60 {
		t.Fatalf("got %d bytes in use and error %v, want 60 and none", b.Used(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Reserve(ctx, 60); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	release()
	if release, err = b.Reserve(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if release(); b.Used() != 0 {
		t.Errorf("got %d bytes in use, want 0", b.Used())
	}
}

// TestConcurrentPagesShareTheBudget checks that of sixteen pages that are read concurrently, only as many are in memory as
// the budget allows: two. The test of webpage.Memory measures the memory of one.
func TestConcurrentPagesShareTheBudget(t *testing.T) {
	source := []byte(strings.Repeat("<b><i><u><p>", 1_000))
	need := webpage.Memory(int64(len(source)))
	b := budget.New(2*need + need/2)
	var reading sync.WaitGroup
	var now, most atomic.Int64
	for range 16 {
		reading.Go(func() {
			release, err := b.Reserve(t.Context(), need)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			for n := now.Add(1); n > most.Load(); {
				most.Store(n)
			}
			defer now.Add(-1)
			if _, err := webpage.Read(t.Context(), source, "text/html", nil, webpage.Limits{}); err != nil {
				t.Error(err)
			}
		})
	}
	reading.Wait()
	if most.Load() > 2 || b.Used() != 0 {
		t.Errorf("got %d concurrent pages, and %d bytes in use afterwards; want at most 2 and 0", most.Load(), b.Used())
	}
}
