package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

func TestRepeatedEventIsStoredOnce(t *testing.T) {
	w := bustest.Open(t)
	w.Publish(t, bustest.Uploaded("f1"), bustest.Uploaded("f1"), bustest.Uploaded("f2"))
	if n := w.Count(t, bustest.WorkStream); n != 2 {
		t.Errorf("got %d messages, want 2", n)
	}
}

// forgetful makes the stream of outcomes forget message ids after a short time. It returns a
// function that waits until all ids used before its call are forgotten.
func forgetful(t *testing.T, w *bustest.World) (wait func()) {
	t.Helper()
	s, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	cfg.Duplicates = 100 * time.Millisecond // the server's minimum
	if _, err := w.JS.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		bustest.Eventually(t, func() error {
			ack, err := w.JS.Publish(t.Context(), "assay.analysis.probe", nil, jetstream.WithMsgID("probe"))
			if err == nil && (ack.Duplicate || ack.Sequence < 3) { // the first message was stored in any case
				err = errors.New("ids are still known")
			}
			return err
		})
	}
}

func outcomes(t *testing.T, w *bustest.World, subject string) uint64 {
	t.Helper()
	s, err := w.JS.Stream(t.Context(), bus.StreamOutcomes)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(subject))
	if err != nil {
		t.Fatal(err)
	}
	return info.State.Subjects[subject]
}

func TestRepublishSkipsTheNewestEvent(t *testing.T) {
	w := bustest.Open(t)
	forgotten := forgetful(t, w)
	e := bustest.Completed("f1")
	if err := w.Bus.Republish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if n := outcomes(t, w, e.Subject); n != 1 {
		t.Fatalf("got %d outcomes, want only the new one", n)
	}
	forgotten()
	if err := w.Bus.Republish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if n := outcomes(t, w, e.Subject); n != 1 {
		t.Errorf("got %d outcomes, want 1", n)
	}
	later := e
	later.ID += "0"
	if err := w.Bus.Republish(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if n := outcomes(t, w, e.Subject); n != 2 {
		t.Errorf("got %d outcomes, want 2, including the new one", n)
	}
}

// TestPublishDoesNotRetryFinalErrors checks that an error that a retry cannot fix is returned
// immediately, without using up the budget.
func TestPublishDoesNotRetryFinalErrors(t *testing.T) {
	w := bustest.Open(t)
	large := bustest.Uploaded("f1")
	large.Data = &event.FileUploaded{FileId: "f1", FileName: strings.Repeat("x", 2<<20)}
	for want, e := range map[error]event.Event{nats.ErrMaxPayload: large, nats.ErrConnectionClosed: bustest.Uploaded("f2")} {
		b := bustest.Connect(t, w.URL, bus.Config{})
		if errors.Is(want, nats.ErrConnectionClosed) {
			b.Close()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // less than the budget
		if err := b.Publish(ctx, e); !errors.Is(err, want) || ctx.Err() != nil {
			t.Errorf("got error %v, context error %v; want %v immediately", err, ctx.Err(), want)
		}
		cancel()
	}
}

func TestFullStorageIsReported(t *testing.T) {
	w := bustest.OpenAt(t, bustest.StartWith(t, server.Options{JetStreamMaxStore: 16 << 10}), bus.Config{})
	for i := range 1000 {
		err := w.Bus.Publish(t.Context(), bustest.Uploaded(fmt.Sprintf("f%03d", i)))
		if errors.Is(err, bus.ErrStorageFull) && errors.Is(err, syscall.ENOSPC) {
			return
		}
		if err != nil {
			t.Fatalf("after %d events: got error %v, want ErrStorageFull", i, err)
		}
	}
	t.Error("published 1000 events to 16 KiB of storage, want ErrStorageFull")
}

func TestMessageIsStoredOncePerID(t *testing.T) {
	w := bustest.Open(t)
	for range 2 {
		if err := w.Bus.PublishMessage(t.Context(), bus.Message{Subject: bustest.Queue().Subject, ID: "etag1", Type: "test", Data: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Count(t, bustest.Queue().Stream); n != 1 {
		t.Errorf("got %d messages, want 1", n)
	}
}

func TestPublishWithoutAStreamFailsAtTheDeadline(t *testing.T) {
	w := bustest.Open(t)
	e := bustest.Uploaded("f1")
	e.Subject = "no.stream"
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if err := w.Bus.Publish(ctx, e); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, bus.ErrFull) {
		t.Errorf("got error %v, want DeadlineExceeded", err)
	}
}

func TestPublishRejectsInvalidUTF8(t *testing.T) {
	w := bustest.Open(t)
	e := event.NewAnalysisFailed(&event.AnalysisFailed{Area: "textfile", Id: "f1", ErrorMessage: "\xff"})
	if err := w.Bus.Publish(t.Context(), e); err == nil {
		t.Error("publishing invalid UTF-8: got no error, want one")
	}
}
