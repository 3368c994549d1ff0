package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

// setupBringsFormerWorkAlong: a file that waits in an installation of a version
// without lanes is analyzed after `assay setup`.
func setupBringsFormerWorkAlong(t *testing.T, start starter) {
	c := start(t)
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	speaker := c.client(t, newOwner())
	text := randomText(191, 100)
	file := presigned(t, speaker, "former.txt", "text/plain", []byte(text))
	js := c.jetStream(t)
	ctx := within(t)
	work, err := js.Stream(ctx, bus.StreamWork)
	if err != nil {
		t.Fatal(err)
	}
	msg, err := work.GetMsg(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	// As that version had it: under its public subject, with one durable.
	former := work.CachedInfo().Config
	former.Subjects, former.RePublish = []string{"assay.file.>", "assay.feed.>"}, nil
	if _, err := js.UpdateStream(ctx, former); err != nil {
		t.Fatal(err)
	}
	if err := work.DeleteMsg(ctx, msg.Sequence); err != nil {
		t.Fatal(err)
	}
	for name := range msg.Header {
		if strings.HasPrefix(name, "Nats-") {
			delete(msg.Header, name)
		}
	}
	if _, err := js.PublishMsg(ctx, &nats.Msg{Subject: "assay.file.uploaded." + file.FileID, Header: msg.Header, Data: msg.Data}); err != nil {
		t.Fatal(err)
	}
	durable, err := js.CreateConsumer(ctx, bus.StreamWork, jetstream.ConsumerConfig{
		Durable: "analyzer-textfile", FilterSubject: "assay.file.uploaded.*", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Hour, MaxDeliver: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Next(); err != nil { // a worker that has died
		t.Fatal(err)
	}

	c.setUp(t)
	c.service(t, "analyzer")
	checkResult(t, final(t, speaker, file.FileID), count(text))
	if ids := c.outcomes(t, js, file.FileID); len(ids) != 1 {
		t.Errorf("outcomes: %v", ids)
	}
	eventually(t, func() error { return nothingWaits(ctx, js) })
}
