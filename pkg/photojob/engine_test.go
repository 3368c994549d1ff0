package photojob

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// rig is a store on a new engine, with a clock that the test sets.
type rig struct {
	*Store
	t      *testing.T
	db     *dynamodb.Client
	faults *dynamolite.Faults
	clock  time.Time
}

func open(t *testing.T) *rig {
	t.Helper()
	db, faults := tabletest.Start(t)
	cfg := Config{Env: "dev"}
	for range 2 { // a second call does nothing
		if err := table.EnsureAll(t.Context(), db, Tables(cfg)); err != nil {
			t.Fatal(err)
		}
	}
	r := &rig{Store: NewStore(db, cfg), t: t, db: db, faults: faults, clock: time.UnixMilli(1795175500000)}
	r.now = func() time.Time { return r.clock }
	return r
}

var portrait = Terms{
	FileName: "a \u00e9.jpg", ContentType: "image/jpeg", Size: 4096, Prompt: "enhance", Options: Options{Provider: Stub, Format: "webp"},
}

// create creates a job of ann.
func (r *rig) create() Job {
	r.t.Helper()
	id, err := NewID("ann", "")
	if err != nil {
		r.t.Fatal(err)
	}
	j, err := r.Create(r.t.Context(), portrait.Job(id, "ann"))
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

// in creates a job and moves it to a state.
func (r *rig) in(state lifecycle.State) Job {
	r.t.Helper()
	j := r.create()
	step := func(m func(Job) (Job, error)) {
		var err error
		if j, err = m(j); err != nil {
			r.t.Fatal(err)
		}
	}
	claim := func(j Job) (Job, error) { return r.Claim(r.t.Context(), j) }
	begin := func(j Job) (Job, error) { return r.Begin(r.t.Context(), j, Call{Step: StepAnalyze, Provider: Stub}) }
	switch state {
	case Processing:
		step(claim)
	case Editing:
		step(claim)
		step(begin)
	case Completed:
		step(claim)
		step(begin)
		step(func(j Job) (Job, error) { return completed(r.Store, r.t, j) })
	case Failed:
		step(func(j Job) (Job, error) {
			return r.Fail(r.t.Context(), j, JobError{Code: CodeImageUnreadable, Message: "it is damaged"})
		})
	}
	return j
}

// completed completes a job, with its last call as the edit.
func completed(s *Store, t *testing.T, j Job) (Job, error) {
	after := j
	if last, called := j.Calls.Last(); called {
		last.Outcome = CallOK
		after = j.Answered(last)
	}
	after.AnalysisResult = &AnalysisResult{Description: "a person"}
	after.EditResult = &EditResult{S3Key: FinalKey(j.JobID, 1, "webp"), Width: 800, Height: 800, Format: "webp", Size: 2048}
	return s.Complete(t.Context(), j, after)
}

func (r *rig) get(id string) Job {
	r.t.Helper()
	j, err := r.Get(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return j
}

// row returns the item of a job as it is in the table.
func (r *rig) row(id string) map[string]table.Value {
	r.t.Helper()
	out, err := r.db.GetItem(r.t.Context(), &dynamodb.GetItemInput{TableName: &r.table, Key: key(id)})
	if err != nil {
		r.t.Fatal(err)
	}
	return out.Item
}
