package webhook

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/webhook"
)

const (
	// places is the number of concurrent requests to an endpoint whose last request succeeded. Others have one request at a time.
	places = 4
	// page is the number of deliveries that a line reads at a time.
	page = 64
	// fresh is the time for which a line uses an endpoint that it has read.
	fresh = time.Second
	// patience is the number of consecutive failures after which an endpoint rests. The rest doubles with each further failure,
	// up to maxRest.
	patience = 3
	maxRest  = time.Minute
)

// line sends the deliveries to one endpoint, so that endpoints do not wait for each other.
type line struct {
	*Service
	endpointID string
	running    bool      // owned by the shard
	streak     int       // consecutive failures
	until      time.Time // the end of a rest

	mu     sync.Mutex // held while requests change the target
	target *loaded
}

// loaded is an endpoint as it was read.
type loaded struct {
	registered
	secrets []string
	version int64 // of the health
	read    time.Time
	deleted bool
}

// run sends deliveries until none is due, the endpoint rests, or ctx is done and the requests in progress have ended.
func (l *line) run(ctx context.Context) {
	var due []webhook.Pending
	for ctx.Err() == nil {
		var err error
		if len(due) == 0 {
			due, err = l.deliveries.Due(ctx, l.endpointID, page)
			if err == nil && len(due) == 0 {
				return
			}
		}
		if err == nil {
			now := due[:min(len(due), l.width())]
			due = due[len(now):]
			err = l.sendAll(ctx, now)
		}
		switch {
		case l.streak >= patience:
			l.until = time.Now().Add(min(time.Second<<min(l.streak-patience, 10), maxRest))
			return
		case err != nil && ctx.Err() == nil:
			l.log.Warn().Err(err).Str("endpoint", l.endpointID).Msg("cannot send webhooks; retrying")
			due = nil
			select {
			case <-ctx.Done():
			case <-time.After(retryPause):
			}
		}
	}
}

// width returns the number of deliveries that are attempted before the health of the endpoint is judged.
func (l *line) width() int {
	if l.streak > 0 {
		return 1
	}
	return page
}

// sendAll makes one attempt at each of a few deliveries, until one fails.
func (l *line) sendAll(ctx context.Context, all []webhook.Pending) error {
	pending, err := l.deliveries.Read(ctx, all)
	if err != nil || len(pending) == 0 {
		return err
	}
	owner := pending[0].Owner
	var failing atomic.Bool
	results, failed := make([]result, len(pending)), make([]error, len(pending))
	slots := make(chan struct{}, places)
	var sending sync.WaitGroup
	for i, d := range pending {
		slots <- struct{}{}
		if failing.Load() || ctx.Err() != nil {
			break
		}
		var to *loaded
		if to, err = l.refreshed(ctx, owner); err != nil {
			break
		}
		sending.Go(func() {
			var record func() error
			results[i], record, failed[i] = l.send(ctx, to, d)
			if results[i] == refused || failed[i] != nil {
				failing.Store(true)
			}
			<-slots // the next request does not wait for the record of this one
			if record != nil {
				failed[i] = record()
			}
		})
	}
	sending.Wait()
	if err != nil {
		return err
	}
	if err := l.judge(ctx, owner, results); err != nil {
		return err
	}
	return errors.Join(failed...)
}

// refreshed returns the endpoint, which it reads unless that was done recently.
func (l *line) refreshed(ctx context.Context, owner string) (*loaded, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.target != nil && time.Since(l.target.read) < fresh {
		return l.target, nil
	}
	err := l.load(ctx, owner)
	return l.target, err
}

// load reads the endpoint.
func (l *line) load(ctx context.Context, owner string) error {
	t := &loaded{read: time.Now()}
	var err error
	t.Endpoint, _, err = l.endpoints.Get(ctx, owner, l.endpointID)
	if errors.Is(err, webhook.ErrNotFound) {
		t.deleted = true
		l.target = t
		return nil
	}
	if err == nil {
		t.health, t.version, err = l.endpoints.Health(ctx, t.Endpoint)
	}
	for _, sealed := range t.Valid(t.read) {
		secret, failed := l.endpoints.Unseal(ctx, l.endpointID, sealed)
		t.secrets, err = append(t.secrets, secret), errors.Join(err, failed)
	}
	if err == nil {
		l.target = t
	}
	return err
}

// judge records in the health of the endpoint how requests have ended.
func (l *line) judge(ctx context.Context, owner string, results []result) error {
	switch {
	case slices.Contains(results, delivered):
		l.streak = 0
		if l.target.health.FailingSince.IsZero() {
			return nil
		}
		return l.change(ctx, owner, webhook.Health{})
	case slices.Contains(results, refused):
		l.streak++
		return l.change(ctx, owner, l.target.health.Failed(time.Now().UTC(), false))
	}
	l.streak = 0 // no requests are made to an endpoint that was deleted or disabled
	return nil
}

// gone disables the endpoint after the response 410, before the delivery is recorded, so that a crash between the two is
// followed by another request.
func (l *line) gone(ctx context.Context, owner string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.change(ctx, owner, l.target.health.Failed(time.Now().UTC(), true))
}

// change replaces the health of the endpoint. It reports an endpoint that is disabled by that.
func (l *line) change(ctx context.Context, owner string, health webhook.Health) error {
	t := l.target
	if health == t.health || t.State(t.health) == webhook.Disabled {
		return nil
	}
	if t.State(health) == webhook.Disabled {
		if err := l.disabled(ctx, t.Endpoint, health); err != nil {
			return err
		}
	}
	err := l.endpoints.PutHealth(ctx, t.Endpoint, health, t.version)
	if errors.Is(err, platform.ErrChanged) {
		return l.load(ctx, owner) // the next request decides again
	}
	if err == nil {
		next := *t
		next.health, next.version = health, t.version+1
		l.target = &next
	}
	return err
}
