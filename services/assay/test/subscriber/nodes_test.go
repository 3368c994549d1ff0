package subscriber_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/subscriber"
)

// TestChangesOfNodes checks that each change of a node is handled once, even across a
// restart, and that it is handled again if the handler returns an error.
func TestChangesOfNodes(t *testing.T) {
	server := bustest.Open(t)
	b, err := bus.Connect(t.Context(), bustest.Settings(server.URL, bus.Config{Logs: []bus.Log{library.Nodes()}, OutcomesMaxAge: time.Hour}), "test", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	cfg := subscriber.Config{URL: server.URL, Name: "indexer", Lease: patience, Backoff: func(int) time.Duration { return time.Millisecond }}
	seen := make(chan subscriber.NodeChange, 10)
	rejected := false
	for version := int64(1); version <= 4; version++ {
		n := library.Node{ID: "01a205ce-cb6c-7d91-8be8-2d36ba6eb30e", Type: library.KindFolder, OwnedBy: "ann", Name: "docs", Version: version}
		if err := b.Publish(t.Context(), n.Changed(library.ChangeUpdated, library.Node{})); err != nil {
			t.Fatal(err)
		}
		if version%2 == 1 {
			continue
		}
		ctx, stop := context.WithCancel(t.Context()) // a new subscriber for every two changes
		ended := make(chan error, 1)
		go func() {
			ended <- subscriber.RunNodes(ctx, cfg, func(_ context.Context, c subscriber.NodeChange) error {
				if !rejected {
					rejected = true
					return errors.New("not yet")
				}
				seen <- c
				return nil
			})
		}()
		got := map[float64]bool{}
		for range 2 {
			got[next(t, seen, "change").Changed.Version] = true
		}
		if !got[float64(version-1)] || !got[float64(version)] {
			t.Errorf("got changes of versions %v, want %d and %d", got, version-1, version)
		}
		stop()
		if err := next(t, ended, "end"); err != nil {
			t.Error(err)
		}
	}
	if err := subscriber.RunNodes(t.Context(), subscriber.Config{URL: server.URL, Name: "x", Area: "feed"}, nil); err == nil {
		t.Error("RunNodes for the area feed: got no error, want one")
	}
}
