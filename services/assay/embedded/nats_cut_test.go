package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// pipeline publishes work, and answers each message with an outcome before it acknowledges it. database stands for the
// database, which every step writes to.
type pipeline struct {
	js       jetstream.JetStream
	database sync.RWMutex

	mu        sync.Mutex
	published int // messages of work, acknowledged by the server
}

func (p *pipeline) write() {
	p.database.RLock()
	defer p.database.RUnlock()
}

// run runs the pipeline until ctx is done.
func (p *pipeline) run(ctx context.Context) error {
	var group sync.WaitGroup
	errs := make(chan error, 3)
	group.Go(func() {
		for n := 1; ctx.Err() == nil; n++ {
			p.write()
			if _, err := p.js.Publish(ctx, "work.item", fmt.Append(nil, n)); err != nil && ctx.Err() == nil {
				errs <- err
				return
			} else if err == nil {
				p.mu.Lock()
				p.published = n
				p.mu.Unlock()
			}
		}
	})
	for range 2 {
		group.Go(func() { errs <- p.consume(ctx) })
	}
	group.Wait()
	close(errs)
	var failed []error
	for err := range errs {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (p *pipeline) consume(ctx context.Context) error {
	consumer, err := p.js.Consumer(ctx, "WORK", "worker")
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		batch, err := consumer.FetchNoWait(10)
		if err != nil {
			return err
		}
		for msg := range batch.Messages() {
			p.write()
			if _, err := p.js.Publish(ctx, "outcome."+string(msg.Data()), msg.Data()); err != nil {
				return ignoreDone(ctx, err)
			}
			if err := msg.DoubleAck(ctx); err != nil {
				return ignoreDone(ctx, err)
			}
		}
	}
	return nil
}

func ignoreDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// copyStreams writes the files of a cut to a folder, and closes them.
func copyStreams(t *testing.T, cut *Streams, to string) {
	t.Helper()
	for _, file := range cut.Files {
		path := filepath.Join(to, filepath.FromSlash(file.Path))
		content, err := io.ReadAll(file.Reader())
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700)); err == nil {
			err = os.WriteFile(path, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := cut.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCutOfStreams checks that a server on the files of a cut has every message that was published before it, each waiting
// or with an outcome, and with the same sequences, while messages are published and processed.
func TestCutOfStreams(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	source := startNATS(t, NATSConfig{Dir: t.TempDir()})
	p := &pipeline{js: connect(t, source.URL())}
	_, err := p.js.CreateStream(ctx, jetstream.StreamConfig{Name: "WORK", Subjects: []string{"work.>"}, Retention: jetstream.WorkQueuePolicy})
	if err == nil {
		_, err = p.js.CreateStream(ctx, jetstream.StreamConfig{Name: "OUTCOMES", Subjects: []string{"outcome.>"}})
	}
	if err == nil {
		_, err = p.js.CreateConsumer(ctx, "WORK", jetstream.ConsumerConfig{Durable: "worker", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute})
	}
	if err != nil {
		t.Fatal(err)
	}
	running, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.run(running) }()
	for round := range 4 {
		p.await(t, 200*(round+1))
		p.database.Lock()
		p.mu.Lock()
		published := p.published
		p.mu.Unlock()
		cut, err := source.Cut(ctx)
		p.database.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if !cut.Exact {
			t.Error("the cut is not exact")
		}
		dir := t.TempDir()
		copyStreams(t, cut, dir)
		checkCut(t, dir, published)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// await returns when n messages were published.
func (p *pipeline) await(t *testing.T, n int) {
	t.Helper()
	for {
		p.mu.Lock()
		published := p.published
		p.mu.Unlock()
		if published >= n {
			return
		}
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// checkCut checks a server on the files of a cut. At least the given number of messages was published before the cut.
func checkCut(t *testing.T, dir string, published int) {
	t.Helper()
	js := connect(t, startNATS(t, NATSConfig{Dir: dir}).URL())
	done := map[string]int{}
	outcomes, err := js.Stream(t.Context(), "OUTCOMES")
	if err != nil {
		t.Fatal(err)
	}
	info, err := outcomes.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for sequence := uint64(1); sequence <= info.State.LastSeq; sequence++ {
		msg, err := outcomes.GetMsg(t.Context(), sequence)
		if err != nil {
			t.Fatalf("outcome %d: %v", sequence, err)
		}
		done[string(msg.Data)]++
	}
	waiting := map[string]bool{}
	consumer, err := js.Consumer(t.Context(), "WORK", "worker")
	if err != nil {
		t.Fatal(err)
	}
	work, err := js.Stream(t.Context(), "WORK")
	if err != nil {
		t.Fatal(err)
	}
	if info, err = work.Info(t.Context()); err != nil || info.State.LastSeq < uint64(published) {
		t.Fatalf("the last sequence is %d, error %v, want at least %d", info.State.LastSeq, err, published)
	}
	for sequence := info.State.FirstSeq; sequence <= info.State.LastSeq; sequence++ {
		msg, err := work.GetMsg(t.Context(), sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			t.Fatalf("message %d: %v", sequence, err)
		}
		waiting[string(msg.Data)] = true
	}
	for n := 1; n <= published; n++ {
		if name := fmt.Sprint(n); !waiting[name] && done[name] == 0 {
			t.Errorf("message %d neither waits nor has an outcome", n)
		}
	}
	state, err := consumer.Info(t.Context()) // it may count messages that were just acknowledged, until it finds that they are gone
	if err != nil || state.NumPending+uint64(state.NumAckPending) < uint64(len(waiting)) {
		t.Errorf("the consumer has %d messages to deliver and %d delivered ones, error %v, want at least %d together", state.NumPending, state.NumAckPending, err, len(waiting))
	}
}
