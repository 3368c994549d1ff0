package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/test/bench/queryserver"
	"github.com/assay-project/assay/services/query"
)

var tables = feed.Config{Primary: "sentiment-items-primary", Dashboard: "sentiment-items-dashboard"}

// engine is a DynamoDB engine that counts its requests.
type engine struct {
	lite     *dynamolite.Engine
	server   *http.Server
	url      string
	db       *dynamodb.Client
	requests atomic.Int64
}

func listen(folder string, sync dynamolite.Sync) (*engine, error) {
	lite, err := dynamolite.Open(dynamolite.Options{Path: filepath.Join(folder, "dynamodb.db"), Sync: sync})
	if err != nil {
		return nil, err
	}
	e := &engine{lite: lite}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, lite.Close())
	}
	e.url = "http://" + listener.Addr().String()
	e.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.requests.Add(1)
		lite.ServeHTTP(w, r)
	})}
	go func() { _ = e.server.Serve(listener) }() // until close is called
	e.db = table.Connect(aws.Config{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	}, table.Config{Endpoint: e.url})
	return e, nil
}

func (e *engine) close() error { return errors.Join(e.server.Close(), e.lite.Close()) }

// system is query over HTTP, once with its cache and once without, on one engine.
type system struct {
	engine           *engine
	nats             *embedded.NATS
	cached, uncached *instance
}

// instance is one running query service.
type instance struct {
	service *query.Service
	server  *httptest.Server
}

func start(ctx context.Context, folder string) (*system, error) {
	s := &system{}
	var err error
	if s.engine, err = listen(folder, dynamolite.SyncEveryCommit); err != nil {
		return nil, err
	}
	s.nats, err = embedded.StartNATS(embedded.NATSConfig{Dir: filepath.Join(folder, "nats"), User: "assay", Password: "secret"})
	if err == nil {
		s.cached, err = s.startQuery(ctx, "ASSAY_FEED_CACHE=1h")
	}
	if err == nil {
		s.uncached, err = s.startQuery(ctx, "ASSAY_FEED_CACHE=0")
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// startQuery starts the query service without its projector.
func (s *system) startQuery(ctx context.Context, settings ...string) (*instance, error) {
	service, server, err := queryserver.Start(ctx, append(settings,
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "ASSAY_NATS_URL="+s.nats.URL(),
		"ASSAY_DYNAMODB_ENDPOINT="+s.engine.url, "ASSAY_S3_ENDPOINT=http://127.0.0.1:1")) // S3 is not used
	if err != nil {
		return nil, err
	}
	return &instance{service, server}, nil
}

func (s *system) close() error {
	for _, in := range []*instance{s.cached, s.uncached} {
		if in != nil {
			in.server.Close()
			in.service.Close()
		}
	}
	if s.nats != nil {
		s.nats.Close()
	}
	return s.engine.close()
}
