package bus_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// newer is the metadata of a stream or consumer whose settings a newer version has made.
var newer = map[string]string{"assay-settings": "2"}

// TestNewerSettingsAreLeft checks that a restart of an older version does not revert the settings that a newer version has
// made for streams and consumers.
func TestNewerSettingsAreLeft(t *testing.T) {
	w := bustest.Open(t)
	stop := bustest.Consume(t, w.Bus, bustest.Consumer(func(context.Context, bus.Delivery) error { return nil }))
	var consumer jetstream.Consumer
	bustest.Eventually(t, func() (err error) {
		consumer, err = w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0")
		return err
	})
	stop()
	stream, err := w.JS.Stream(t.Context(), bustest.WorkStream)
	if err != nil {
		t.Fatal(err)
	}
	changed, pulled := stream.CachedInfo().Config, consumer.CachedInfo().Config
	changed.Metadata, changed.Subjects = newer, append(changed.Subjects, "assay-work.*.*.file.refined.>")
	pulled.Metadata, pulled.MaxAckPending = newer, 7
	if _, err := w.JS.UpdateStream(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if _, err := w.JS.UpdateConsumer(t.Context(), bustest.WorkStream, pulled); err != nil {
		t.Fatal(err)
	}

	handled := make(chan string, 1)
	again := bustest.Connect(t, w.URL, bus.Config{})
	bustest.Consume(t, again, bustest.Consumer(func(_ context.Context, d bus.Delivery) error { handled <- d.Item; return nil }))
	w.Publish(t, bustest.Uploaded("f1"))
	bustest.Next(t, handled, "delivery")
	if stream, err = w.JS.Stream(t.Context(), bustest.WorkStream); err != nil {
		t.Fatal(err)
	}
	if got := stream.CachedInfo().Config; !slices.Equal(got.Subjects, changed.Subjects) || got.Metadata["assay-settings"] != "2" {
		t.Errorf("the stream has the subjects %q and metadata %v, want those of the newer version", got.Subjects, got.Metadata)
	}
	if consumer, err = w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0"); err != nil {
		t.Fatal(err)
	}
	if got := consumer.CachedInfo().Config; got.MaxAckPending != 7 {
		t.Errorf("the consumer has MaxAckPending %d, want 7, that of the newer version", got.MaxAckPending)
	}
}

// TestChangesChangeNothing checks that Changes reports what Connect would do to each stream, without doing it.
func TestChangesChangeNothing(t *testing.T) {
	w := bustest.Open(t)
	b, err := bus.Join(bustest.Settings(w.URL, bus.Config{}), "check", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := w.JS.DeleteStream(t.Context(), bus.StreamAudit); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*jetstream.StreamConfig){
		bus.StreamDead:     func(s *jetstream.StreamConfig) { s.MaxAge = time.Hour },
		bus.StreamAttempts: func(s *jetstream.StreamConfig) { s.MaxAge, s.Metadata = time.Hour, newer },
	} {
		stream, err := w.JS.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := stream.CachedInfo().Config
		change(&cfg)
		if _, err := w.JS.UpdateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bus.Action{bus.StreamAudit: bus.Create, bus.StreamDead: bus.Update, bus.StreamAttempts: bus.Leave, bus.StreamOutcomes: bus.Keep, bustest.WorkStream: bus.Keep}
	for range 2 {
		got, err := b.Changes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range got {
			if action, named := want[change.Stream]; named && (change.Action != action || change.Err != nil) {
				t.Errorf("%s: got %s, error %v, want %s", change.Stream, change.Action, change.Err, action)
			}
		}
	}
}

// TestNewerMessagesAreCounted checks that messages of newer versions are counted, up to the limit of messages to read.
func TestNewerMessagesAreCounted(t *testing.T) {
	w := bustest.Open(t)
	other := bustest.Uploaded("f2")
	other.Version = 2
	w.Publish(t, bustest.Uploaded("f1"), other, bustest.Uploaded("f3"))
	for limit, want := range map[int]struct {
		newer int
		all   bool
	}{1: {0, false}, 2: {1, false}, 4: {1, true}} {
		if newer, all, err := w.Bus.NewerMessages(t.Context(), bustest.WorkStream, limit); err != nil || newer != want.newer || all != want.all {
			t.Errorf("limit %d: got %d, all %t, error %v, want %+v", limit, newer, all, err, want)
		}
	}
}
