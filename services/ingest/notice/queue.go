package notice

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
)

const (
	queueWait  = 20 // maximum duration of a long poll, in seconds
	queueBatch = 10 // maximum number of messages in a response
	// queueTimeout is the timeout of a request.
	queueTimeout = time.Minute
	// queuePause is the pause after a failed request.
	queuePause = time.Second
)

// queue moves notifications from SQS to the stream, where they are processed like all others, with
// retries and dead letters.
type queue struct {
	client *sqs.Client
	url    string
	bus    *bus.Bus
	log    zerolog.Logger
}

// newQueue returns the queue at a URL. Requests are sent to the host of the URL, which may be a
// private endpoint of AWS.
func newQueue(base aws.Config, at url.URL, b *bus.Bus, log zerolog.Logger) *queue {
	client := sqs.NewFromConfig(base, func(o *sqs.Options) { o.BaseEndpoint = aws.String(at.Scheme + "://" + at.Host) })
	return &queue{client: client, url: at.String(), bus: b, log: log}
}

// run moves notifications until ctx is done. Messages that it cannot move remain in the queue.
func (q *queue) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := q.move(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		q.log.Warn().Err(err).Msg("cannot move notifications from the queue")
		select {
		case <-ctx.Done():
		case <-time.After(queuePause):
		}
	}
}

// move moves one batch. It deletes each message after the stream has stored it. A message that is not
// deleted is redelivered after the queue's visibility timeout.
func (q *queue) move(ctx context.Context) error {
	got, err := withTimeout(ctx, q.client.ReceiveMessage, &sqs.ReceiveMessageInput{
		QueueUrl: &q.url, MaxNumberOfMessages: queueBatch, WaitTimeSeconds: queueWait,
	})
	if err != nil {
		return fmt.Errorf("receive from the queue: %w", err)
	}
	var failed []error
	var moved []types.DeleteMessageBatchRequestEntry
	for _, message := range got.Messages {
		id := aws.ToString(message.MessageId)
		if err := publish(ctx, q.bus, "sqs/"+id, []byte(aws.ToString(message.Body))); err != nil {
			failed = append(failed, err)
			continue
		}
		moved = append(moved, types.DeleteMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(len(moved))), ReceiptHandle: message.ReceiptHandle})
	}
	if len(moved) > 0 {
		out, err := withTimeout(ctx, q.client.DeleteMessageBatch, &sqs.DeleteMessageBatchInput{QueueUrl: &q.url, Entries: moved})
		if err == nil && len(out.Failed) > 0 {
			err = fmt.Errorf("%d of %d messages failed, the first with %s", len(out.Failed), len(moved), aws.ToString(out.Failed[0].Code))
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("delete from the queue: %w", err))
		}
	}
	return errors.Join(failed...)
}

// withTimeout makes a call with a timeout, because SQS may never respond.
func withTimeout[I, O any](ctx context.Context, call func(context.Context, *I, ...func(*sqs.Options)) (*O, error), in *I) (*O, error) {
	ctx, cancel := context.WithTimeout(ctx, queueTimeout)
	defer cancel()
	return call(ctx, in)
}
