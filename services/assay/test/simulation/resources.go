package simulation

import (
	"context"
	"errors"
	"sync"
	"time"
)

// wait waits for a time, or until ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// processors are the processors of a node. Each serves one request at a time, in the order of their arrival.
type processors struct {
	mu   sync.Mutex
	free []time.Time
	used time.Duration
}

func newProcessors(n int) *processors { return &processors{free: make([]time.Time, n)} }

// use uses a processor for a time, and waits for a free one before.
func (p *processors) use(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	now, first := time.Now(), 0
	for i, free := range p.free {
		if free.Before(p.free[first]) {
			first = i
		}
	}
	start := p.free[first]
	if start.Before(now) {
		start = now
	}
	end := start.Add(d)
	p.free[first] = end
	p.used += d
	p.mu.Unlock()
	return wait(ctx, end.Sub(now))
}

// disk is a disk to which an engine syncs its writes. Writes that arrive during a sync share the next one.
type disk struct {
	sync time.Duration // time of one sync

	mu             sync.Mutex
	current, after time.Time // ends of the sync in progress and of the next one
}

// write waits until a write is synced.
func (d *disk) write(ctx context.Context) error {
	if d.sync == 0 {
		return nil
	}
	d.mu.Lock()
	now := time.Now()
	switch {
	case !now.Before(d.after): // no sync is in progress
		d.current = now.Add(d.sync)
		d.after = d.current
	case !now.Before(d.current): // the next one has begun
		d.current = d.after
		d.after = d.current.Add(d.sync)
	case d.after.Equal(d.current):
		d.after = d.current.Add(d.sync)
	}
	end := d.after
	d.mu.Unlock()
	return wait(ctx, end.Sub(now))
}

// errThrottled is the error of a request beyond a limit of AWS, after the retries of the SDK.
var errThrottled = errors.New("the request rate is too high")

// patience is how long the retries of the SDK wait for a throttled request.
const patience = time.Second

// limit is a limit of units per second.
type limit struct {
	each time.Duration // time of one unit

	mu   sync.Mutex
	free time.Time
}

// take waits until n units are available. It returns errThrottled if that takes longer than patience.
func (l *limit) take(ctx context.Context, n float64) error {
	l.mu.Lock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	ahead := l.free.Sub(now)
	if ahead > patience {
		l.mu.Unlock()
		return errThrottled
	}
	l.free = l.free.Add(time.Duration(n * float64(l.each)))
	l.mu.Unlock()
	return wait(ctx, ahead)
}

// database is a model of a DynamoDB table, or of the embedded engine.
type database struct {
	Latency   time.Duration // of a transaction
	disk      disk          // of the embedded engine
	table     *limit        // nil for none
	partition time.Duration // time of a write unit in one partition; 0 for no limit

	mu         sync.Mutex
	partitions map[string]*limit
	units      float64
}

// transact writes an item of a file and its entry in the list of the owner.
func (d *database) transact(ctx context.Context, owner string, file, entry float64) error {
	d.mu.Lock()
	d.units += file + entry
	var list *limit
	if d.partition > 0 {
		if list = d.partitions[owner]; list == nil {
			list = &limit{each: d.partition}
			d.partitions[owner] = list
		}
	}
	d.mu.Unlock()
	if d.table != nil {
		if err := d.table.take(ctx, file+entry); err != nil {
			return err
		}
	}
	if list != nil {
		if err := list.take(ctx, entry); err != nil {
			return err
		}
	}
	if err := d.disk.write(ctx); err != nil {
		return err
	}
	return wait(ctx, d.Latency)
}

// bucket is a model of an S3 bucket, or of the embedded engine.
type bucket struct {
	Put, Get   time.Duration // latencies
	disk       disk          // of the embedded engine
	puts, gets *limit        // nil for none
}

func (b *bucket) put(ctx context.Context) error {
	if b.puts != nil {
		if err := b.puts.take(ctx, 1); err != nil {
			return err
		}
	}
	if err := b.disk.write(ctx); err != nil {
		return err
	}
	return wait(ctx, b.Put)
}

func (b *bucket) get(ctx context.Context) error {
	if b.gets != nil {
		if err := b.gets.take(ctx, 1); err != nil {
			return err
		}
	}
	return wait(ctx, b.Get)
}
