//go:build !noclients

package postgres_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/postgres"
)

// ended is a source of the items that ended, with the text body.
type ended struct{}

func (ended) Stream() string        { return bus.StreamOutcomes }
func (ended) Limits() search.Limits { return search.Limits{} }
func (ended) Items(context.Context) iter.Seq2[search.Item, error] {
	return func(func(search.Item, error) bool) {}
}
func (ended) Decode(d bus.Delivery) (search.Item, bool, error) {
	e, ok, err := search.ReadEnded(d, "textfile")
	return e.Item(search.KindFile), ok, err
}

func (ended) Texts(_ context.Context, runs []search.Pending) ([]search.Reading, error) {
	readings := make([]search.Reading, len(runs))
	for i, run := range runs {
		readings[i].Read = func(context.Context) (search.Text, error) { return search.Text{Pending: run, Text: "body"}, nil }
	}
	return readings, nil
}

// TestSearchersShareAnIndex checks that processes find what one of them indexes and wait for it, and that another continues when it ends.
func TestSearchersShareAnIndex(t *testing.T) {
	url := database(t)
	world := bustest.Open(t)
	start := func() (s *search.Searcher, stop func()) {
		registry := prometheus.NewRegistry()
		s = search.Indexes{Config: search.Config{Index: url}, At: postgres.At, Bus: world.Bus, Log: zerolog.New(zerolog.NewTestWriter(t)), Registry: registry}.
			Searcher(t.Name(), func(zerolog.Logger) search.Source { return ended{} })
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		stop = func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		return s, stop
	}
	at := bustest.When().UnixMilli()
	find := func(s *search.Searcher) int {
		t.Helper()
		result, err := s.Search(t.Context(), search.Query{Caller: search.Caller{Owner: "ann"}, Terms: search.Terms{{Words: []string{"body"}, Quoted: true}}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return result.Total
	}
	await := func(s *search.Searcher, id string) {
		t.Helper()
		bustest.Eventually(t, func() error { return s.Await(t.Context(), search.Version{ID: id, Version: at}) })
	}
	first, stopFirst := start()
	bustest.Eventually(t, func() error { // the index is built without items
		_, err := first.List(t.Context(), search.Listing{Owner: "ann", Kind: search.KindFile, Limit: 1})
		return err
	})
	world.Publish(t, bustest.Completed("one"))
	await(first, "one") // it writes
	second, stopSecond := start()
	defer stopSecond()
	await(second, "one")
	if got := find(second); got != 1 {
		t.Errorf("got %d hits in the process that reads, want 1", got)
	}
	waited := make(chan error, 1)
	go func() { waited <- second.Await(t.Context(), search.Version{ID: "two", Version: at}) }()
	world.Publish(t, bustest.Completed("two"))
	if err := <-waited; err != nil {
		t.Errorf("the process that reads waited for an item that the other indexes: got error %v", err)
	}
	second.Forget("ann", "one")
	bustest.Eventually(t, func() error {
		if got := find(first); got != 1 {
			return fmt.Errorf("after a process that reads forgot an item: got %d hits, want 1", got)
		}
		return nil
	})
	stopFirst()
	world.Publish(t, bustest.Completed("three"))
	await(second, "three")
	if got := find(second); got != 2 {
		t.Errorf("after the process that wrote ended: got %d hits, want 2", got)
	}
}
