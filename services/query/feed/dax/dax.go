//go:build !noclients

package dax

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	client "github.com/aws/aws-dax-go-v2/dax"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
	"github.com/rs/zerolog"
)

const (
	readWait = 2 * time.Second // maximum time to wait for a response from the cluster, including the client's retries
	pause    = 5 * time.Second // time after a failure during which no request is sent to the cluster
)

// Reader reads through the cluster, and from the table itself while the cluster does not respond:
// an unavailable cache makes reads slower, but they do not fail. It is safe for concurrent use.
type Reader struct {
	cache *client.Dax
	db    *dynamodb.Client
	log   zerolog.Logger
	began time.Time
	// until is when the next request can be sent to the cluster. It is stored as the time since began, because
	// the wall clock can be set back.
	until atomic.Int64
}

// Connect returns a Reader for a cluster in front of db. A cluster that does not respond is not an
// error, but can delay Connect by a few seconds. The caller must close the Reader.
func Connect(base aws.Config, cfg Config, db *dynamodb.Client, log zerolog.Logger) (*Reader, error) {
	settings := client.NewConfig(base, cfg.Endpoint)
	settings.Logger = logging.Nop{} // errors are returned, and logged here
	cache, err := client.New(settings)
	if err != nil {
		return nil, fmt.Errorf("DAX cluster %s: %w", cfg.Endpoint, err)
	}
	return &Reader{cache: cache, db: db, log: log, began: time.Now()}, nil
}

// Query implements table.Reader.
func (r *Reader) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return through(ctx, r, in, r.cache.Query, r.db.Query, options)
}

// BatchGetItem implements table.Reader.
func (r *Reader) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return through(ctx, r, in, r.cache.BatchGetItem, r.db.BatchGetItem, options)
}

// read performs a read with either client.
type read[I, O any] func(context.Context, *I, ...func(*dynamodb.Options)) (*O, error)

func through[I, O any](ctx context.Context, r *Reader, in *I, cached, direct read[I, O], options []func(*dynamodb.Options)) (*O, error) {
	if int64(time.Since(r.began)) < r.until.Load() {
		return direct(ctx, in, options...)
	}
	bounded, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	out, err := cached(bounded, in, options...)
	if err == nil || ctx.Err() != nil {
		return out, err
	}
	r.until.Store(int64(time.Since(r.began) + pause))
	r.log.Warn().Err(err).Dur("pause_ms", pause).Msg("a read from the DAX cluster failed; reading from the table")
	return direct(ctx, in, options...)
}

// Close closes the connections to the cluster.
func (r *Reader) Close() {
	if err := r.cache.Close(); err != nil {
		r.log.Warn().Err(err).Msg("cannot close the connections to the DAX cluster")
	}
}
