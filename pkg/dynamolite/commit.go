package dynamolite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"go.etcd.io/bbolt"
)

// maxGroup bounds the number of requests in one commit, and thus the duration of
// the commit.
const maxGroup = 256

// committer commits writes in groups: all waiting requests run in one bbolt
// transaction, and their responses are sent when it is durable. Writes are
// therefore serial, and concurrent writers share a sync. The goroutine of the
// first request in a group runs the group, which saves a single writer a
// goroutine switch.
type committer struct {
	engine  *Engine
	mu      sync.Mutex
	queue   []*change
	leading bool // whether a group is running
	ended   bool
	idle    *sync.Cond // signals that leading has become false; uses mu
}

// change is one request's part of a group. run must read and decide before it writes. After its
// first write it may fail only if bbolt fails, which fails the entire group. A rejected request
// therefore has no effect.
type change struct {
	run func(*writeTx) error
	// alone, if it is not nil, is called instead of run, outside of a transaction and while no group runs.
	alone func() error
	err   error
	wake  chan bool // true: lead the next group; false: done
}

func newCommitter(e *Engine) *committer {
	c := &committer{engine: e}
	c.idle = sync.NewCond(&c.mu)
	return c
}

// write runs the change in a group and returns its error once the group is
// durable. The change runs once; it takes effect if and only if the error is
// nil.
func (e *Engine) write(run func(*writeTx) error) error {
	return e.commits.do(&change{run: run})
}

// between calls f between two groups: after the writes acknowledged so far, and before later ones. The writes that
// arrive meanwhile wait.
func (e *Engine) between(f func() error) error {
	return e.commits.do(&change{alone: f})
}

// do runs the change in its turn and returns its error.
func (c *committer) do(ch *change) error {
	ch.wake = make(chan bool, 1)
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return ErrClosed
	}
	c.queue = append(c.queue, ch)
	lead := !c.leading
	c.leading = true
	c.mu.Unlock()
	if lead || <-ch.wake {
		c.lead()
	}
	return ch.err
}

// lead runs the group at the head of the queue, whose first change is the
// caller's, and then makes the next group's first request the leader.
func (c *committer) lead() {
	c.mu.Lock()
	n := min(len(c.queue), maxGroup)
	if i := slices.IndexFunc(c.queue[:n], func(ch *change) bool { return ch.alone != nil }); i >= 0 {
		n = max(1, i)
	}
	group := c.queue[:n:n]
	c.queue = c.queue[n:]
	c.mu.Unlock()
	if alone := group[0].alone; alone != nil {
		group[0].err = c.engine.noted(guard(alone))
	} else if err := c.engine.noted(guard(func() error { return c.commit(group) })); err != nil {
		for _, ch := range group {
			ch.err = fmt.Errorf("dynamolite: commit: %w", err)
		}
	}
	for _, ch := range group[1:] {
		ch.wake <- false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) > 0 {
		c.queue[0].wake <- true
		return
	}
	c.queue, c.leading = nil, false
	c.idle.Broadcast()
}

// stop rejects further changes and waits for those in progress.
func (c *committer) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for c.leading {
		c.idle.Wait()
	}
}

// commit runs the group. On an error, no change of the group has taken effect.
func (c *committer) commit(group []*change) (err error) {
	tx, err := c.engine.db.Begin(true)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // the first error is the one to report
		}
	}()
	w := &writeTx{tx: tx, now: c.engine.clock(), tables: *c.engine.catalog.Load(), counts: map[uint64]*counts{}}
	if j := c.engine.journal; j != nil {
		w.journal, w.late, w.before = j.blank(), map[string][]byte{}, j.late
	}
	return guard(func() error {
		for _, ch := range group {
			ch.err = c.engine.noted(w.run(ch))
			if ch.err != nil && isStoreError(ch.err) && !w.intact {
				return ch.err
			}
		}
		if !w.changed {
			return tx.Rollback()
		}
		if err := w.flushCounts(); err != nil {
			return err
		}
		if err := c.engine.end(w); err != nil {
			return err
		}
		c.engine.catalog.Store(&w.tables)
		return nil
	})
}

// run runs a change. If it finds damage before it writes, the transaction remains intact: only this
// change fails.
func (w *writeTx) run(ch *change) (err error) {
	before, structural := len(w.journal), w.structural
	w.intact = false
	defer func() {
		if p := recover(); p != nil {
			damage, ok := p.(*pageError)
			if !ok {
				panic(p)
			}
			err = damage
		}
		w.intact = errors.Is(err, ErrDamaged) && len(w.journal) == before && w.structural == structural
	}()
	return ch.run(w)
}

// end makes the group's transaction durable.
func (e *Engine) end(w *writeTx) error {
	switch {
	case e.journal == nil:
		return w.tx.Commit()
	case w.structural:
		return e.journal.commit(w.tx, e.journal.blank(), w.late)
	default:
		return e.journal.commit(w.tx, w.journal, w.late)
	}
}

// isStoreError reports whether err is a failure of the store, after which the
// transaction may be half written. Other errors reject a request.
func isStoreError(err error) bool {
	return !errors.Is(err, errTableChanged) && clientError(err).status() >= http.StatusInternalServerError
}

// read runs f in a consistent snapshot that includes all acknowledged writes.
func (e *Engine) read(f func(*bbolt.Tx) error) error {
	return e.noted(guard(func() error { return e.db.View(f) }))
}
