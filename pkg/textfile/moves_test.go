package textfile

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/lifecycle"
)

// makers contains the method of the store that makes a move, by the move's name.
var makers = map[string]func(*Store, context.Context, File) (File, error){
	"claim":     (*Store).Claim,
	"takeOver":  (*Store).TakeOver,
	"complete":  func(s *Store, ctx context.Context, f File) (File, error) { return s.Complete(ctx, f, seedResult) },
	"fail":      func(s *Store, ctx context.Context, f File) (File, error) { return s.Fail(ctx, f, "it is a PDF") },
	"retry":     (*Store).Retry,
	"reanalyze": func(s *Store, ctx context.Context, f File) (File, error) { return s.move(ctx, reanalyze, f, File{}) },
}

// TestRetryAsKeepsTheCharset: the charset is stored in both items, outlasts later moves, and declares the charset of the work.
func TestRetryAsKeepsTheCharset(t *testing.T) {
	d := open(t)
	for _, from := range []lifecycle.State{Completed, Failed} {
		again, err := d.RetryAs(t.Context(), d.file(from), "koi8-r")
		if err != nil || again.Status != Pending || again.Charset != "koi8-r" || again.Result != nil || !again.Retried() {
			t.Errorf("from %s: got %+v, error %v, want a PENDING file without a result, to be read as koi8-r", from, again, err)
		}
		claimed, err := d.Claim(t.Context(), again)
		if err == nil {
			_, err = d.Fail(t.Context(), claimed, "it is a PDF")
		}
		if err != nil {
			t.Fatal(err)
		}
		meta, history := seedItems(Failed, 1795176000000)
		meta["charset"], history["charset"] = "koi8-r", "koi8-r"
		meta["updatedAt"], history["updatedAt"] = 1795176000002.0, 1795176000002.0
		d.expect(meta, history)
	}
	for uploaded, want := range map[string]string{
		"text/plain": "text/plain; charset=koi8-r", "text/csv; charset=utf-8; header=present": "text/csv; charset=koi8-r; header=present",
		"": "text/plain; charset=koi8-r", "text/html;;": "text/plain; charset=koi8-r",
	} {
		if got := (File{Charset: "koi8-r"}).ContentType(uploaded); got != want {
			t.Errorf("content type %q: got %q, want %q", uploaded, got, want)
		}
	}
	if got := (File{}).ContentType("a;;"); got != "a;;" {
		t.Errorf("without a charset: got %q, want the content type as uploaded", got)
	}
}

func TestEveryMoveFromEveryState(t *testing.T) {
	if len(makers) != len(Machine().Moves) {
		t.Fatalf("got %d makers, want one for each of %d moves", len(makers), len(Machine().Moves))
	}
	d := open(t)
	for _, move := range Machine().Moves {
		for _, from := range Machine().States() {
			allowed := slices.Contains(move.From, from)
			t.Run(move.Name+" from "+string(from), func(t *testing.T) {
				d.t = t
				before := d.file(from)
				after, err := makers[move.Name](d.Store, t.Context(), before)
				if !allowed {
					var moved *lifecycle.MovedError
					if !errors.As(err, &moved) || moved.Found != from || moved.Move != move.Name {
						t.Errorf("got %v, want a MovedError that found %s", err, from)
					}
					d.expect(seedItems(from, 1795175500000))
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				meta, history := seedItems(move.To, 1795176000000)
				if move.Name == reanalyze.Name { // the next move removes the result
					done, _ := seedItems(Completed, 0)
					meta["result"] = done["result"]
					after.Result = &seedResult
				}
				d.expect(meta, history)
				read, err := d.Get(t.Context(), "f1")
				if err != nil || read.Status != after.Status || read.UpdatedAt != after.UpdatedAt || read.ErrorMessage != after.ErrorMessage ||
					(read.Result == nil) != (after.Result == nil) {
					t.Errorf("got stored file %+v, error %v, want %+v", read, err, after)
				}
			})
		}
	}
}

// COMPLETED is final: only an explicit move starts there.
func TestCompletedIsFinal(t *testing.T) {
	for _, move := range Machine().Moves {
		if slices.Contains(move.From, Completed) && !move.Explicit {
			t.Errorf("move %s is not explicit: got from states %v, want none that is final", move.Name, move.From)
		}
	}
	for state, final := range map[lifecycle.State]bool{Pending: false, InProgress: false, Completed: true, Failed: true} {
		if (File{Status: state}).Final() != final {
			t.Errorf("%s: got Final() = %t, want %t", state, !final, final)
		}
	}
}

func TestMovesRequireFenceAndFile(t *testing.T) {
	d := open(t)
	for _, move := range Machine().Moves {
		for _, from := range move.From {
			stale := d.file(from)
			stale.UpdatedAt--
			if _, err := makers[move.Name](d.Store, t.Context(), stale); !errors.Is(err, lifecycle.ErrFenceLost) {
				t.Errorf("%s from %s with an old fence: got error %v, want ErrFenceLost", move.Name, from, err)
			}
			d.expect(seedItems(from, 1795175500000))
		}
		gone := File{FileID: "nobody", OwnerID: "ann", UpdatedAt: 1}
		if _, err := makers[move.Name](d.Store, t.Context(), gone); !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("%s of a missing file: got error %v, want ErrNotFound", move.Name, err)
		}
		if got := d.row(metaKey("nobody")); got != nil {
			t.Errorf("%s of a missing file: got item %v, want none", move.Name, got)
		}
	}
}

