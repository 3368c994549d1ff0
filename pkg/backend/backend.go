// Package backend opens the three backends that every service requires: DynamoDB, S3 and NATS.
// Whether embedded, in containers or in the cloud, they differ only in endpoints and credentials.
package backend

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

// Config contains the addresses and credentials of the backends.
type Config struct {
	AWS      AWS
	DynamoDB table.Config
	S3       blob.Config
	NATS     bus.Config
}

// Connections are the open connections of one service.
type Connections struct {
	DB      *dynamodb.Client
	Streams *dynamodbstreams.Client
	Bucket  *blob.Store
	Bus     *bus.Bus
	AWS     aws.Config // for clients that only one service needs

	connections *http.Transport
}

// Stores connects to DynamoDB and S3 only; Bus is nil. It returns an error when credentials are
// missing or a setting is invalid. It makes no request to the backends. The caller closes the
// Connections.
func Stores(ctx context.Context, cfg Config) (*Connections, error) {
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
	if obs.Tracing(ctx) {
		traced(&base)
	}
	return &Connections{
		DB: table.Connect(base, cfg.DynamoDB), Streams: table.ConnectStreams(base, cfg.DynamoDB),
		Bucket: blob.New(base, cfg.S3), AWS: base, connections: connections,
	}, nil
}

// Open connects to all backends as the named service. It returns an error when credentials are
// missing, a setting is invalid or NATS does not respond. The caller closes the Connections.
func Open(ctx context.Context, cfg Config, service string, log zerolog.Logger, reg prometheus.Registerer) (*Connections, error) {
	if err := cfg.NATS.Validate(); err != nil {
		return nil, err
	}
	return open(ctx, cfg, func() (*bus.Bus, error) { return bus.Connect(ctx, cfg.NATS, service, log, reg) })
}

// Join is like Open, for programs that do not declare streams.
func Join(ctx context.Context, cfg Config, service string, log zerolog.Logger, reg prometheus.Registerer) (*Connections, error) {
	return open(ctx, cfg, func() (*bus.Bus, error) { return bus.Join(cfg.NATS, service, log, reg) })
}

func open(ctx context.Context, cfg Config, connect func() (*bus.Bus, error)) (*Connections, error) {
	e, err := Stores(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if e.Bus, err = connect(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Health adds the checks of NATS and S3 to h. The areas check their tables.
func (e *Connections) Health(h *obs.Health) {
	h.Add("nats", e.Bus.Check)
	h.Add("s3", e.Bucket.Check)
}

// Close flushes the bus and closes all connections. Idle connections to DynamoDB and S3 must not be
// left to time out: a server that shuts down would wait for connections that were opened but not
// yet used.
func (e *Connections) Close() {
	if e.Bus != nil {
		e.Bus.Close()
	}
	e.connections.CloseIdleConnections()
}
