// Package alert evaluates the alerts of the feed once a minute, in one process at a time, and sends an event when an alert fires or
// resolves.
package alert

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/feed/alert"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

const (
	// settle is the time after which the items of a minute are expected to be in the dashboard.
	settle = 5 * time.Second
	// catchUp is the number of missed minutes that are evaluated later.
	catchUp = 60
	// projection is the name of the lease, of which there is one.
	projection, everything = "feed-alerts", "all"
	// defaultLease is the time after which another process takes over the evaluation.
	defaultLease = 15 * time.Second
	// storeEvery is the time after which a state is stored in any case.
	storeEvery = 3 * time.Minute
	retryPause = 5 * time.Second
)

// Options are the dependencies of an Evaluator.
type Options struct {
	DB        *dynamodb.Client
	Platform  platform.Config      // contains the alerts, their states and the lease
	Dashboard *dashboard.Dashboard // without a cache
	// Emit stores the event of a change of status for delivery. An event that was emitted before has the same id. Nil emits none.
	Emit func(context.Context, webhook.Event) error
	// Signal sends the live event of a change of status. Nil sends none.
	Signal   func(event.Event) error
	Log      zerolog.Logger
	Registry prometheus.Registerer
	Lease    time.Duration    // 15 s by default
	Now      func() time.Time // time.Now by default
}

// Evaluator evaluates the alerts. Run must be called only once.
type Evaluator struct {
	Options
	store   *alert.Store
	leases  *checkpoint.Store
	metrics *metrics
	pasts   map[pastKey]past
	states  map[string]alert.Versioned // nil if they must be read
	stored  map[string]time.Time       // State.At of the states when they were last stored
}

// New returns an evaluator. It makes no request.
func New(o Options) *Evaluator {
	if o.Lease == 0 {
		o.Lease = defaultLease
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Evaluator{
		Options: o, store: alert.NewStore(platform.NewStore(o.DB, o.Platform)), metrics: newMetrics(o.Registry), pasts: map[pastKey]past{}, stored: map[string]time.Time{},
		leases: checkpoint.New(o.DB, checkpoint.Options{Table: o.Platform, Projection: projection, Lease: o.Lease}),
	}
}

// Store returns the alerts and their states.
func (e *Evaluator) Store() *alert.Store { return e.store }

// Run evaluates the alerts while no other process does, until ctx is done. Failures of the backends are logged and retried.
func (e *Evaluator) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := e.lead(ctx)
		held, isHeld := errors.AsType[*checkpoint.HeldError](err)
		switch {
		case isHeld:
			sleep(ctx, min(held.Wait, e.Lease))
		case ctx.Err() != nil || errors.Is(err, checkpoint.ErrLost):
		default:
			e.Log.Warn().Err(err).Msg("cannot evaluate the alerts of the feed; retrying")
			sleep(ctx, retryPause)
		}
	}
}

// lead evaluates the alerts while this process has the lease. It returns an error when it does not have it anymore.
func (e *Evaluator) lead(ctx context.Context) error {
	lease, err := e.leases.Acquire(ctx, everything)
	if err != nil {
		return err
	}
	defer e.release(ctx, lease)
	for {
		if err := lease.Keep(ctx, e.Round); err != nil {
			return err
		}
		now := e.Now()
		next := now.Add(-settle).Truncate(time.Minute).Add(time.Minute + settle)
		for wait := next.Sub(now); wait > 0; wait = next.Sub(e.Now()) {
			if sleep(ctx, min(wait, e.Lease/3)); ctx.Err() != nil {
				return ctx.Err()
			}
			if err := lease.Renew(ctx); err != nil {
				return err
			}
		}
	}
}

func (e *Evaluator) release(ctx context.Context, lease *checkpoint.Lease) {
	if err := lease.Release(ctx); err != nil {
		e.Log.Warn().Err(err).Msg("cannot release the alerts of the feed; the next process waits until the lease expires")
	}
}

func sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// Round evaluates all alerts once, up to the last minute that is over. It returns an error if an alert could not be evaluated; the others
// were. It must not be called concurrently.
func (e *Evaluator) Round(ctx context.Context) error {
	alerts, err := e.store.Stored(ctx)
	if err != nil {
		return err
	}
	if e.states == nil {
		if e.states, err = e.store.States(ctx); err != nil {
			return err
		}
	}
	at := e.Now().UTC().Add(-settle).Truncate(time.Minute)
	var tasks []task
	for _, a := range alerts {
		if is := e.states[a.Name]; a.Active() || is.Status == alert.Firing || is.Version > 0 && !is.Notified {
			tasks = append(tasks, task{a, minutes(a, is.State, at)})
		}
	}
	counted, err := e.read(ctx, tasks)
	if err != nil {
		return err
	}
	firing := 0
	for _, t := range tasks {
		after, failed := e.evaluate(ctx, t, e.states[t.Name], counted)
		if failed != nil {
			e.metrics.failed.Inc()
			err = errors.Join(err, fmt.Errorf("evaluate the alert %s: %w", t.Name, failed))
		}
		e.states[t.Name] = after
		if after.Status == alert.Firing {
			firing++
		}
	}
	e.metrics.firing.Set(float64(firing))
	if err != nil {
		e.states = nil // another process may have written them
		return err
	}
	maps.DeleteFunc(e.pasts, func(_ pastKey, p past) bool { return at.Sub(p.hour) > 2*time.Hour })
	e.metrics.evaluated.Set(float64(at.Unix()))
	return nil
}

// evaluate evaluates an alert for the minutes that were not evaluated yet, and sends the events of changes of its status. A change is stored
// before its event is sent; until the event is stored, the state says so, and every evaluation begins with sending it.
func (e *Evaluator) evaluate(ctx context.Context, t task, is alert.Versioned, counted counts) (_ alert.Versioned, err error) {
	if is.Version > 0 && !is.Notified {
		if is, err = e.notify(ctx, t.Name, is); err != nil {
			return is, err
		}
	}
	before := is.State
	for _, minute := range t.minutes {
		observed := alert.Observed{At: minute}
		if t.Active() {
			if observed, err = e.observe(ctx, t.Settings, counted, minute); err != nil {
				return is, err
			}
		}
		is.State = alert.Evaluate(t.Alert, observed, is.State)
		if is.Notified {
			continue
		}
		if is.Status == alert.Firing {
			if is.Cause, err = e.cause(ctx, t.Settings, is.State); err != nil {
				return is, err
			}
		}
		if is, err = e.store.PutState(ctx, t.Name, is); err != nil {
			return is, err
		}
		e.Log.Info().Str("alert", t.Name).Str("status", is.Status).Time("since", is.Since).Float64("value", is.Value).Msg("an alert of the feed changed")
		if is, err = e.notify(ctx, t.Name, is); err != nil {
			return is, err
		}
		before = is.State
	}
	if !shows(before, is.State) && is.At.Sub(e.stored[t.Name]) < storeEvery {
		return is, nil
	}
	e.stored[t.Name] = is.At
	return e.store.PutState(ctx, t.Name, is)
}

// shows reports whether a state is to be stored at once: it shows something else than the one before it, except a value of an alert that does
// not fire.
func shows(before, now alert.State) bool {
	return now.Status == alert.Firing && before.Count != now.Count || before.Waiting != now.Waiting || !before.Turning.Equal(now.Turning) ||
		!before.Watched.Equal(now.Watched) || before.Revision != now.Revision
}

// minutes returns the ends of the windows to evaluate: all that were missed, or only the last one for an alert on silence, which
// measures the time without items only while it is evaluated.
func minutes(a alert.Alert, was alert.State, at time.Time) []time.Time {
	first := at
	if !was.At.IsZero() {
		first = was.At.Add(time.Minute)
		if a.Settings.Kind == alert.Silent && first.Before(at) {
			first = at
		}
		if earliest := at.Add(-(catchUp - 1) * time.Minute); first.Before(earliest) {
			first = earliest
		}
	}
	var all []time.Time
	for minute := first; !minute.After(at); minute = minute.Add(time.Minute) {
		all = append(all, minute)
	}
	return all
}

// notify sends the event of a status, and records that it was sent.
func (e *Evaluator) notify(ctx context.Context, name string, is alert.Versioned) (alert.Versioned, error) {
	if e.Emit != nil {
		if err := e.Emit(ctx, eventOf(name, is.State)); err != nil {
			return is, fmt.Errorf("emit %s: %w", is.EventID(name), err)
		}
	}
	if e.Signal != nil {
		if err := e.Signal(signalOf(name, is.State)); err != nil { // a live event may be lost
			e.Log.Warn().Err(err).Str("alert", name).Msg("cannot send the live event of an alert")
		}
	}
	e.metrics.changes.WithLabelValues(is.Turn()).Inc()
	is.Notified = true
	return e.store.PutState(ctx, name, is)
}
