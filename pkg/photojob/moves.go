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

// Claim moves a QUEUED job to PROCESSING for this worker. Like every move it returns the
// job as written, or lifecycle.ErrNotFound, *lifecycle.MovedError or
// lifecycle.ErrFenceLost.
func (s *Store) Claim(ctx context.Context, j Job) (Job, error) {
	after := j
	after.ProcessingStartedAt = s.now().UnixMilli()
	return s.move(ctx, claim, j, after)
}

// TakeOver claims a PROCESSING job whose worker is gone. That worker's fence is void from
// then on.
func (s *Store) TakeOver(ctx context.Context, j Job) (Job, error) { return s.move(ctx, takeOver, j, j) }

// Begin records the job's first call and moves it to EDITING. The call gets its number.
func (s *Store) Begin(ctx context.Context, j Job, intent Call) (Job, error) {
	return s.move(ctx, begin, j, j.intending(intent))
}

// Resume continues with an EDITING job. What is recorded is the difference between before
// and after: the outcome of the last call, what it found, the error of the last attempt.
// The intent is the next call, none if its Step is empty.
func (s *Store) Resume(ctx context.Context, before, after Job, intent Call) (Job, error) {
	if intent.Step != "" {
		after = after.intending(intent)
	}
	return s.move(ctx, resume, before, after)
}

// Complete stores the edit and ends the job as COMPLETED. After has the edit's result, the
// outcome of its call, the provider and what was degraded.
func (s *Store) Complete(ctx context.Context, before, after Job) (Job, error) {
	after.S3FinalKey, after.ProcessingCompletedAt, after.Error = after.EditResult.S3Key, s.now().UnixMilli(), nil
	return s.move(ctx, complete, before, after)
}

// Fail ends the job as FAILED.
func (s *Store) Fail(ctx context.Context, j Job, reason JobError) (Job, error) {
	return s.end(ctx, fail, j, reason)
}

// Cancel ends the job as FAILED at its owner's request.
func (s *Store) Cancel(ctx context.Context, j Job) (Job, error) {
	return s.end(ctx, cancel, j, JobError{Code: CodeCancelled, Message: "the job was cancelled"})
}

func (s *Store) end(ctx context.Context, m lifecycle.Move, j Job, reason JobError) (Job, error) {
	after := j
	after.Error = &reason
	after.ProcessingCompletedAt = s.now().UnixMilli()
	return s.move(ctx, m, j, after)
}

// Retry makes a FAILED job QUEUED again, with another prompt and options if they differ.
// The count of its calls starts again at zero. It returns lifecycle.ErrCondition when the outcome
// of a call was recorded meanwhile; the caller then reads the job again.
func (s *Store) Retry(ctx context.Context, j Job, prompt string, options Options) (Job, error) {
	after := j
	after.Prompt, after.Options, after.Provider = prompt, options, options.Provider
	after.Error, after.ProcessingStartedAt, after.ProcessingCompletedAt, after.AnalysisResult = nil, 0, 0, nil
	after.Calls = j.Calls.with(Call{N: j.Calls.next(), Step: stepRetry, At: s.now().UnixMilli()}).folded()
	return s.move(ctx, retry, j, after)
}

// NextCall is the number that the next call gets.
func (j Job) NextCall() int { return j.Calls.next() }

// intending returns the job with one more call, which is about to be made.
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

// RecordCallOutcome records the outcome of a call on a job that has ended or was taken
// over meanwhile, so that no cost is lost. It does nothing when the outcome is known, or
// the job is gone.
func (s *Store) RecordCallOutcome(ctx context.Context, jobID string, c Call) error {
	value, err := attributevalue.Marshal(c)
	if err != nil {
		return err
	}
	n := strconv.Itoa(c.N)
	_, err = Machine().Update(ctx, s.db, "recordCallOutcome", lifecycle.Write{Items: []lifecycle.Item{{
		Table: s.table, Key: key(jobID), Put: []lifecycle.Member{{Path: []string{callsName, n}, Value: value}},
		Condition: expression.Name(callsName + "." + n + ".outcome").Equal(expression.Value(CallSent)),
	}}})
	if errors.Is(err, lifecycle.ErrCondition) || errors.Is(err, lifecycle.ErrNotFound) {
		return nil
	}
	return err
}

// move writes what differs between the job before and after, besides the state and the
// fence.
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

// difference returns what a write must change to make the one job of the other, but for state
// and fence. An entry of the ledger is written by itself, since RecordCallOutcome may
// write another one at the same time.
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
		if after.Calls.lacks(before.Calls) { // folded
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
