package bus_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
)

// What an installation without lanes kept, waiting and in hand, is worked on once
// each; its durables are gone, and a stranger's is not.
func TestFormerWorkIsTakenOver(t *testing.T) {
	url := bustest.Start(t)
	_, js := dial(t, url)
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: bus.StreamWork, Subjects: []string{event.FileSubjects, event.FeedSubjects}, Storage: jetstream.FileStorage,
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, MaxMsgs: 1000,
		MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, Duplicates: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	durables := map[string]jetstream.Consumer{}
	for durable, filter := range map[string]string{"analyzer-textfile": event.UploadedSubjects, "analyzer-feed": event.AcceptedSubjects, "stranger": "assay.file.other"} {
		durables[durable], err = js.CreateConsumer(t.Context(), bus.StreamWork, jetstream.ConsumerConfig{
			Durable: durable, FilterSubject: filter, AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Hour, MaxDeliver: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	post := event.NewFeedItemAccepted(&event.FeedItemAccepted{SourceId: "reddit#1", SourceType: "reddit", IngestedAt: timestamppb.New(when)})
	for _, e := range []event.Event{uploaded("held"), uploaded("waits"), uploaded("twice"), post} {
		data, err := e.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		msg := &nats.Msg{Subject: e.Subject, Header: e.Headers("/ingest"), Data: data}
		if _, err := js.PublishMsg(t.Context(), msg, jetstream.WithMsgID(e.ID)); err != nil {
			t.Fatal(err)
		}
	}
	inHand, err := durables["analyzer-textfile"].Next()
	if err != nil {
		t.Fatal(err)
	}

	w := openAt(t, url, bus.Config{})
	w.publish(t, uploadedAgain("twice")) // by a service that has begun meanwhile
	for range 2 {
		if err := w.bus.TakeOverFormerWork(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.awaitCount(t, bus.StreamWork, 4)
	for durable, gone := range map[string]bool{"analyzer-textfile": true, "analyzer-feed": true, "stranger": false} {
		if _, err := js.Consumer(t.Context(), bus.StreamWork, durable); errors.Is(err, jetstream.ErrConsumerNotFound) != gone {
			t.Errorf("the consumer %s: %v", durable, err)
		}
	}
	if err := inHand.Ack(); err != nil { // too late to take anything away
		t.Fatal(err)
	}
	got := make(chan bus.Delivery, 8)
	handle := func(_ context.Context, d bus.Delivery) error { got <- d; return nil }
	texts, posts := consumer(handle), consumer(handle)
	texts.Name, posts.Name, posts.Filter = "analyzer-textfile", "analyzer-feed", event.AcceptedSubjects
	consume(t, w.bus, texts)
	consume(t, w.bus, posts)
	times := map[string]int{}
	for range 4 {
		d := next(t, got, "delivery")
		times[d.Item]++
		if d.Attempt != 1 || d.ID == "" {
			t.Errorf("attempt %d at %s with the id %q", d.Attempt, d.Item, d.ID)
		}
	}
	w.awaitCount(t, bus.StreamWork, 0)
	if len(times) != 4 || len(got) != 0 {
		t.Errorf("deliveries %v", times)
	}
}
