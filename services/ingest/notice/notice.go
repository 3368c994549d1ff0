// Package notice publishes work for objects that buckets report as uploaded. A notification only
// triggers a check of the bucket. If a notification is lost, the client's own call or a sweep has
// the same effect.
package notice

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
)

const (
	Stream   = bus.StreamNotices // stream of queued notifications
	Subject  = "s3.notice"       // subject to which buckets publish
	Consumer = "ingest-notice"   // consumer of the stream
	kind     = "notice"          // type of the messages in metrics
)

// Queue declares the stream.
func Queue() bus.Queue {
	return bus.Queue{Stream: Stream, Subject: Subject, Type: kind, Description: "objects that buckets report as created"}
}

// Area is the part of an area's interface that notifications use.
type Area interface {
	// Uploaded publishes the work for a created object, of which only the bucket and the key are set.
	// It is idempotent. For an object of another area, mine is false and err is nil.
	Uploaded(ctx context.Context, o blob.Object) (mine bool, err error)
}

// Notices consumes the notifications of all buckets.
type Notices struct {
	cfg   Config
	drain time.Duration
	areas []Area
	queue *queue // nil without an SQS queue
}

// New returns the consumer that passes notifications to the areas. On shutdown, it waits up to drain
// for notifications in progress.
func New[A Area](cfg Config, drain time.Duration, backends *backend.Connections, log zerolog.Logger, areas []A) *Notices {
	n := &Notices{cfg: cfg, drain: drain, areas: make([]Area, len(areas))}
	for i, area := range areas {
		n.areas[i] = area
	}
	if cfg.SQSURL != (url.URL{}) {
		n.queue = newQueue(backends.AWS, cfg.SQSURL, backends.Bus, log)
	}
	return n
}

// Work reads the SQS queue, if there is one, until ctx is done. It returns nil.
func (n *Notices) Work(ctx context.Context) error {
	if n.queue != nil {
		n.queue.run(ctx)
	}
	return nil
}

const (
	// attempts covers several hours of redeliveries, in case the work stream is full.
	attempts = 50
	// attemptTime is the timeout of an attempt to process a notification, which makes a few requests
	// for each object. Most notifications have one object.
	attemptTime = 2 * time.Minute
)

// Consumer returns the consumer of the notifications.
func (n *Notices) Consumer() bus.Consumer {
	return bus.Consumer{
		Name: Consumer, Stream: Stream,
		Parallel: n.cfg.Parallel, Lease: n.cfg.Lease, Drain: n.drain, Attempts: attempts,
		Bounds: func(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: attemptTime} },
		Handle: n.handle,
	}
}

// handle passes every object of a notification to the areas. An object may belong to no area:
// buckets also report objects stored by other parts of Assay or by other programs.
func (n *Notices) handle(ctx context.Context, d bus.Delivery) error {
	objects, err := created(d.Data)
	if err != nil {
		return bus.Permanent(err)
	}
	var failed []error
	for _, object := range objects {
		failed = append(failed, n.offer(ctx, object))
	}
	return errors.Join(failed...)
}

func (n *Notices) offer(ctx context.Context, o blob.Object) error {
	for _, area := range n.areas {
		if mine, err := area.Uploaded(ctx, o); mine || err != nil {
			return err
		}
	}
	return nil
}

// Publish publishes the notification for a new object in a bucket that runs in this process. The
// stream drops a repeated notification for the same object.
func Publish(ctx context.Context, b *bus.Bus, o blob.Object) error {
	data, err := encode(o)
	if err != nil {
		return err
	}
	return publish(ctx, b, "object.created/"+o.Bucket+"/"+o.Key+"/"+o.ETag, data)
}

// publish publishes a notification. The stream drops a repeated id.
func publish(ctx context.Context, b *bus.Bus, id string, data []byte) error {
	return b.PublishMessage(ctx, bus.Message{Subject: Subject, ID: id, Type: kind, Data: data})
}
