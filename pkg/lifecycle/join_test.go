package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

const joinSteps = 8

var (
	startSteps = lifecycle.Move{Name: "startSteps", From: []lifecycle.State{"Loaded"}, To: "Processing"}
	complete   = lifecycle.Move{Name: "complete", From: []lifecycle.State{"Processing"}, To: "Processed"}
	again      = lifecycle.Move{Name: "again", From: []lifecycle.State{"Processed"}, To: "Loaded", Explicit: true}
)

// workflow returns a machine whose Processing state ends when all parallel steps are
// done.
func workflow() lifecycle.Machine {
	return lifecycle.Machine{
		Area: "workflow", Status: "currentState", Start: "Loaded", Final: []lifecycle.State{"Processed"},
		Moves: []lifecycle.Move{startSteps, complete, again},
	}
}

// message is a delivery for one step, or for the end of the workflow if step is empty.
type message struct {
	step string
	run  int64
}

// join runs the workflow of one item over a queue that loses, duplicates and reorders messages.
type join struct {
	db   *dynamodb.Client
	id   string
	run  int64
	last string // the final state

	mu       sync.Mutex
	changed  *sync.Cond // signals changes of queue and working
	random   *rand.Rand
	queue    []message
	working  int
	finished int // how often Apply reported success of the move complete
}

// publish drops a message or delivers it up to three times.
func (j *join) publish(m message) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for range j.random.IntN(4) {
		j.queue = append(j.queue, m)
	}
}

// next returns an arbitrary message of the queue. It returns false if there is none and no
// worker can publish one.
func (j *join) next() (m message, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.queue) == 0 {
		if j.working == 0 {
			return m, false
		}
		j.changed.Wait()
	}
	i := j.random.IntN(len(j.queue))
	m = j.queue[i]
	j.queue = slices.Delete(j.queue, i, i+1)
	j.working++
	return m, true
}

// done returns a message to the queue if its handler failed.
func (j *join) done(m message, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.working--
	if err != nil {
		j.queue = append(j.queue, m)
	}
	j.changed.Broadcast()
}

func runFence(run int64) lifecycle.Fence {
	return lifecycle.Fence{Attribute: "run", Seen: table.Integer(run), Next: table.Integer(run)}
}

func set(members ...string) types.AttributeValue {
	return &types.AttributeValueMemberSS{Value: members}
}

func (j *join) write(run int64, change lifecycle.Item) lifecycle.Write {
	change.Table, change.Key = "doors", key(j.id)
	return lifecycle.Write{Fence: runFence(run), Items: []lifecycle.Item{change}, Image: true}
}

// handle is the handler of a worker; it may run any number of times.
func (j *join) handle(ctx context.Context, m message) error {
	if m.step == "" {
		_, err := workflow().Apply(ctx, j.db, complete, j.write(m.run, lifecycle.Item{
			Add:       map[string]types.AttributeValue{"completions": table.Integer(1)},
			Condition: expression.Name("stepsOpen").AttributeNotExists(),
		}))
		if err == nil {
			j.mu.Lock()
			j.finished++
			j.mu.Unlock()
		}
		_, moved := errors.AsType[*lifecycle.MovedError](err)
		if moved || errors.Is(err, lifecycle.ErrFenceLost) || errors.Is(err, lifecycle.ErrCondition) {
			return nil // already done, of an earlier run, or too early
		}
		return err
	}
	image, err := workflow().Apply(ctx, j.db, lifecycle.Move{Name: "finishStep"}, j.write(m.run, lifecycle.Item{
		Add:       map[string]types.AttributeValue{"stepsDone": set(m.step), "version": table.Integer(1)},
		Delete:    map[string]types.AttributeValue{"stepsOpen": set(m.step)},
		Put:       []lifecycle.Member{{Path: []string{"stepResults", m.step}, Value: table.Text("result of " + m.step)}},
		Condition: expression.Name("stepsOpen").Contains(m.step),
	}))
	switch {
	case errors.Is(err, lifecycle.ErrFenceLost):
		return nil
	case err != nil && !errors.Is(err, lifecycle.ErrCondition):
		return err
	}
	if _, open := image["stepsOpen"]; !open { // this is the last step, or a redelivery of it
		j.publish(message{run: m.run})
	}
	return nil
}

// drain runs workers until the queue is empty.
func (j *join) drain(ctx context.Context) {
	var workers sync.WaitGroup
	for range joinSteps {
		workers.Go(func() {
			for m, ok := j.next(); ok; m, ok = j.next() {
				j.done(m, j.handle(ctx, m))
			}
		})
	}
	workers.Wait()
}

