package web

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// ErrFull, ErrClientFull and ErrOwnerFull are returned by Limiter.Enter and Caller.Enter.
var (
	ErrFull       = errors.New("web: the limit is reached")
	ErrClientFull = errors.New("web: the limit of this client is reached")
	ErrOwnerFull  = errors.New("web: the limit of this owner is reached")
)

// Limiter limits concurrent use: in total, per client address, and per owner, so that neither one client nor one owner
// can occupy all slots. It is safe for concurrent use.
type Limiter struct {
	name                       string // name of the limit in RateLimit fields; empty sends none
	total, perClient, perOwner int

	mu      sync.Mutex
	entered int
	clients map[string]int
	owners  map[string]int // without the empty owner
	waiting []*waiter      // waiters in order of arrival
}

// holder is who takes a slot. The owner may be empty.
type holder struct{ client, owner string }

type waiter struct {
	holder
	turn chan struct{} // closed when the waiter is assigned a slot
}

// NewLimiter returns a Limiter of total slots, of which one client gets at most perClient.
func NewLimiter(total, perClient int) *Limiter {
	return &Limiter{total: total, perClient: perClient, perOwner: total, clients: map[string]int{}, owners: map[string]int{}}
}

// NewHeldLimiter returns a Limiter of requests that are held open, such as streams. Like NewLimiter, it has total
// slots, and one client gets at most perClient. One owner gets at most half of the slots, from any number of
// addresses. name is the name of the limit in the fields RateLimit and RateLimit-Policy.
func NewHeldLimiter(name string, total, perClient int) *Limiter {
	l := NewLimiter(total, perClient)
	l.name, l.perOwner = name, (total+1)/2
	return l
}

// Enter takes a slot for the client at a remote address, either host:port or a host. It does not
// wait. The caller calls leave once. Enter returns ErrFull or ErrClientFull.
func (l *Limiter) Enter(remoteAddr string) (leave func(), err error) {
	return l.enter(holder{client: ClientOf(remoteAddr)})
}

func (l *Limiter) enter(h holder) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(h)
}

// Wait is like Enter, but waits for a slot until ctx is done, and then returns the cause of ctx. A free slot goes to the
// waiter whose client and owner have the fewest.
func (l *Limiter) Wait(ctx context.Context, remoteAddr string) (leave func(), err error) {
	return l.wait(ctx, holder{client: ClientOf(remoteAddr)})
}

func (l *Limiter) wait(ctx context.Context, h holder) (leave func(), err error) {
	l.mu.Lock()
	w := &waiter{h, make(chan struct{})}
	if leave, err := l.take(w.holder); err == nil {
		l.mu.Unlock()
		return leave, nil
	}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	select {
	case <-w.turn:
		return func() { l.leave(w.holder) }, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, w); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.release(w.holder) // the slot that it was assigned in the meantime
	}
	return nil, context.Cause(ctx)
}

// take takes a free slot. The callers of take, enters and release hold mu.
func (l *Limiter) take(h holder) (leave func(), err error) {
	switch {
	case l.clients[h.client] >= l.perClient:
		return nil, ErrClientFull
	case h.owner != "" && l.owners[h.owner] >= l.perOwner:
		return nil, ErrOwnerFull
	case l.entered >= l.total:
		return nil, ErrFull
	}
	l.enters(h)
	return func() { l.leave(h) }, nil
}

func (l *Limiter) enters(h holder) {
	l.entered++
	l.clients[h.client]++
	if h.owner != "" {
		l.owners[h.owner]++
	}
}

func (l *Limiter) leave(h holder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(h)
}

// release frees a slot and assigns it to the waiter whose client and owner together have the fewest slots, if both are
// below their limits.
func (l *Limiter) release(h holder) {
	l.entered--
	if l.clients[h.client]--; l.clients[h.client] == 0 {
		delete(l.clients, h.client)
	}
	if h.owner != "" {
		if l.owners[h.owner]--; l.owners[h.owner] == 0 {
			delete(l.owners, h.owner)
		}
	}
	next, fewest := -1, 0
	for i, w := range l.waiting {
		has := l.clients[w.client] + l.owners[w.owner]
		if l.clients[w.client] < l.perClient && l.owners[w.owner] < l.perOwner && (next < 0 || has < fewest) {
			next, fewest = i, has
		}
	}
	if next < 0 {
		return
	}
	w := l.waiting[next]
	l.waiting = slices.Delete(l.waiting, next, next+1)
	l.enters(w.holder)
	close(w.turn)
}

// ClientOf returns the key by which limits count a client: its IPv4 address, or the /64 network of its IPv6
// address, since one host may use all of them.
func ClientOf(remoteAddr string) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
