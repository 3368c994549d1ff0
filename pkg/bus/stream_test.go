package bus_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestConnectReconcilesEverySetting: whatever of a stream was declared otherwise, by
// an older version or by hand, is as it should be once a service has connected.
func TestConnectReconcilesEverySetting(t *testing.T) {
	w := bustest.Open(t)
	config := func() jetstream.StreamConfig {
		t.Helper()
		s, err := w.JS.Stream(t.Context(), bustest.WorkStream)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().Config
	}
	want := config()
	for name, change := range map[string]func(*jetstream.StreamConfig){
		"description":          func(s *jetstream.StreamConfig) { s.Description = "other" },
		"subjects":             func(s *jetstream.StreamConfig) { s.Subjects = append(s.Subjects, "other") },
		"republish":            func(s *jetstream.StreamConfig) { s.RePublish = nil },
		"discard":              func(s *jetstream.StreamConfig) { s.Discard, s.DiscardNewPerSubject = jetstream.DiscardOld, false },
		"messages":             func(s *jetstream.StreamConfig) { s.MaxMsgs = 7 },
		"bytes":                func(s *jetstream.StreamConfig) { s.MaxBytes = 1 << 20 },
		"messages of an item":  func(s *jetstream.StreamConfig) { s.MaxMsgsPerSubject = 2 },
		"full for an item":     func(s *jetstream.StreamConfig) { s.DiscardNewPerSubject = false },
		"age":                  func(s *jetstream.StreamConfig) { s.MaxAge = time.Hour },
		"window of duplicates": func(s *jetstream.StreamConfig) { s.Duplicates = time.Minute },
	} {
		t.Run(name, func(t *testing.T) {
			other := want
			change(&other)
			if _, err := w.JS.UpdateStream(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			if reflect.DeepEqual(config(), want) {
				t.Fatal("the server did not take the change")
			}
			bustest.Connect(t, w.URL, bus.Config{})
			if got := config(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestLostStreamIsMadeAnewByAPublish: an event for a stream that someone deleted
// makes all streams be declared again, also one that has no consumer to miss it.
func TestLostStreamIsMadeAnewByAPublish(t *testing.T) {
	w := bustest.OpenAt(t, bustest.Start(t), bus.Config{})
	if err := w.JS.DeleteStream(t.Context(), bus.StreamOutcomes); err != nil {
		t.Fatal(err)
	}
	if err := w.Bus.Republish(t.Context(), bustest.Completed("f1")); err != nil {
		t.Fatal(err)
	}
	outcomes, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	if n := outcomes.CachedInfo().State.Msgs; n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}