// sweep publishes the events that are missing according to the table, as a sweeper does. It
// reports whether the item is in its final state.
func (j *join) sweep(f fixture) (final bool) {
	row := f.get("doors", j.id)
	if row["currentState"] == j.last {
		return true
	}
	open, _ := row["stepsOpen"].([]string)
	for _, step := range open {
		j.publish(message{step, j.run})
	}
	j.publish(message{run: j.run}) // also while steps are open
	j.publish(message{"step-0", j.run - 1})
	j.publish(message{run: j.run - 1})
	return false
}

// TestJoin checks that each of 40 joins of 8 parallel steps finishes exactly once, with
// deliveries that are lost, repeated and reordered, on an engine that loses responses.
func TestJoin(t *testing.T) {
	db, faults := tabletest.Start(t)
	f := build(t, db)
	steps := make([]string, joinSteps)
	for i := range steps {
		steps[i] = fmt.Sprintf("step-%d", i)
	}
	for seed := range uint64(40) {
		attempts := 1 + int(seed%2) // a worker sees a lost response, or the SDK repeats the request
		client := dynamodb.New(db.Options(), func(o *dynamodb.Options) {
			o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
				r.MaxAttempts = attempts
				r.RateLimiter = ratelimit.None
				r.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
			})
		})
		j := &join{db: client, id: fmt.Sprint("join-", seed), run: 2, last: "Processed", random: rand.New(rand.NewPCG(seed, 1))}
		j.changed = sync.NewCond(&j.mu)
		f.put("doors", row{"id": j.id, "currentState": "Loaded", "run": j.run, "version": 1, "stepResults": row{}})
		if _, err := workflow().Apply(t.Context(), db, startSteps, j.write(j.run, lifecycle.Item{Add: map[string]types.AttributeValue{"stepsOpen": set(steps...)}})); err != nil {
			t.Fatal(err)
		}
		remove := faults.Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "UpdateItem", Probability: 0.2, Seed: seed})
		for sweeps := 0; !j.sweep(f); sweeps++ {
			if sweeps == 100 {
				t.Fatalf("seed %d: not finished after %d sweeps: %v", seed, sweeps, f.get("doors", j.id))
			}
			j.drain(t.Context())
		}
		j.drain(t.Context()) // the remaining messages arrive after the end
		remove()

		got := f.get("doors", j.id)
		results, _ := got["stepResults"].(map[string]any)
		done, _ := got["stepsDone"].([]string)
		slices.Sort(done)
		if got["completions"] != 1.0 || j.finished > 1 || got["version"] != 1.0+joinSteps || len(results) != joinSteps || !slices.Equal(done, steps) {
			t.Errorf("seed %d: got %d reports of complete and the item %v, want at most 1 and an item that was completed once with all %d steps", seed, j.finished, got, joinSteps)
		}
		if attempts == 1 && got["stepsOpen"] != nil {
			t.Errorf("seed %d: got unfinished steps %v, want none", seed, got["stepsOpen"])
		}
	}
}

// TestPreviousRunChangesNothing checks that deliveries of the previous run lose their fence
// after a retry, although the same steps are open again.
func TestPreviousRunChangesNothing(t *testing.T) {
	db, _ := tabletest.Start(t)
	f := build(t, db)
	j := &join{db: db, id: "join", run: 1, random: rand.New(rand.NewPCG(1, 1))}
	f.put("doors", row{"id": "join", "currentState": "Processed", "run": 1, "version": 1, "stepResults": row{}})
	next := lifecycle.Fence{Attribute: "run", Seen: table.Integer(1), Next: table.Integer(2)}
	w := j.write(1, lifecycle.Item{Add: map[string]types.AttributeValue{"stepsOpen": set("step-0")}})
	w.Fence = next
	if _, err := workflow().Apply(t.Context(), db, again, w); err != nil {
		t.Fatal(err)
	}
	before := f.get("doors", "join")
	for _, m := range []message{{"step-0", 1}, {"", 1}, {"step-0", 3}} {
		if err := j.handle(t.Context(), m); err != nil {
			t.Errorf("message %v: got error %v, want nil", m, err)
		}
	}
	if after := f.get("doors", "join"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after the previous run: got %v, want %v", after, before)
	}
	_, err := workflow().Apply(t.Context(), db, lifecycle.Move{Name: "finishStep"}, j.write(1, lifecycle.Item{
		Condition: expression.Name("stepsOpen").Contains("step-0"), Remove: []string{"version"},
	}))
	if !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("got error %v, want ErrFenceLost", err)
	}
	if _, err := workflow().Apply(t.Context(), db, lifecycle.Move{Name: "finishStep"}, lifecycle.Write{Items: []lifecycle.Item{{
		Table: "doors", Key: key("missing"), Set: map[string]types.AttributeValue{"version": table.Integer(1)},
	}}}); !errors.Is(err, lifecycle.ErrNotFound) || f.get("doors", "missing") != nil {
		t.Errorf("an update of a missing item: got error %v, item %v, want ErrNotFound and no item", err, f.get("doors", "missing"))
	}
}