// race makes the same move of the same file many times concurrently. It returns the
// number of successful calls and the errors of the others.
func race(t *testing.T, move func(context.Context, File) (File, error), f File) (won int, lost []error) {
	t.Helper()
	const workers = 64
	results := make([]error, workers)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			<-start
			_, results[i] = move(t.Context(), f)
		})
	}
	close(start)
	all.Wait()
	for _, err := range results {
		if err == nil {
			won++
		} else {
			lost = append(lost, err)
		}
	}
	return won, lost
}

func TestOneWorkerClaimsFile(t *testing.T) {
	d := open(t)
	won, lost := race(t, d.Claim, d.file(Pending))
	if won != 1 {
		t.Errorf("got %d successful claims of 64, want 1", won)
	}
	for _, err := range lost {
		var moved *lifecycle.MovedError
		if !errors.As(err, &moved) || moved.Found != InProgress {
			t.Errorf("a failed claim: got error %v, want a MovedError that found IN_PROGRESS", err)
		}
	}
	d.expect(seedItems(InProgress, 1795176000000))
}

func TestOneWorkerTakesOverFile(t *testing.T) {
	d := open(t)
	won, lost := race(t, d.TakeOver, d.file(InProgress))
	if won != 1 {
		t.Errorf("got %d successful moves of 64, want 1", won)
	}
	for _, err := range lost {
		if !errors.Is(err, lifecycle.ErrFenceLost) {
			t.Errorf("a failed move: got error %v, want ErrFenceLost", err)
		}
	}
}

// A worker whose file was taken over cannot write, even if the state has not changed since it
// read the file.
func TestTakenOverWorkerCannotWrite(t *testing.T) {
	d := open(t)
	first := d.next(d.Claim(t.Context(), d.file(Pending)))
	second := d.next(d.TakeOver(t.Context(), first))
	if _, err := d.Complete(t.Context(), first, seedResult); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("complete: got error %v, want ErrFenceLost", err)
	}
	if _, err := d.Fail(t.Context(), first, "it is a PDF"); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("fail: got error %v, want ErrFenceLost", err)
	}
	d.next(d.Complete(t.Context(), second, seedResult))
	d.expect(seedItems(Completed, 1795176000002))
}

func TestUpdatedAtIncreasesWithSteppedClock(t *testing.T) {
	d := open(t)
	f := d.next(d.Claim(t.Context(), d.file(Pending)))
	want := frozen.UnixMilli()
	for i, move := range []string{"takeOver", "takeOver", "fail", "retry", "claim"} {
		if f.UpdatedAt != want {
			t.Fatalf("after %d moves: got updatedAt %d, want %d", i+1, f.UpdatedAt, want)
		}
		if i == 2 {
			d.now = func() time.Time { return frozen.Add(-time.Hour) } // the clock is set back
		}
		f = d.next(makers[move](d.Store, t.Context(), f))
		want++
	}
	d.now = func() time.Time { return frozen.Add(time.Hour) }
	f = d.next(d.Complete(t.Context(), f, seedResult))
	d.expect(seedItems(Completed, float64(frozen.Add(time.Hour).UnixMilli())))
	if f.CreatedAt != 1795175000000 {
		t.Errorf("got createdAt %d, want 1795175000000", f.CreatedAt)
	}
}

// A move is retried after a transient fault and made only once, even if the response of its
// transaction was lost.
func TestItemsStayConsistentUnderTransientFaults(t *testing.T) {
	for name, kind := range map[string]dynamolite.FaultKind{
		"conflict": dynamolite.Conflict, "throttle": dynamolite.Throttle,
		"error before the write": dynamolite.ErrorBefore, "lost response": dynamolite.ErrorAfter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			f := d.file(Pending)
			d.faults.Add(dynamolite.Fault{Kind: kind, Operation: "TransactWriteItems", Count: 1})
			d.next(d.Claim(t.Context(), f))
			d.expect(seedItems(InProgress, 1795176000000))
		})
	}
}

func TestItemsStayConsistentUnderPermanentFaults(t *testing.T) {
	for name, kind := range map[string]dynamolite.FaultKind{
		"conflict": dynamolite.Conflict, "error before the write": dynamolite.ErrorBefore, "lost response": dynamolite.ErrorAfter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			f := d.file(InProgress)
			d.faults.Add(dynamolite.Fault{Kind: kind, Operation: "TransactWriteItems"})
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if _, err := d.Complete(ctx, f, seedResult); err == nil {
				t.Error("got no error, want one")
			}
			d.faults.Clear()
			if kind == dynamolite.ErrorAfter {
				d.expect(seedItems(Completed, 1795176000000))
				return
			}
			d.expect(seedItems(InProgress, 1795175500000))
			d.next(d.Complete(t.Context(), f, seedResult))
		})
	}
}

func TestMoveDoesNotRecreateDeletedFile(t *testing.T) {
	d := open(t)
	f := d.next(d.Claim(t.Context(), d.file(Pending)))
	if err := d.Delete(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	for name, maker := range makers {
		if _, err := maker(d.Store, t.Context(), f); !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("%s: got error %v, want ErrNotFound", name, err)
		}
	}
	d.expect(nil, nil)
	if err := d.Delete(t.Context(), f); err != nil {
		t.Errorf("second Delete: got error %v, want nil", err)
	}
	if _, err := d.Get(t.Context(), f.FileID); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("get: got error %v, want ErrNotFound", err)
	}
}
