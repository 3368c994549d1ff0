package photojob

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
)

const (
	// shortWait is the maximum time that a worker waits without returning its message.
	shortWait = 2 * time.Second
	// longestDelay is the maximum redelivery delay of a job. After it, the message waits in the
	// stream until the gate opens. An operator can open the gate at any time.
	longestDelay = 5 * time.Second
	// longestSkipped is the maximum redelivery delay of a job for which a fallback was skipped: the gate may be open
	// because of that fallback. Before, the delay is a tenth of the time for which the job has waited.
	longestSkipped = time.Minute
)

// chosen is a call that may be made now and has a permit.
type chosen struct {
	opened
	call policy.Call
}

// choose acquires a permit for the next call of a step. It skips providers that are disabled or
// suspended, and fallbacks that cannot do the prompt. If a provider is held for another reason, the job waits until the fallback time.
// choose waits for short holds, and returns a bus.Later error for longer ones.
func (e *editing) choose(ctx context.Context, step string) (chosen, error) {
	for {
		found, held, skipped, err := e.tryChain(ctx, step)
		if err != nil || held == nil {
			return found, err
		}
		if wait := time.Until(held.Until); wait > shortWait {
			longest := longestDelay
			if skipped {
				longest = min(max(longest, time.Since(e.waitingSince)/10), longestSkipped)
			}
			return chosen{}, bus.Later(held, min(wait, longest))
		}
		select {
		case <-ctx.Done():
			return chosen{}, context.Cause(ctx)
		case <-time.After(max(time.Until(held.Until), shortWait/8)):
		}
	}
}

// tryChain returns the first provider of the chain that may be called, or the hold of the first one
// that may be called later. skipped is that of catalog.chain.
func (e *editing) tryChain(ctx context.Context, step string) (found chosen, first *policy.Held, skipped bool, err error) {
	chain, skipped, err := e.catalog.chain(ctx, e.job.Route(), e.job.Prompt)
	if err != nil {
		return chosen{}, nil, false, err
	}
	for _, o := range chain {
		if step == photojob.StepAnalyze && !o.analyzes() {
			if o, err = e.catalog.open(ctx, photojob.Stub); err != nil {
				return chosen{}, nil, false, err
			}
		}
		c := chosen{opened: o, call: policy.Call{
			// With UpdatedAt, a worker that has lost the job does not return the permit of its successor.
			ID:         fmt.Sprintf("%s/%d/%d", e.job.JobID, e.job.NextCall(), e.job.UpdatedAt),
			CostMicros: o.cost(step), Key: o.key,
			Until: time.Now().Add(o.Limits(provider.Step(step)).Time),
		}}
		held, err := e.take(ctx, c)
		if err != nil || held == nil {
			return c, nil, false, err
		}
		if first == nil || first.Off() && !held.Off() {
			first = held
		}
		if !held.Off() && time.Since(e.waitingSince) < chain[0].policy.Settings.WaitTime() {
			break
		}
	}
	return chosen{}, first, skipped, nil
}

// take acquires a permit for the call, or returns the hold that prevents it.
func (e *editing) take(ctx context.Context, c chosen) (*policy.Held, error) {
	if !c.permits {
		return nil, nil
	}
	if held, err := e.catalog.held(ctx, c.opened, c.call.CostMicros); err != nil || held != nil {
		return held, err
	}
	err := e.catalog.policies.Take(ctx, c.policy, c.call)
	if held, ok := errors.AsType[*policy.Held](err); ok {
		return held, nil
	}
	return nil, err
}

// releaseTime bounds the writes after a call whose context is done.
const releaseTime = 10 * time.Second

// resultOf returns the result of a call.
func resultOf(c chosen, usage provider.Usage, err error) policy.Result {
	r := policy.Result{Outcome: policy.Answered, CostMicros: usage.CostMicros, Revision: c.policy.Revision, Key: c.key}
	failed, ok := errors.AsType[*provider.Error](err)
	switch {
	case err == nil:
	case !ok: // the outcome of the call is unknown
		r.Outcome, r.CostMicros = policy.Dropped, c.call.CostMicros
	default:
		r.Outcome, r.RetryAfter, r.Reason, r.CostMicros = outcomeOf(failed.Class), failed.RetryAfter, failed.Err.Error(), c.call.CostMicros
		if failed.Billed == provider.NotBilled {
			r.CostMicros = 0
		}
	}
	return r
}

// release records the result of a call. If that fails, the permit expires and its cost remains counted.
func (e *editing) release(ctx context.Context, c chosen, r policy.Result) {
	if !c.permits {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err := e.catalog.policies.Done(ctx, c.name, c.call.ID, r); err != nil {
		e.log.Warn().Err(err).Str("provider", c.name).Str("id", e.job.JobID).Msg("cannot record the result of a provider call; its permit will expire")
	}
}

func outcomeOf(c provider.Class) policy.Outcome {
	switch c {
	case provider.Retry, provider.Unknown:
		return policy.Failed
	case provider.Defer:
		return policy.Limited
	case provider.Suspend:
		return policy.Refused
	case provider.Internal:
		return policy.Dropped
	}
	return policy.Answered
}

// drop returns the permit of a call that is not made.
func (e *editing) drop(ctx context.Context, c chosen) {
	notSent := &provider.Error{Class: provider.Internal, Code: provider.InternalError, Billed: provider.NotBilled, Err: reason.CallNotMade}
	e.release(ctx, c, resultOf(c, provider.Usage{}, notSent))
}
