package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/bus/consume"
	"github.com/assay-project/assay/pkg/fair"
)

// TestModelBehavesLikeTheServer does the same with the model and with a NATS server, in real time, and compares what the
// product observes.
func TestModelBehavesLikeTheServer(t *testing.T) {
	url := bustest.StartWith(t, server.Options{})
	want := observe(t, bus.Config{URL: url})
	model := newCluster(Leader{}, func(string) {})
	got := observe(t, bus.Config{URL: "nats://model", InProcess: model})
	if !slices.Equal(got, want) {
		t.Errorf("with the model, the product observes\n%q\nwith a server\n%q", got, want)
	}
	model.mu.Lock()
	defer model.mu.Unlock()
	if model.failed != nil {
		t.Error(model.failed)
	}
}

// observe publishes and consumes events, and returns what the product observes.
func observe(t *testing.T, cfg bus.Config) []string {
	t.Helper()
	cfg.WorkMaxMessages, cfg.WorkMaxPerOwner, cfg.OutcomesMaxAge = 12, 10, time.Hour
	settings := bustest.Settings(cfg.URL, cfg)
	var seen []string
	note := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	b, err := bus.Connect(t.Context(), settings, "test", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	again, err := bus.Connect(t.Context(), settings, "test", zerolog.Nop(), prometheus.NewRegistry()) // finds the streams
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()

	note("published: %v", b.Publish(t.Context(), bustest.Uploaded("f0")))
	note("published again: %v", b.Publish(t.Context(), bustest.Uploaded("f0")))
	note("another event of the item is outstanding: %v", errors.Is(b.Publish(t.Context(), bustest.UploadedAgain("f0")), bus.ErrOutstanding))
	note("outcome: %v", b.Publish(t.Context(), bustest.Completed("f0")))
	for i := 1; i < 10; i++ { // fills the first priority, and reaches the limit of the owner
		note("published: %v", b.Publish(t.Context(), bustest.Uploaded(fmt.Sprint("f", i))))
	}
	admitted := func(owner string) error { // another process counts the queue on the server
		<-time.After(1100 * time.Millisecond)
		return again.Admit(t.Context(), bustest.WorkStream, owner)
	}
	note("another owner: %v", admitted("bob"))
	for i := range 2 {
		note("published: %v", b.Publish(t.Context(), bustest.UploadedBy("bob", fmt.Sprint("g", i))))
	}
	note("the queue is full: %v", errors.Is(admitted("carl"), fair.ErrFull))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	handled := make(chan string, 100)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error {
		handled <- fmt.Sprintf("%s of %s, attempt %d", d.Item, d.Tenant(), d.Attempt)
		if d.Item == "f3" && d.Attempt == 1 {
			return errors.New("not yet")
		}
		return nil
	})
	c.Parallel = 2
	ended := make(chan error, 1)
	go func() { ended <- consume.New(b, zerolog.Nop(), prometheus.NewRegistry()).Run(ctx, c) }()
	var all []string
	for range 13 {
		all = append(all, bustest.Next(t, handled, "delivery"))
	}
	slices.Sort(all) // the order depends on the workers
	seen = append(seen, all...)
	bustest.Eventually(t, func() error {
		level, err := b.Level(t.Context(), bustest.WorkStream)
		if err == nil && level.Messages > 0 {
			err = fmt.Errorf("%d messages are queued", level.Messages)
		}
		return err
	})
	note("admitted: %v", admitted("ann"))
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return seen
}

// TestManyWorkersAreRefused checks that the model and a NATS server refuse the requests of workers beyond 512 that wait at a
// consumer. The product sets no other limit.
func TestManyWorkersAreRefused(t *testing.T) {
	for name, start := range map[string]func() bus.Config{
		"server": func() bus.Config { return bus.Config{URL: bustest.Start(t)} },
		"model": func() bus.Config {
			return bus.Config{URL: "nats://model", InProcess: newCluster(Leader{}, func(string) {})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for workers, want := range map[int]bool{mostWaiting - 100: false, mostWaiting + 100: true} {
				cfg := start()
				refused := make(chan struct{}, 1)
				log := zerolog.New(writer(func(line []byte) {
					if strings.Contains(string(line), "Exceeded MaxWaiting") {
						select {
						case refused <- struct{}{}:
						default:
						}
					}
				}))
				b := bustest.Connect(t, cfg.URL, cfg)
				c := bustest.Consumer(func(context.Context, bus.Delivery) error { return nil })
				c.Parallel = workers
				stop := bustest.ConsumeWith(t, consume.New(b, log, prometheus.NewRegistry()), c)
				got := false
				select {
				case <-refused:
					got = true
				case <-time.After(3 * time.Second): // longer than the longest wait of an idle worker
				}
				stop()
				if got != want {
					t.Errorf("%d idle workers: requests are refused: %t, want %t", workers, got, want)
				}
			}
		})
	}
}

type writer func([]byte)

// Write calls w.
func (w writer) Write(line []byte) (int, error) { w(line); return len(line), nil }
