package photojob

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Claim moves a QUEUED job to PROCESSING for this worker. Like every move, it returns the job as
// written, or lifecycle.ErrNotFound, *lifecycle.MovedError or lifecycle.ErrFenceLost.
func (s *Store) Claim(ctx context.Context, j Job) (Job, error) {
	after := j
	after.ProcessingStartedAt = s.now().UnixMilli()
	return s.move(ctx, claim, j, after)
}

// TakeOver claims a PROCESSING job whose worker has crashed. Later writes of that worker fail
// with lifecycle.ErrFenceLost.
func (s *Store) TakeOver(ctx context.Context, j Job) (Job, error) { return s.move(ctx, takeOver, j, j) }

// Begin moves a job to EDITING and records its first call, whose number it sets.
func (s *Store) Begin(ctx context.Context, j Job, intent Call) (Job, error) {
	return s.move(ctx, begin, j, j.intending(intent))
}

// Resume updates an EDITING job by the difference between before and after: the outcome of the last
// call, its result, and the error of the last attempt, which are the attributes that the move declares. It also records intent, the next call, unless
// its Step is empty.
func (s *Store) Resume(ctx context.Context, before, after Job, intent Call) (Job, error) {
	if intent.Step != "" {
		after = after.intending(intent)
	}
	return s.move(ctx, resume, before, after)
}

// Complete moves the job to COMPLETED and stores the edit. after contains the result of the edit, the
// outcome of its call, the provider, and what was not done as requested.
func (s *Store) Complete(ctx context.Context, before, after Job) (Job, error) {
	after.S3FinalKey, after.ProcessingCompletedAt, after.Error = after.EditResult.S3Key, s.now().UnixMilli(), nil
	return s.move(ctx, complete, before, after)
}

// Fail moves the job to FAILED.
func (s *Store) Fail(ctx context.Context, j Job, reason JobError) (Job, error) {
	return s.end(ctx, fail, j, reason)
}

// Cancel moves the job to FAILED at its owner's request.
func (s *Store) Cancel(ctx context.Context, j Job) (Job, error) {
	return s.end(ctx, cancel, j, JobError{Code: CodeCanceled, Message: "the job was canceled"})
}

func (s *Store) end(ctx context.Context, m lifecycle.Move, j Job, reason JobError) (Job, error) {
	after := j
	after.Error = &reason
	after.ProcessingCompletedAt = s.now().UnixMilli()
	return s.move(ctx, m, j, after)
}

// Retry moves a FAILED job back to QUEUED, with the given prompt and options. The counts of its calls
// restart at zero. It returns lifecycle.ErrCondition if the outcome of a call was recorded concurrently;
// the caller then reads the job and retries.
func (s *Store) Retry(ctx context.Context, j Job, prompt string, options Options) (Job, error) {
	after := j
	after.Prompt, after.Options, after.Provider = prompt, options, options.Provider
	after.Error, after.ProcessingStartedAt, after.ProcessingCompletedAt, after.AnalysisResult = nil, 0, 0, nil
	after.Calls = j.Calls.with(Call{N: j.Calls.next(), Step: stepRetry, At: s.now().UnixMilli()}).folded()
	return s.move(ctx, retry, j, after)
}

// NextCall returns the number of the next call.
func (j Job) NextCall() int { return j.Calls.next() }

// intending returns the job with a new call with the outcome sent.
func (j Job) intending(intent Call) Job {
	intent.N, intent.Outcome = j.Calls.next(), CallSent
	j.Calls = j.Calls.withoutRefused().with(intent)
	return j
}

// Answered returns the job with the outcome of its last call.
func (j Job) Answered(c Call) Job {
	j.Calls = j.Calls.with(c)
	return j
}

// RecordCallOutcome records the outcome of a call in a job that has ended or was taken over in the
// meantime, so that its cost is counted. It does nothing if the outcome is already recorded or the job
// does not exist.
func (s *Store) RecordCallOutcome(ctx context.Context, jobID string, c Call) error {
	value, err := attributevalue.Marshal(c)
	if err != nil {
		return err
	}
	n := strconv.Itoa(c.N)
	_, err = Machine().Apply(ctx, s.db, recordOutcome, lifecycle.Write{Items: []lifecycle.Item{{
		Table: s.table, Key: key(jobID), Put: []lifecycle.Member{{Path: []string{callsName, n}, Value: value}},
		Condition: expression.Name(callsName + "." + n + ".outcome").Equal(expression.Value(CallSent)),
	}}})
	if errors.Is(err, lifecycle.ErrCondition) || errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	return err
}

// move writes the difference between before and after, and the new state and fence.
func (s *Store) move(ctx context.Context, m lifecycle.Move, before, after Job) (Job, error) {
	fence, next := lifecycle.TimeFence(updatedAtName, before.UpdatedAt, s.now())
	after.Status, after.UpdatedAt = m.To, next
	item, err := difference(before, after)
	if err != nil {
		return Job{}, err
	}
	item.Table, item.Key = s.table, key(before.JobID)
	if _, err := Machine().Apply(ctx, s.db, m, lifecycle.Write{Fence: fence, Items: []lifecycle.Item{item}}); err != nil {
		return Job{}, err
	}
	return after, nil
}

// difference returns the update that turns before into after, except for state and fence. Entries of
// the ledger are written individually, since RecordCallOutcome may write another entry concurrently.
func difference(before, after Job) (lifecycle.Item, error) {
	item := lifecycle.Item{Set: map[string]table.Value{}}
	old, err := before.attributes()
	if err != nil {
		return item, err
	}
	changed, err := after.attributes()
	if err != nil {
		return item, err
	}
	for _, attributes := range []map[string]table.Value{old, changed} {
		delete(attributes, statusName)
		delete(attributes, updatedAtName)
	}
	if len(before.Calls) > 0 {
		ledger := old[callsName]
		delete(old, callsName)
		if after.Calls.lacks(before.Calls) { // entries were folded
			item.Condition = expression.Name(callsName).Equal(expression.Value(ledger))
		} else {
			delete(changed, callsName)
			for n, call := range after.Calls {
				if before.Calls[n] == call {
					continue
				}
				value, err := attributevalue.Marshal(call)
				if err != nil {
					return item, err
				}
				item.Put = append(item.Put, lifecycle.Member{Path: []string{callsName, n}, Value: value})
			}
		}
	}
	for name, value := range changed {
		if !reflect.DeepEqual(old[name], value) {
			item.Set[name] = value
		}
	}
	for name := range maps.Keys(old) {
		if _, kept := changed[name]; !kept {
			item.Remove = append(item.Remove, name)
		}
	}
	return item, nil
}
