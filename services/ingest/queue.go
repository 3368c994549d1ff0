package ingest

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
	"github.com/assay-project/assay/pkg/config"
)

const (
	queueWait  = 20 // seconds that SQS holds a request for messages, its most
	queueBatch = 10 // messages of one request, its most
	// queueAnswer ends a request that is never answered.
	queueAnswer = time.Minute
	// queuePause follows a request that failed.
	queuePause = time.Second
)

// queue moves the bucket's notices from SQS into the stream of notices, where
// they are worked on like all others, with attempts and dead letters.
type queue struct {
	client *sqs.Client
	url    string
	bus    *bus.Bus
	log    zerolog.Logger
}

// newQueue returns nil for no address. The host is that of the address, so that
// a private endpoint of AWS works as well.
func newQueue(base aws.Config, address string, b *bus.Bus, log zerolog.Logger) (*queue, error) {
	if address == "" {
		return nil, nil
	}
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, config.Unusable(fmt.Errorf("ASSAY_SQS_URL is %q: give the queue's, such as https://sqs.eu-central-1.amazonaws.com/123456789012/assay-notices", address))
	}
	client := sqs.NewFromConfig(base, func(o *sqs.Options) { o.BaseEndpoint = aws.String(at.Scheme + "://" + at.Host) })
	return &queue{client: client, url: address, bus: b, log: log}, nil
}

// run moves notices until ctx ends. A queue that does not answer stops nothing
// else: what it holds stays there.
func (q *queue) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := q.move(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		q.log.Warn().Err(err).Msg("notices stay in the queue")
		select {
		case <-ctx.Done():
		case <-time.After(queuePause):
		}
	}
}

// move takes what the queue has. A message is deleted once the stream has it;
// what is not deleted comes again after the queue's visibility timeout.
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
		if err := q.bus.PublishNotice(ctx, "sqs/"+id, []byte(aws.ToString(message.Body))); err != nil {
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

// answered makes a call that ends also where SQS never answers.
func answered[I, O any](ctx context.Context, call func(context.Context, *I, ...func(*sqs.Options)) (*O, error), in *I) (*O, error) {
	ctx, cancel := context.WithTimeout(ctx, queueAnswer)
	defer cancel()
	return call(ctx, in)
}
