package bus_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestConnectReconcilesEverySetting checks that stream settings declared by an older version or
// changed by a user are corrected when a service connects.
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
		"messages per item":    func(s *jetstream.StreamConfig) { s.MaxMsgsPerSubject = 2 },
		"discard new per item": func(s *jetstream.StreamConfig) { s.DiscardNewPerSubject = false },
		"age":                  func(s *jetstream.StreamConfig) { s.MaxAge = time.Hour },
		"duplicate window":     func(s *jetstream.StreamConfig) { s.Duplicates = time.Minute },
	} {
		t.Run(name, func(t *testing.T) {
			other := want
			change(&other)
			if _, err := w.JS.UpdateStream(t.Context(), other); err != nil {
				t.Fatal(err)
			}
			if reflect.DeepEqual(config(), want) {
				t.Fatal("the server did not apply the change")
			}
			bustest.Connect(t, w.URL, bus.Config{})
			if got := config(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestPublishRecreatesADeletedStream checks that publishing an event to a deleted stream declares
// all streams again, including one without a consumer.
func TestPublishRecreatesADeletedStream(t *testing.T) {
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
		t.Errorf("got %d events, want 1", n)
	}
}
