package embedded

import "sync"

// rounds implements group commit: callers share a call that covers everything done before it began.
type rounds struct {
	mu               sync.Mutex
	waiting, running map[string]*round // at most one of each per name
}

type round struct {
	led  bool // a caller has begun to run it
	done chan struct{}
	err  error // read only after done is closed
}

// share calls f, or returns the error of another caller's call of the same name that began after
// share was called.
func (r *rounds) share(name string, f func() error) error { return r.join(name, f)() }

// join enters the next round of a name, which covers everything done before join. The round begins
// when its first caller calls need; until then others can join. Every caller must call need, which
// calls f or returns the error of another caller's call.
func (r *rounds) join(name string, f func() error) (need func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting, r.running = map[string]*round{}, map[string]*round{}
	}
	next, joined := r.waiting[name]
	if !joined {
		next = &round{done: make(chan struct{})}
		r.waiting[name] = next
	}
	return func() error { return r.need(name, next, f) }
}

func (r *rounds) need(name string, next *round, f func() error) error {
	r.mu.Lock()
	led, before := next.led, r.running[name]
	next.led = true
	r.mu.Unlock()
	if led {
		<-next.done
		return next.err
	}
	if before != nil {
		<-before.done
	}
	r.mu.Lock()
	delete(r.waiting, name)
	r.running[name] = next
	r.mu.Unlock()
	next.err = f()
	r.mu.Lock()
	delete(r.running, name)
	r.mu.Unlock()
	close(next.done)
	return next.err
}
