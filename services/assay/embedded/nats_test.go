package embedded

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func startNATS(t *testing.T, cfg NATSConfig) *NATS {
	t.Helper()
	cfg.User, cfg.Password = testKey, testSecret
	n, err := StartNATS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

func connect(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func addStream(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "EVENTS", Subjects: []string{"events.>"}, Storage: jetstream.FileStorage,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func messages(t *testing.T, js jetstream.JetStream) uint64 {
	t.Helper()
	stream, err := js.Stream(t.Context(), "EVENTS")
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State.Msgs
}

func TestNATSKeepsStreamsAcrossClose(t *testing.T) {
	dir := t.TempDir()
	first := startNATS(t, NATSConfig{Dir: dir})
	js := connect(t, first.URL())
	addStream(t, js)
	if _, err := js.Publish(t.Context(), "events.a", []byte("one"), jetstream.WithMsgID("1")); err != nil {
		t.Fatal(err)
	}
	first.Close()
	first.Close()

	js = connect(t, startNATS(t, NATSConfig{Dir: dir}).URL())
	if n := messages(t, js); n != 1 {
		t.Fatalf("got %d messages after a restart, want 1", n)
	}
	ack, err := js.Publish(t.Context(), "events.a", []byte("one"), jetstream.WithMsgID("1"))
	if err != nil || !ack.Duplicate {
		t.Fatalf("repeated publish after a restart: got %+v, %v, want a duplicate", ack, err)
	}
}

func TestNATSKeepsAcknowledgedMessagesWhenKilled(t *testing.T) {
	dir := t.TempDir()
	url, kill := startChild(t, "nats", dir)
	js := connect(t, url)
	addStream(t, js)
	const published = 50
	for i := range published {
		if _, err := js.Publish(t.Context(), fmt.Sprintf("events.%d", i), []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if out := kill(); out != "" {
		t.Errorf("the server wrote %q to standard output, want nothing", out)
	}
	if n := messages(t, connect(t, startNATS(t, NATSConfig{Dir: dir}).URL())); n != published {
		t.Fatalf("got %d messages after kill, want %d", n, published)
	}
}

// TestVerifyNATSAfterKill: a kill leaves an outdated index of a stream, which the server rebuilds.
func TestVerifyNATSAfterKill(t *testing.T) {
	dir := t.TempDir()
	first := startNATS(t, NATSConfig{Dir: dir})
	js := connect(t, first.URL())
	addStream(t, js)
	if _, err := js.Publish(t.Context(), "events.a", []byte("before the stop, which writes the index")); err != nil {
		t.Fatal(err)
	}
	first.Close()
	url, kill := startChild(t, "nats", dir)
	if _, err := connect(t, url).Publish(t.Context(), "events.b", []byte("after it")); err != nil {
		t.Fatal(err)
	}
	kill()
	n, err := VerifyNATS(t.Context(), dir, func(problem string) { t.Errorf("found %s, want no problem", problem) })
	if n != 2 || err != nil {
		t.Errorf("verified %d messages, %v, want 2", n, err)
	}
}

func TestNATSLimits(t *testing.T) {
	js := connect(t, startNATS(t, NATSConfig{Dir: t.TempDir(), Sync: "1s", MaxStore: 4 << 20}).URL())
	addStream(t, js)
	_, err := js.Publish(t.Context(), "events.big", make([]byte, natsMaxPayload+1))
	if !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("payload above the limit: got %v, want %v", err, nats.ErrMaxPayload)
	}
	for range 20 {
		if _, err = js.Publish(t.Context(), "events.full", make([]byte, natsMaxPayload/2)); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("Publish to a full store succeeded, want an error")
	}
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "MEM", Subjects: []string{"mem"}, Storage: jetstream.MemoryStorage, MaxBytes: natsMaxMemory + 1,
	})
	if err == nil {
		t.Error("CreateStream of a memory stream above the limit succeeded, want an error")
	}
}

func TestNATSSync(t *testing.T) {
	tests := []struct {
		sync     string
		always   bool
		interval string
	}{
		{sync: "", always: true, interval: "0s"},
		{sync: "always", always: true, interval: "0s"},
		{sync: "250ms", interval: "250ms"},
	}
	for _, tt := range tests {
		opts, err := natsOptions(NATSConfig{Dir: "d", Sync: tt.sync})
		if err != nil {
			t.Fatal(err)
		}
		if opts.SyncAlways != tt.always || opts.SyncInterval.String() != tt.interval {
			t.Errorf("sync %q: got always %v, interval %s, want %v, %s", tt.sync, opts.SyncAlways, opts.SyncInterval, tt.always, tt.interval)
		}
	}
}

func TestNATSRejectsBadSettings(t *testing.T) {
	running := startNATS(t, NATSConfig{Dir: t.TempDir()})
	tests := []struct {
		name string
		cfg  NATSConfig
		want string
	}{
		{"no directory", NATSConfig{}, "directory is required"},
		{"sync", NATSConfig{Dir: "d", Sync: "sometimes"}, `sync is "sometimes"`},
		{"negative sync", NATSConfig{Dir: "d", Sync: "-1s"}, `sync is "-1s"`},
		{"address", NATSConfig{Dir: "d", Addr: "localhost"}, `address "localhost"`},
		{"port", NATSConfig{Dir: "d", Addr: "localhost:x"}, "port"},
		{"address in use", NATSConfig{Dir: t.TempDir(), Addr: running.server.Addr().String()}, "in use"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.User, tt.cfg.Password = testKey, testSecret
			n, err := StartNATS(tt.cfg)
			if err == nil {
				n.Close()
				t.Fatal("StartNATS succeeded, want an error")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not contain %q", err, tt.want)
			}
		})
	}
}
