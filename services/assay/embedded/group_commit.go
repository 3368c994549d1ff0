package embedded

import "sync"

// groupCommit implements group commit: callers share a call that covers everything done before it began.
type groupCommit struct {
	mu               sync.Mutex
	waiting, running map[string]*commit // at most one of each per name
}

// commit is one call for a group of callers.
type commit struct {
	started bool // a caller has begun to run it
	done    chan struct{}
	err     error // read only after done is closed
}

// share calls f, or returns the error of another caller's call of the same name that began after
// share was called.
func (g *groupCommit) share(name string, f func() error) error { return g.join(name, f)() }

// join enters the next commit of a name, which covers everything done before join. The commit begins
// when its first caller calls wait; until then others can join. Every caller must call wait, which
// calls f or returns the error of another caller's call.
func (g *groupCommit) join(name string, f func() error) (wait func() error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting == nil {
		g.waiting, g.running = map[string]*commit{}, map[string]*commit{}
	}
	next, joined := g.waiting[name]
	if !joined {
		next = &commit{done: make(chan struct{})}
		g.waiting[name] = next
	}
	return func() error { return g.wait(name, next, f) }
}

func (g *groupCommit) wait(name string, next *commit, f func() error) error {
	g.mu.Lock()
	started, before := next.started, g.running[name]
	next.started = true
	g.mu.Unlock()
	if started {
		<-next.done
		return next.err
	}
	if before != nil {
		<-before.done
	}
	g.mu.Lock()
	delete(g.waiting, name)
	g.running[name] = next
	g.mu.Unlock()
	next.err = f()
	g.mu.Lock()
	delete(g.running, name)
	g.mu.Unlock()
	close(next.done)
	return next.err
}
