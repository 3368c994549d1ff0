package bus_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
)

// guarded starts a server with a user "all", who has all permissions and has declared the
// streams, and a user "reader", who may publish only to the given subjects.
func guarded(t *testing.T, publish ...string) (url string) {
	t.Helper()
	url = bustest.StartWith(t, server.Options{Users: []*server.User{
		{Username: "all", Password: "a"},
		{Username: "reader", Password: "r", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: publish},
			Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.reader.>"}},
		}},
	}})
	bustest.Connect(t, url, bus.Config{User: "all", Password: "a"})
	return url
}

func join(t *testing.T, url string) *bus.Bus {
	t.Helper()
	b, err := bus.Join(bustest.Settings(url, bus.Config{User: "reader", Password: "r"}), "reader", zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// TestForbiddenNamesTheSubject checks that an operation that the server does not permit fails
// with ErrForbidden and the subject, instead of a timeout.
func TestForbiddenNamesTheSubject(t *testing.T) {
	info, consumer := "$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.INFO.ASSAY_WORK_TEST.*"
	work := bus.Consumer{
		Name: "worker", Stream: bustest.WorkStream,
		Handle: func(context.Context, bus.Delivery) error { return nil },
	}
	for name, test := range map[string]struct {
		may   []string
		does  func(context.Context, *bus.Bus) error
		wants string
	}{
		"publish": {
			[]string{info}, func(ctx context.Context, b *bus.Bus) error { return b.Publish(ctx, bustest.Uploaded("f1")) },
			"the user of reader may not publish to assay-work.0.49915e0d7d4b402e.file.uploaded.f1",
		},
		"declare": {
			[]string{info}, func(ctx context.Context, b *bus.Bus) error { return bustest.Runner(t, b).Run(ctx, work) },
			"the user of reader may not publish to $JS.API.CONSUMER.INFO.ASSAY_WORK_TEST.worker-0",
		},
		"take": {
			[]string{info, consumer, "$JS.API.CONSUMER.CREATE.ASSAY_WORK_TEST.>"}, func(ctx context.Context, b *bus.Bus) error { return bustest.Runner(t, b).Run(ctx, work) },
			"the user of reader may not publish to $JS.API.CONSUMER.MSG.NEXT.ASSAY_WORK_TEST.worker-",
		},
		"read": {
			[]string{info}, func(ctx context.Context, b *bus.Bus) error { _, err := b.DeadLetter(ctx, 1); return err },
			"the user of reader may not publish to $JS.API.STREAM.MSG.GET.ASSAY_DEAD",
		},
		"check": {
			[]string{info}, func(ctx context.Context, b *bus.Bus) error { return b.Check(ctx) },
			"the user of reader may not publish to $JS.API.INFO",
		},
		"list": {
			[]string{"nothing"}, func(ctx context.Context, b *bus.Bus) error {
				for _, err := range b.DeadLetters(ctx, bus.DeadFilter{}) {
					return err
				}
				return nil
			},
			"the user of reader may not publish to $JS.API.STREAM.INFO.ASSAY_DEAD",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.does(t.Context(), join(t, guarded(t, test.may...)))
			if !errors.Is(err, bus.ErrForbidden) || !strings.Contains(err.Error(), test.wants) {
				t.Errorf("got error: %v\nwant: %s", err, test.wants)
			}
		})
	}
}

// TestDeclaringNeedsNoMoreThanReading checks that a user without permission to change streams
// can declare streams that have the declared settings, and no others.
func TestDeclaringNeedsNoMoreThanReading(t *testing.T) {
	url := guarded(t, "$JS.API.STREAM.INFO.*")
	reader := bus.Config{User: "reader", Password: "r"}
	same, err := bus.Connect(t.Context(), bustest.Settings(url, reader), "reader", zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	same.Close()

	reader.WorkMaxMessages = 7
	_, err = bus.Connect(t.Context(), bustest.Settings(url, reader), "reader", zerolog.Nop(), prometheus.NewRegistry())
	if !errors.Is(err, bus.ErrForbidden) || !strings.Contains(err.Error(), "$JS.API.STREAM.UPDATE.ASSAY_QUEUE_TEST") {
		t.Errorf("declaring other settings: got error %v, want ErrForbidden that names the request", err)
	}
}
