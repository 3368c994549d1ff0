package source

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/web"
)

// Take accepts items of a source into the feed. An error is a failure of an Assay backend; the next poll
// reads the items again.
type Take func(ctx context.Context, source string, items []feed.Submission) (Taken, error)

// Options contains the dependencies of a Poller.
type Options struct {
	Store    *Store
	Take     Take
	Key      func(variable string) string // returns the value of an environment variable that contains a key; "" if unset
	Log      zerolog.Logger
	Registry prometheus.Registerer
}

// Poller polls sources when they are due. Several processes can run a Poller, since a poll holds a lease
// on its source.
type Poller struct {
	Options
	cfg     Config
	client  fetch.Client
	metrics *metrics
	leases  *leases
	now     func() time.Time // the wall clock
	changed chan struct{}
	slots   chan struct{} // contains a value for each poll in progress
}

// New returns a poller. It makes no requests.
func New(cfg Config, o Options) *Poller {
	return &Poller{
		Options: o, cfg: cfg, metrics: newMetrics(o.Registry),
		client: fetch.Client{HTTP: guard.Client(cfg.policy(), requestTimeout), MaxBody: cfg.MaxBody},
		leases: newLeases(cfg.Lease), now: time.Now,
		changed: make(chan struct{}, 1), slots: make(chan struct{}, parallel),
	}
}

// Check applies defaults to the settings and returns their errors.
func (p *Poller) Check(s Settings) (Settings, []web.FieldError) {
	s = s.withDefaults()
	return s, s.check(p.cfg)
}

// Changed makes the poller check for due sources immediately.
func (p *Poller) Changed() {
	select {
	case p.changed <- struct{}{}:
	default: // a check is already scheduled
	}
}

// Run polls until ctx is done and the polls in progress have released their sources.
func (p *Poller) Run(ctx context.Context) {
	var polls sync.WaitGroup
	defer p.client.HTTP.CloseIdleConnections()
	defer polls.Wait()
	tick := time.NewTicker(p.cfg.Every)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := p.startDue(ctx, &polls); err != nil && ctx.Err() == nil {
			p.Log.Warn().Err(err).Msg("cannot poll the feed sources that are due")
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-p.changed:
		}
	}
}

// startDue starts the polls that are due.
func (p *Poller) startDue(ctx context.Context, polls *sync.WaitGroup) error {
	all, err := p.Store.All(ctx)
	if err != nil {
		return err
	}
	p.metrics.exist(all)
	for _, source := range all {
		if free := p.leases.free(&source); !free || !source.due(p.now()) {
			continue
		}
		select { // acquire a slot first, because the lease starts with the claim
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		claimed, err := p.claim(ctx, source.Name)
		if err != nil || claimed.requests == 0 {
			<-p.slots
			if err != nil {
				return err
			}
			continue
		}
		polls.Go(func() {
			p.work(ctx, claimed)
			<-p.slots
		})
	}
	return nil
}

// claimed is a claimed source with the limits of its poll.
type claimed struct {
	Source
	token    string // identifies the poll
	requests int    // maximum number of requests
	day      string // the day whose quota the requests count toward
}

// shutdownWrite limits the duration of the writes at the start and end of a poll, which a shutdown
// does not interrupt.
const shutdownWrite = 5 * time.Second

// claim claims a source that is due. In the result, requests is 0 if another process was faster or the
// quota is used up. A shutdown does not interrupt the claim: if the claim were stored but its response
// lost, the source would be blocked for the duration of a lease.
func (p *Poller) claim(ctx context.Context, name string) (claimed, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWrite)
	defer cancel()
	token, requests := uuid.NewString(), 0
	got, err := p.Store.update(ctx, name, func(s *Source, exists bool) error {
		if exists && s.State.Holder == token { // written, but the response was lost
			return errUnchanged
		}
		requests = 0
		if now := p.now(); exists && p.leases.free(s) && s.due(now) {
			requests = s.claim(token, now)
			return nil
		}
		return errUnchanged
	})
	if err == nil && requests == 0 && got.State.Last != nil && got.State.Last.Outcome == outcomeQuota {
		p.metrics.polls.WithLabelValues(name, outcomeQuota).Inc()
	}
	return claimed{got, token, requests, got.State.Used.Day}, err
}

// work polls a source and releases it.
func (p *Poller) work(ctx context.Context, c claimed) {
	// A quarter of the lease is reserved for the writes before and after the
	// poll.
	polling, cancel := context.WithTimeout(ctx, p.cfg.Lease*3/4)
	r := p.poll(polling, c)
	cancel()
	if r.err != nil && ctx.Err() != nil {
		r.err = errors.Join(errInterrupted, r.err)
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), shutdownWrite)
	defer cancel()
	after, err := p.Store.update(ctx, c.Name, func(s *Source, _ bool) error {
		if s.State.Holder != c.token {
			return errUnchanged
		}
		s.finish(c, r, p.now(), maxPause)
		return nil
	})
	outcome, _ := r.outcome()
	p.metrics.record(c.Name, outcome, r.taken)
	log := p.Log.Info()
	if r.err != nil {
		log = p.Log.Warn().Err(r.err)
	}
	log.Str("source", c.Name).Str("outcome", outcome).Int("requests", r.requests).
		Int("created", r.taken.Created).Int("duplicate", r.taken.Duplicate).Int("invalid", r.taken.Invalid).Int("skipped", r.taken.Skipped).
		Time("next", after.State.NextPoll).Msg("source polled")
	if err != nil {
		p.Log.Warn().Err(err).Str("source", c.Name).Msg("cannot record a poll; the next one starts when the lease expires")
	}
}
