package consume_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// TestBusyWorkerRequestsNoMessage checks that a busy worker requests no message, because a
// message in its buffer would wait behind long work while another process is idle.
func TestBusyWorkerRequestsNoMessage(t *testing.T) {
	w := bustest.Open(t)
	began, finish := make(chan string, 2), make(chan struct{})
	c := bustest.Consumer(func(ctx context.Context, d bus.Delivery) error {
		began <- d.Item
		select {
		case <-finish:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.Lease = time.Hour
	bustest.Consume(t, w.Bus, c)
	w.Publish(t, bustest.Uploaded("f1"), bustest.Uploaded("f2"))
	first := bustest.Next(t, began, "work")
	// The server responds after it has processed all requests of the worker.
	durable, err := w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0")
	if err != nil {
		t.Fatal(err)
	}
	if info := durable.CachedInfo(); info.NumAckPending != 1 || info.NumPending != 1 || info.NumWaiting != 0 {
		t.Errorf("got %d delivered, %d left, %d requested; want 1, 1 and 0", info.NumAckPending, info.NumPending, info.NumWaiting)
	}
	bustest.Consume(t, bustest.Connect(t, w.URL, bus.Config{}), c)
	if second := bustest.Next(t, began, "work of another worker"); second == first {
		t.Errorf("%s was delivered twice, want once", first)
	}
	close(finish)
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// TestWorkContinuesAfterAReconnect checks that a worker requests work again immediately after a
// lost connection is restored, because the server forgets its request. It must not wait until
// the old request would have expired.
func TestWorkContinuesAfterAReconnect(t *testing.T) {
	w := bustest.Open(t)
	through := startRelay(t, strings.TrimPrefix(w.URL, "nats://"))
	done := make(chan string, 1)
	c := bustest.Consumer(func(_ context.Context, d bus.Delivery) error { done <- d.Item; return nil })
	c.Lease, c.Parallel = time.Hour, 2
	bustest.Consume(t, bustest.Connect(t, "nats://"+through.addr, bus.Config{}), c)
	awaitRequests := func(want int) {
		bustest.Eventually(t, func() error {
			d, err := w.JS.Consumer(t.Context(), bustest.WorkStream, "worker-0")
			if err == nil && d.CachedInfo().NumWaiting != want {
				err = fmt.Errorf("%d workers request work, want %d", d.CachedInfo().NumWaiting, want)
			}
			return err
		})
	}
	for i := range 3 {
		awaitRequests(2)
		through.cut(func() { awaitRequests(0) })
		awaitRequests(2)
		w.Publish(t, bustest.Uploaded(fmt.Sprint(i)))
		if item := bustest.Next(t, done, "work after the connection was cut"); item != fmt.Sprint(i) {
			t.Errorf("got %s, want %d", item, i)
		}
	}
	w.AwaitCount(t, bustest.WorkStream, 0)
}

// relay forwards connections to a server and can cut them.
type relay struct {
	addr  string
	mu    sync.Mutex
	conns []net.Conn
}

func startRelay(t *testing.T, to string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{addr: listener.Addr().String()}
	var copies sync.WaitGroup
	copies.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			out, err := net.Dial("tcp", to)
			if err == nil {
				r.conns = append(r.conns, in, out)
			}
			r.mu.Unlock()
			if err != nil {
				in.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
				copies.Go(func() {
					_, _ = io.Copy(way[0], way[1]) // ends when either side closes the connection
					in.Close()
					out.Close()
				})
			}
		}
	})
	t.Cleanup(func() {
		listener.Close()
		r.cut(func() {})
		copies.Wait()
	})
	return r
}

// cut closes all connections and accepts none until meanwhile has returned.
func (r *relay) cut(meanwhile func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.conns {
		conn.Close()
	}
	r.conns = nil
	meanwhile()
}
