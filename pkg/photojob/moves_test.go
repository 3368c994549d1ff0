package photojob

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// makers contains the method of the store that makes a move, by the move's name.
var makers = map[string]func(*testing.T, *Store, Job) (Job, error){
	"claim":    func(t *testing.T, s *Store, j Job) (Job, error) { return s.Claim(t.Context(), j) },
	"takeOver": func(t *testing.T, s *Store, j Job) (Job, error) { return s.TakeOver(t.Context(), j) },
	"begin": func(t *testing.T, s *Store, j Job) (Job, error) {
		return s.Begin(t.Context(), j, Call{Step: StepAnalyze, Provider: Stub, At: 1, CostMicros: 30})
	},
	"resume": func(t *testing.T, s *Store, j Job) (Job, error) {
		after := j
		if last, called := j.Calls.Last(); called {
			last.Outcome = CallUnknown
			after = j.Answered(last)
		}
		after.Error = &JobError{Code: CodeProviderTimeout, Message: "no answer", RetryCount: 1}
		return s.Resume(t.Context(), j, after, Call{Step: StepAnalyze, Provider: Stub})
	},
	"complete": func(t *testing.T, s *Store, j Job) (Job, error) { return completed(s, t, j) },
	"fail": func(t *testing.T, s *Store, j Job) (Job, error) {
		return s.Fail(t.Context(), j, JobError{Code: CodeInternal, Message: "it did not succeed"})
	},
	"cancel": func(t *testing.T, s *Store, j Job) (Job, error) { return s.Cancel(t.Context(), j) },
	"retry": func(t *testing.T, s *Store, j Job) (Job, error) {
		return s.Retry(t.Context(), j, "auto levels", Options{Provider: Stub})
	},
}

func TestMachineIsValid(t *testing.T) {
	if err := Machine().Validate(); err != nil {
		t.Error(err)
	}
}

func TestEveryMoveFromEveryState(t *testing.T) {
	if len(makers) != len(Machine().Moves) {
		t.Fatalf("got %d makers, want one for each of %d moves", len(makers), len(Machine().Moves))
	}
	r := open(t)
	for _, move := range Machine().Moves {
		for _, from := range Machine().States() {
			t.Run(move.Name+" from "+string(from), func(t *testing.T) {
				r.t = t
				before := r.in(from)
				r.clock = r.clock.Add(time.Second)
				after, err := makers[move.Name](t, r.Store, before)
				found := r.get(before.JobID)
				if !slices.Contains(move.From, from) {
					var moved *lifecycle.MovedError
					if !errors.As(err, &moved) || moved.Found != from || moved.Move != move.Name {
						t.Errorf("got %v, want a MovedError that found %s", err, from)
					}
					after = before
				} else if err != nil || after.Status != move.To || after.UpdatedAt <= before.UpdatedAt {
					t.Errorf("got status %s, updatedAt %d, error %v, want %s after %d", after.Status, after.UpdatedAt, err, move.To, before.UpdatedAt)
				}
				if !reflect.DeepEqual(found, after) {
					t.Errorf("got stored job %+v, want %+v", found, after)
				}
			})
		}
	}
}

// COMPLETED is final, and a job leaves FAILED only at the request of its
// owner.
func TestFinalStatesAreFinal(t *testing.T) {
	for _, move := range Machine().Moves {
		if slices.Contains(move.From, Completed) || slices.Contains(move.From, Failed) && move.Name != "retry" {
			t.Errorf("the move %s: got the start states %s, want none that is final", move.Name, move.From)
		}
	}
}

func TestMovesRequireFenceAndJob(t *testing.T) {
	r := open(t)
	for _, move := range Machine().Moves {
		for _, from := range move.From {
			stale := r.in(from)
			before := r.get(stale.JobID)
			stale.UpdatedAt--
			if _, err := makers[move.Name](t, r.Store, stale); !errors.Is(err, lifecycle.ErrFenceLost) {
				t.Errorf("%s from %s with an old fence: got error %v, want ErrFenceLost", move.Name, from, err)
			}
			if after := r.get(stale.JobID); !reflect.DeepEqual(before, after) {
				t.Errorf("%s with an old fence: got stored job %+v, want %+v", move.Name, after, before)
			}
		}
		if _, err := makers[move.Name](t, r.Store, Job{JobID: "nobody", UpdatedAt: 1}); !errors.Is(err, lifecycle.ErrNotFound) {
			t.Errorf("%s of a missing job: got error %v, want ErrNotFound", move.Name, err)
		}
		if row := r.row("nobody"); row != nil {
			t.Errorf("%s of a missing job: got item %v, want none", move.Name, row)
		}
	}
}

func TestOneWorkerSucceedsInEveryMove(t *testing.T) {
	r := open(t)
	for _, move := range Machine().Moves {
		job := r.in(move.From[0])
		const workers = 32
		results := make([]error, workers)
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range workers {
			all.Go(func() {
				<-start
				_, results[i] = makers[move.Name](t, r.Store, job)
			})
		}
		close(start)
		all.Wait()
		won := 0
		for _, err := range results {
			_, moved := errors.AsType[*lifecycle.MovedError](err)
			switch {
			case err == nil:
				won++
			case !moved && !errors.Is(err, lifecycle.ErrFenceLost):
				t.Errorf("%s: a concurrent call: got error %v, want a MovedError or ErrFenceLost", move.Name, err)
			}
		}
		if won != 1 {
			t.Errorf("%s: got %d successful calls, want 1", move.Name, won)
		}
	}
}

// The fence increases even if the clock is set back.
func TestFenceIncreasesWithSteppedClock(t *testing.T) {
	r := open(t)
	job := r.in(Processing)
	r.clock = r.clock.Add(-time.Hour)
	after, err := r.TakeOver(t.Context(), job)
	if err != nil || after.UpdatedAt != job.UpdatedAt+1 {
		t.Errorf("got updatedAt %d, error %v, want %d", after.UpdatedAt, err, job.UpdatedAt+1)
	}
}

func TestRetryRemovesErrorAndResults(t *testing.T) {
	r := open(t)
	job := r.in(Editing)
	described := job
	described.AnalysisResult = &AnalysisResult{Description: "a fox"}
	job, err := r.Resume(t.Context(), job, described, Call{})
	if err != nil || r.row(job.JobID)["analysisResult"] == nil {
		t.Fatalf("got row %v, error %v, want an analysis", r.row(job.JobID), err)
	}
	failed, err := r.Fail(t.Context(), job, JobError{Code: CodeProviderTimeout, Message: "no answer", RetryCount: 2})
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Retry(t.Context(), failed, "sepia", Options{Provider: Stub, Quality: 70})
	if err != nil {
		t.Fatal(err)
	}
	row := r.row(job.JobID)
	for _, name := range []string{"error", "analysisResult", "processingStartedAt", "processingCompletedAt", "s3FinalKey"} {
		if row[name] != nil {
			t.Errorf("got %s %v, want none", name, row[name])
		}
	}
	if again.Prompt != "sepia" || again.S3TempKey != job.S3TempKey || !again.Retried() || again.Calls.Paid(StepAnalyze) != 0 {
		t.Errorf("got %+v, want a retried job with the new prompt, the same upload and no paid calls", again)
	}
}
