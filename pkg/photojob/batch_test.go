package photojob

import (
	"errors"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
)

func (r *rig) batch(n int) Batch {
	r.t.Helper()
	id, err := NewID("ann", "")
	if err != nil {
		r.t.Fatal(err)
	}
	terms := make([]Terms, n)
	for i := range terms {
		terms[i] = portrait
	}
	jobs, err := NewBatch(id, "ann", terms)
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := r.CreateBatch(r.t.Context(), id, jobs)
	if err != nil {
		r.t.Fatal(err)
	}
	return b
}

func TestCreateBatchIsAtomic(t *testing.T) {
	r := open(t)
	b := r.batch(MaxBatch)
	found, err := r.Batch(t.Context(), b.BatchID)
	if err != nil || found.Size != MaxBatch || len(found.Jobs) != MaxBatch || found.Status() != Queued || found.Jobs[3].JobID != b.Jobs[3].JobID {
		t.Errorf("got %+v, error %v, want a QUEUED batch of %d jobs", found, err, MaxBatch)
	}
	if _, err := r.CreateBatch(t.Context(), b.BatchID, b.Jobs); !errors.Is(err, lifecycle.ErrExists) {
		t.Errorf("second CreateBatch: got error %v, want lifecycle.ErrExists", err)
	}
	id, err := NewID("ann", "second")
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := NewBatch(id, "ann", []Terms{portrait, portrait, portrait})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Create(t.Context(), jobs[2]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CreateBatch(t.Context(), id, jobs); !errors.Is(err, lifecycle.ErrExists) || r.row(jobs[0].JobID) != nil {
		t.Errorf("CreateBatch with an existing job: got error %v, or created a job, want lifecycle.ErrExists and no job", err)
	}
}

func TestBatchEnds(t *testing.T) {
	r := open(t)
	b := r.batch(4)
	status := func(want lifecycle.State, ended bool) Batch {
		t.Helper()
		found, err := r.Batch(t.Context(), b.BatchID)
		if err != nil || found.Status() != want || found.Ended() != ended {
			t.Errorf("got status %s, ended = %t, error %v, want %s, %t", found.Status(), found.Ended(), err, want, ended)
		}
		return found
	}
	done := func(j Job) {
		t.Helper()
		r.clock = r.clock.Add(time.Second)
		j, err := r.Claim(t.Context(), j)
		if err == nil {
			j, err = r.Begin(t.Context(), j, Call{Step: StepEdit})
		}
		if err == nil {
			_, err = completed(r.Store, t, j)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	done(b.Jobs[0])
	status(Processing, false)
	if _, err := r.Cancel(t.Context(), b.Jobs[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Delete(t.Context(), b.Jobs[2].JobID); err != nil {
		t.Fatal(err)
	}
	done(b.Jobs[3])
	ended := status(Partial, true)
	outcome, ok := ended.Outcome().Data.(*event.AnalysisCompleted)
	sums := outcome.GetPhotoBatch()
	if !ok || outcome.Area != "photojob" || outcome.Id != b.BatchID || sums.Total != 4 || sums.Completed != 2 || sums.Failed != 1 || sums.Deleted != 1 || sums.Status != "PARTIAL" {
		t.Errorf("got outcome %+v, want PARTIAL with 2 completed, 1 failed and 1 deleted of 4", outcome)
	}
	if last := ended.Jobs[len(ended.Jobs)-1].Updated(); !ended.Outcome().Time.Equal(last) || last.Before(r.clock) {
		t.Errorf("got outcome time %s, want %s", ended.Outcome().Time, last)
	}
	for _, j := range ended.Jobs {
		if _, err := r.Delete(t.Context(), j.JobID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Batch(t.Context(), b.BatchID); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a batch without jobs: got error %v, want ErrNotFound", err)
	}
}
