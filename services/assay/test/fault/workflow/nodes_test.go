package workflow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
	"github.com/assay-project/assay/services/query/changes"
	"github.com/assay-project/assay/services/query/library/nodes"
)

// publisher starts a publisher of NodeChanged events behind its own wire, and returns a function
// that kills it.
func (w *world) publisher(hook wire.Hook) (wires *wire.Wire, kill func()) {
	w.t.Helper()
	wires, err := wire.New(w.at, hook)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	backends, err := backend.Join(ctx, settings(wires.Engines()), "query", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		w.t.Fatal(err)
	}
	p := nodes.New(changes.Config{Poll: 5 * time.Millisecond, Lease: lease}, tables, platformTable, backends, zerolog.Nop(), obs.NewRegistry())
	var running sync.WaitGroup
	running.Go(func() {
		if err := p.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	end := sync.OnceFunc(func() {
		stop()
		running.Wait()
		backends.Close()
		wires.Cut()
	})
	w.t.Cleanup(end)
	return wires, func() {
		wires.Cut()
		go end()
	}
}

// history returns the events of each node in stream order, by node id.
func (w *world) history() map[string][]*event.NodeChanged {
	w.t.Helper()
	stream, err := w.js.Stream(w.t.Context(), library.NodeStream)
	if err != nil {
		w.t.Fatal(err)
	}
	found := map[string][]*event.NodeChanged{}
	info := stream.CachedInfo().State
	for n := info.FirstSeq; n <= info.LastSeq && n > 0; n++ {
		msg, err := stream.GetMsg(w.t.Context(), n)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		d := &event.NodeChanged{}
		if err == nil {
			err = event.Unmarshal(msg.Data, d)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		found[d.NodeId] = append(found[d.NodeId], d)
	}
	return found
}

// TestEveryChangeIsPublishedOnce: every version of every node is published exactly once, even if the publisher
// crashes, and the last event of a node matches its row.
func TestEveryChangeIsPublishedOnce(t *testing.T) {
	w := start(t)
	w.worker(nil)
	var mu sync.Mutex
	publishes := 0
	dying := func(c wire.Call, m wire.Moment) bool { // crashes at the fifth moment of publishes, before the third event is stored
		mu.Lock()
		defer mu.Unlock()
		if c.Engine == "nats" && c.Name == "publish assay.library.node" {
			publishes++
		}
		return publishes >= 5
	}
	wires, kill := w.publisher(dying)
	folder, err := w.CreateFolder(t.Context(), library.NewNode{ID: w.id(), Owner: "ann", Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	file := w.ended(w.add("a.bin", folder.ID, "\x00").ID)
	<-wires.Done()
	kill()
	gone := w.ended(w.add("b.bin", folder.ID, "\x00").ID)
	if _, err := w.Rename(t.Context(), folder.ID, "papers", library.Edit{By: "ann"}); err != nil {
		t.Fatal(err)
	}
	w.erase(gone.ID)
	w.until("the erasure", func() error { return w.nothing(gone.ID) })
	w.publisher(func(wire.Call, wire.Moment) bool { return false })
	rows := map[string]library.Node{}
	for _, id := range []string{folder.ID, file.ID, library.RootID("ann")} {
		n, err := w.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		rows[id] = n
	}
	w.until("the events", func() error {
		history := w.history()
		for id, n := range rows {
			events := history[id]
			if len(events) != int(n.Version) {
				return fmt.Errorf("%s has %d events for %d versions", n.Name, len(events), n.Version)
			}
			for i, e := range events {
				if e.Version != float64(i+1) || (e.Change == library.ChangeCreated) != (i == 0) {
					return fmt.Errorf("event %d of %s = %+v, want version %d", i, n.Name, e, i+1)
				}
			}
			if last := events[len(events)-1]; last.Name != n.Name || last.Status != string(n.Status) || last.ParentId != n.ParentID {
				return fmt.Errorf("the last event %+v differs from the row %+v", last, n)
			}
		}
		if events := history[gone.ID]; len(events) == 0 || events[len(events)-1].Change != library.ChangeDeleted {
			return fmt.Errorf("the events of the erased file are %+v, want a deletion as the last one", events)
		}
		return nil
	})
	if history := w.history(); len(history) != 4 {
		t.Errorf("got events of the nodes %v, want 4 nodes", slices.Collect(maps.Keys(history)))
	}
}
