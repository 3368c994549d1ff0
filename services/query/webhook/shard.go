package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/checkpoint"
	"github.com/assay-project/assay/pkg/webhook"
)

const (
	// look is the interval at which the holder of a shard looks for deliveries that another process has added.
	look = 2 * time.Second
	// idle is the interval at which every process looks for deliveries that none sends: the process that adds one sends it,
	// unless it ends.
	idle = 10 * time.Second
	// spacing is the minimum interval at which a process looks, so that deliveries that are added at once are found at once.
	spacing = 50 * time.Millisecond
	// retryPause is the pause after a failure of the table.
	retryPause = time.Second
	// hold is the time for which a process keeps a shard without deliveries that are due.
	hold = 3 * time.Second
)

// shard sends the deliveries of a shard while this process holds its lease.
type shard struct {
	*Service
	number  int
	lines   map[string]*line // by endpoint
	ended   chan *line
	scanned time.Time
}

func (s *Service) newShard(number int) *shard {
	return &shard{Service: s, number: number, lines: map[string]*line{}, ended: make(chan *line)}
}

// run sends deliveries until ctx is done and the requests in progress have ended.
func (s *shard) run(ctx context.Context) {
	for ctx.Err() == nil {
		due, next, err := s.due(ctx)
		if err == nil && len(due) > 0 {
			err = s.take(ctx)
		}
		pause := max(0, min(idle, time.Until(next)))
		if held, ok := errors.AsType[*checkpoint.HeldError](err); ok {
			pause = max(held.Wait, look/2)
		} else if err != nil && ctx.Err() == nil {
			s.log.Warn().Err(err).Int("shard", s.number).Msg("cannot send webhooks; retrying")
			pause = retryPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		case <-s.wake[s.number]:
			// A process that does not hold the lease looks again when the holder may have sent the delivery.
		}
	}
}

// due returns the endpoints with deliveries that are due, and the time at which another one will be.
func (s *shard) due(ctx context.Context) (due []string, next time.Time, err error) {
	select {
	case <-ctx.Done():
		return nil, next, ctx.Err()
	case <-time.After(time.Until(s.scanned.Add(spacing))):
	}
	now := time.Now()
	s.scanned, next = now, now.Add(time.Hour)
	err = s.deliveries.Waiting(ctx, s.number, func(endpointID string, at time.Time) {
		if l := s.lines[endpointID]; l != nil && !l.running && l.until.After(at) { // a running line may change it
			at = l.until
		}
		if at.After(now) {
			if at.Before(next) {
				next = at
			}
			return
		}
		due = append(due, endpointID)
	})
	return due, next, err
}

// take sends deliveries of the shard under its lease, until none is due or ctx is done. It returns a *checkpoint.HeldError if
// another process holds the lease.
func (s *shard) take(ctx context.Context) error {
	held, err := s.leases.Acquire(ctx, webhook.ShardName(s.number))
	if err != nil {
		return err
	}
	sending, stop := context.WithCancel(ctx)
	running := 0
	err = s.send(sending, held, &running)
	stop()
	for ; running > 0; running-- {
		(<-s.ended).running = false
	}
	if errors.Is(err, checkpoint.ErrLost) {
		return nil // another process sends the rest
	}
	return errors.Join(err, held.Release(ctx))
}

// send starts a line for each endpoint with due deliveries, until none has been due for the time of hold. It adds the lines that
// have not ended to running.
func (s *shard) send(ctx context.Context, held *checkpoint.Lease, running *int) error {
	renew := time.NewTicker(lease / 3)
	defer renew.Stop()
	active := time.Now()
	for {
		due, next, err := s.due(ctx)
		if err != nil {
			return err
		}
		for _, id := range due {
			l := s.lines[id]
			if l == nil {
				l = &line{Service: s.Service, endpointID: id}
				s.lines[id] = l
			}
			if !l.running {
				l.running = true
				*running++
				go func() { l.run(ctx); s.ended <- l }()
			}
		}
		if *running > 0 {
			active = time.Now()
		} else if time.Since(active) >= hold {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake[s.number]:
		case <-time.After(min(look, time.Until(next))):
		case l := <-s.ended:
			l.running = false
			*running--
			if l.streak == 0 {
				delete(s.lines, l.endpointID)
			}
		case <-renew.C:
			if err := held.Renew(ctx); err != nil {
				return err
			}
		}
	}
}
