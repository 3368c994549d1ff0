package bus_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// Two messages of one item would let one worker take over from a live other.
func TestAnItemHasOneMessageAtATime(t *testing.T) {
	w := open(t)
	first := uploaded("f1")
	again := event.NewFileUploaded(&event.FileUploaded{
		FileId: "f1", OwnerId: "ann", Etag: "e1", UploadedAt: timestamppb.New(when), RetriedAt: timestamppb.New(when.Add(1)),
	})
	w.publish(t, first)
	if err := w.bus.Publish(t.Context(), again); !errors.Is(err, bus.ErrOutstanding) {
		t.Fatalf("a second event of the item: %v", err)
	}
	if err := w.bus.Publish(t.Context(), first); err != nil {
		t.Errorf("the same event again: %v", err)
	}
	w.publish(t, uploaded("f2"))

	consume(t, w.bus, consumer(func(context.Context, bus.Delivery) error { return nil }))
	w.awaitCount(t, bus.StreamWork, 0)
	if err := w.bus.Publish(t.Context(), again); err != nil {
		t.Errorf("once the first is acknowledged: %v", err)
	}
}
