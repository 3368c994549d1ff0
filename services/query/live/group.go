package live

import (
	"context"
	"sync"
)

// groupKey selects the events that wake a group: all events, or those of an owner, an area, an owner in an area, or an
// item of an area.
type groupKey struct{ owner, area, id string }

// keys returns the keys of the groups that the event wakes.
func (e *entry) keys() [5]groupKey {
	return [...]groupKey{{}, {owner: e.owner}, {area: e.area}, {owner: e.owner, area: e.area}, {area: e.area, id: e.id}}
}

// group is the set of readers and watchers that are woken by the same events.
type group struct {
	since uint64 // last does not reflect events up to this sequence
	last  uint64 // sequence of the group's newest event; at least since
	dirty bool   // notify must wake the members

	mu      sync.Mutex
	members map[chan struct{}]struct{}
}

func (g *group) wake() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for wake := range g.members {
		select {
		case wake <- struct{}{}:
		default: // already awake
		}
	}
}

// join registers wake, which must have a buffer of one, for the events of a key. The caller must call leave.
func (b *ring) join(key groupKey, wake chan struct{}) *group {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.groups[key]
	if g == nil {
		g = &group{since: b.next - 1, last: b.next - 1, members: map[chan struct{}]struct{}{}}
		b.groups[key] = g
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members[wake] = struct{}{}
	return g
}

func (b *ring) leave(key groupKey, wake chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.groups[key]
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.members, wake)
	if len(g.members) == 0 {
		delete(b.groups, key)
	}
}

func (b *ring) mark(g *group) {
	if !g.dirty {
		g.dirty = true
		b.dirty = append(b.dirty, g)
	}
}

func (b *ring) signal() {
	select {
	case b.woken <- struct{}{}:
	default:
	}
}

// notify wakes the groups of new events until ctx is done. Waking 10,000 readers takes a
// few milliseconds, during which several events can be added.
func (b *ring) notify(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.woken:
			b.wakeDirty()
		}
	}
}

func (b *ring) wakeDirty() {
	b.mu.Lock()
	dirty := b.dirty
	b.dirty = nil
	for _, g := range dirty {
		g.dirty = false
	}
	b.mu.Unlock()
	for _, g := range dirty {
		g.wake()
	}
}
