package live

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestStreamsOfAnAreaAreFilteredByItsFacet(t *testing.T) {
	w := open(t, many, 64)
	all, short := w.open(w.url+"/v1/files/events", ""), w.open(w.url+"/v1/files/events?begin=b", "")
	all.expect("ready", "")
	short.expect("ready", "")
	for _, id := range []string{"a1", "b1", "a2", "b2"} {
		w.publish("ann", id)
		all.expect("completed", id)
	}
	short.expect("completed", "b1")
	short.expect("completed", "b2")
}

// A watcher of an item is notified of its outcomes, of a gap that may have contained
// one, and of nothing else.
func TestWatch(t *testing.T) {
	h := New(many, Options{Registry: prometheus.NewRegistry()})
	h.outcomes.ring.reset(100)
	mine, stop := h.Watch("textfile", "a1")
	again, stopAgain := h.Watch("textfile", "a1")
	defer stopAgain()
	other, stopOther := h.Watch("feed", "a1")
	defer stopOther()
	check := func(after string, wantMine, wantOther int) {
		t.Helper()
		h.outcomes.ring.wakeDirty()
		if len(mine) != wantMine || len(again) != wantMine || len(other) != wantOther {
			t.Errorf("after %s: got %d, %d and %d wake-ups, want %d, %d and %d", after, len(mine), len(again), len(other), wantMine, wantMine, wantOther)
		}
		for _, seen := range []<-chan struct{}{mine, again, other} {
			for range len(seen) {
				<-seen
			}
		}
	}
	h.outcomes.ring.add(entry{sequence: 101, owner: "a1", area: "textfile", id: "b1"})
	check("an outcome of another item", 0, 0)
	h.outcomes.ring.add(entry{sequence: 102, owner: "ann", area: "textfile", id: "a1"})
	h.outcomes.ring.add(entry{sequence: 103, owner: "ann", area: "textfile", id: "a1"})
	check("two outcomes", 1, 0)
	h.outcomes.ring.reset(200)
	check("a gap", 1, 1)
	stop()
	if n := len(h.outcomes.ring.groups); n != 2 {
		t.Errorf("after stop: got %d groups, want 2", n)
	}
}
