// Package engine opens the three engines that every service stands on:
// DynamoDB, S3 and NATS. Embedded, in containers and in the cloud they differ
// by endpoint and credentials only.
package engine

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/table"
)

// Config says where the engines are.
type Config struct {
	AWS      AWS
	DynamoDB table.Config
	S3       blob.Config
	NATS     bus.Config
}

// Engines are the open connections of one service.
type Engines struct {
	DB      *dynamodb.Client
	Streams *dynamodbstreams.Client
	Bucket  *blob.Store
	Bus     *bus.Bus
	AWS     aws.Config // for a client that only one service has

	connections *http.Transport
}

// Stores connects to DynamoDB and S3 only; Bus is nil. It returns an error when
// credentials are missing or a setting is not usable; the engines are first asked
// by use. The caller closes the Engines.
func Stores(ctx context.Context, cfg Config) (*Engines, error) {
	if err := errors.Join(cfg.DynamoDB.Validate(), cfg.S3.Validate()); err != nil {
		return nil, err
	}
	base, err := cfg.AWS.load(ctx)
	if err != nil {
		return nil, err
	}
	connections, err := ownConnections(&base)
	if err != nil {
		return nil, err
	}
	return &Engines{
		DB: table.Connect(base, cfg.DynamoDB), Streams: table.ConnectStreams(base, cfg.DynamoDB),
		Bucket: blob.New(base, cfg.S3), AWS: base, connections: connections,
	}, nil
}

// Open connects to all engines as the named service. It returns an error when
// credentials are missing, a setting is not usable or NATS does not answer. The
// caller closes the Engines.
func Open(ctx context.Context, cfg Config, service string, log zerolog.Logger, reg prometheus.Registerer) (*Engines, error) {
	if err := cfg.NATS.Validate(); err != nil {
		return nil, err
	}
	return open(ctx, cfg, func() (*bus.Bus, error) { return bus.Connect(ctx, cfg.NATS, service, log, reg) })
}

// Join is Open for those who leave the streams as others declare them.
func Join(ctx context.Context, cfg Config, service string, log zerolog.Logger, reg prometheus.Registerer) (*Engines, error) {
	return open(ctx, cfg, func() (*bus.Bus, error) { return bus.Join(cfg.NATS, service, log, reg) })
}

func open(ctx context.Context, cfg Config, connect func() (*bus.Bus, error)) (*Engines, error) {
	e, err := Stores(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if e.Bus, err = connect(); err != nil {
		return nil, err
	}
	return e, nil
}

// Health adds the checks of NATS and S3. The tables are the areas' to check.
func (e *Engines) Health(h *obs.Health) {
	h.Add("nats", e.Bus.Check)
	h.Add("s3", e.Bucket.Check)
}

// Close sends what the bus still buffers and closes all connections. Those to
// DynamoDB and S3 must not be left to time out: a server that shuts down waits
// for a connection that was opened and not used yet.
func (e *Engines) Close() {
	if e.Bus != nil {
		e.Bus.Close()
	}
	e.connections.CloseIdleConnections()
}
