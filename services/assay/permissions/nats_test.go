package permissions_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// TestUsersHandleWork checks that with the users of deploy/nats/nats.conf, setup creates the
// streams, ingest publishes work of each area, and the analyzer consumes it and stores a dead
// letter.
func TestUsersHandleWork(t *testing.T) {
	areas, _ := described(t)
	cfg := bus.Config{URL: serveNATS(t), Replicas: 1, AllowUnsynced: true, WorkMaxMessages: 1000, OutcomesMaxAge: time.Hour}
	for _, a := range areas {
		cfg.Work = append(cfg.Work, a.Work)
	}
	if len(cfg.Work) < 2 {
		t.Fatalf("got %d work streams, want at least 2", len(cfg.Work))
	}
	connectAs(t, cfg, "setup")
	ingest, analyzer := connectAs(t, cfg, "ingest"), connectAs(t, cfg, "analyzer")
	for _, a := range areas {
		for _, consumer := range a.Consumers {
			t.Run(a.Name, func(t *testing.T) { handleWork(t, a, consumer, ingest, analyzer) })
		}
	}
}

func handleWork(t *testing.T, a area.Area, consumer string, ingest, analyzer *bus.Bus) {
	subjects := strings.TrimSuffix(a.Work.Subjects, ">")
	if len(a.Consumers) > 1 { // the name of a consumer ends with the part of the stream that it consumes
		subjects += consumer[strings.LastIndexByte(consumer, '-')+1:] + "."
	}
	work := event.Event{
		ID: consumer + "/1", Subject: subjects + "1", Item: "1", Tenant: "ann", Time: time.Now(),
		Data: &event.FileUploaded{FileId: "1"},
	}
	if err := errors.Join(ingest.Admit(t.Context(), a.Work.Stream, "ann"), ingest.Publish(t.Context(), work)); err != nil {
		t.Fatal(err)
	}
	if waits, err := analyzer.Outstanding(t.Context(), work.Subject, "ann"); err != nil || !waits {
		t.Errorf("Outstanding = %v, %v, want true", waits, err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	c := bus.Consumer{Name: consumer, Area: a.Name, Stream: a.Work.Stream, Filter: subjects + "*", Handle: func(context.Context, bus.Delivery) error {
		return bus.Permanent(errors.New("not an item"))
	}}
	if err := bustest.Runner(t, ingest).Run(ctx, c); !errors.Is(err, bus.ErrForbidden) {
		t.Errorf("consume as ingest: got %v, want %v", err, bus.ErrForbidden)
	}
	ended := make(chan error, 1)
	go func() { ended <- bustest.Runner(t, analyzer).Run(ctx, c) }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for dead := 0; dead == 0; <-tick.C {
		for _, err := range ingest.DeadLetters(ctx, bus.DeadFilter{Consumer: consumer}) {
			if err != nil {
				t.Fatal(err)
			}
			dead++
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// serveNATS runs a NATS server with deploy/nats/nats.conf, where each user's password is its name,
// and returns the URL.
func serveNATS(t *testing.T) string {
	for _, user := range []string{"setup", "ingest", "analyzer", "query", "s3", "operator"} {
		t.Setenv("ASSAY_NATS_"+strings.ToUpper(user)+"_PASSWORD", user)
	}
	options, err := server.ProcessConfigFile("../../../deploy/nats/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	options.Host, options.Port, options.HTTPPort = "127.0.0.1", server.RANDOM_PORT, 0
	options.StoreDir, options.NoLog, options.NoSigs = t.TempDir(), true, true
	srv, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	if !srv.ReadyForConnections(30 * time.Second) {
		t.Fatal("the NATS server is not ready after 30 s")
	}
	at := url.URL{Scheme: "nats", Host: srv.Addr().String()}
	return at.String()
}

func connectAs(t *testing.T, cfg bus.Config, user string) *bus.Bus {
	t.Helper()
	cfg.User, cfg.Password = user, user
	b, err := bus.Connect(t.Context(), cfg, user, zerolog.New(zerolog.NewTestWriter(t)), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}
