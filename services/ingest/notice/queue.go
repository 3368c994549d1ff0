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
	queueWait  = 20 // seconds that SQS holds a request for messages, its most
	queueBatch = 10 // messages of one request, its most
	// queueAnswer is the timeout of a request without a response.
	queueAnswer = time.Minute
	// queuePause follows a request that failed.
	queuePause = time.Second
)

// queue moves notifications from SQS into the stream of notices, where they are processed like
// all others, with attempts and dead letters.
type queue struct {
	client *sqs.Client
	url    string
	bus    *bus.Bus
	log    zerolog.Logger
}

// newQueue returns the queue at a URL, which is asked at the URL's own host: that may be
// a private endpoint of AWS.
func newQueue(base aws.Config, at url.URL, b *bus.Bus, log zerolog.Logger) *queue {
	client := sqs.NewFromConfig(base, func(o *sqs.Options) { o.BaseEndpoint = aws.String(at.Scheme + "://" + at.Host) })
	return &queue{client: client, url: at.String(), bus: b, log: log}
}

// run moves notices until ctx ends. While the queue does not respond, its messages stay
// there and everything else continues.
func (q *queue) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := q.move(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		q.log.Warn().Err(err).Msg("notifications remain in the queue")
		select {
		case <-ctx.Done():
		case <-time.After(queuePause):
		}
	}
}

// move moves one batch. A message is deleted once the stream has it. One that is not
// deleted is delivered again after the queue's visibility timeout.
func (q *queue) move(ctx context.Context) error {
	got, err := answered(ctx, q.client.ReceiveMessage, &sqs.ReceiveMessageInput{
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
		out, err := answered(ctx, q.client.DeleteMessageBatch, &sqs.DeleteMessageBatchInput{QueueUrl: &q.url, Entries: moved})
		if err == nil && len(out.Failed) > 0 {
			err = fmt.Errorf("%d of %d, the first because of %s", len(out.Failed), len(moved), aws.ToString(out.Failed[0].Code))
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("delete from the queue: %w", err))
		}
	}
	return errors.Join(failed...)
}

// answered makes a call that also ends if SQS never responds.
func answered[I, O any](ctx context.Context, call func(context.Context, *I, ...func(*sqs.Options)) (*O, error), in *I) (*O, error) {
	ctx, cancel := context.WithTimeout(ctx, queueAnswer)
	defer cancel()
	return call(ctx, in)
}
