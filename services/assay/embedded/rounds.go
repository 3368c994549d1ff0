package embedded

import "sync"

// rounds lets callers share what covers all that was done before it began.
type rounds struct {
	mu             sync.Mutex
	waiting, under map[string]*round // not begun, and begun; one of each for a name
}

type round struct {
	done chan struct{}
	err  error // read only after done is closed
}

// share calls f, or returns the error of another's call of the same name that began
// after share was called.
func (r *rounds) share(name string, f func() error) error {
	r.mu.Lock()
	if r.waiting == nil {
		r.waiting, r.under = map[string]*round{}, map[string]*round{}
	}
	next, joined := r.waiting[name]
	if !joined {
		next = &round{done: make(chan struct{})}
		r.waiting[name] = next
	}
	before := r.under[name]
	r.mu.Unlock()
	if joined {
		<-next.done
		return next.err
	}
	if before != nil {
		<-before.done
	}
	r.mu.Lock()
	delete(r.waiting, name)
	r.under[name] = next
	r.mu.Unlock()
	next.err = f()
	r.mu.Lock()
	delete(r.under, name)
	r.mu.Unlock()
	close(next.done)
	return next.err
}
