package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"time"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/test/bench/queryserver"
)

// system is query over HTTP on embedded engines.
type system struct {
	environ  []string
	backends *backend.Connections
	store    *library.Store
	nodes    string // name of the nodes table
	texts    *texts
	server   *httptest.Server
	end      []func() error // called in reverse order
}

// start starts the engines and creates the tables. The caller must close the system.
func start(ctx context.Context, dir string) (_ *system, err error) {
	s := &system{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(dir, "dynamodb.db"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		return nil, err
	}
	s.end = append(s.end, db.Close)
	nats, err := embedded.StartNATS(embedded.NATSConfig{Dir: filepath.Join(dir, "nats"), User: "assay", Password: "secret"})
	if err != nil {
		return nil, err
	}
	s.end = append(s.end, func() error { nats.Close(); return nil })
	objects, err := embedded.StartS3(ctx, embedded.S3Config{Dir: filepath.Join(dir, "s3"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		return nil, err
	}
	s.end = append(s.end, objects.Close)
	if s.texts, err = newTexts(objects.URL()); err != nil {
		return nil, err
	}
	s.end = append(s.end, func() error { s.texts.Close(); return nil })
	s.environ = []string{
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "ASSAY_NATS_URL=" + nats.URL(), "ASSAY_ALLOW_UNSYNCED=true",
		"ASSAY_DYNAMODB_ENDPOINT=" + db.URL(), "ASSAY_S3_ENDPOINT=" + s.texts.URL,
	}
	cfg, err := config.Load[setup.Config](s.environ)
	if err == nil {
		err = setup.Run(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	if s.backends, err = backend.Stores(ctx, cfg.Backends); err != nil {
		return nil, err
	}
	s.end = append(s.end, func() error { s.backends.Close(); return nil })
	s.store, s.nodes = library.NewStore(s.backends.DB, cfg.Library), cfg.Library.NodesTable()
	return s, nil
}

// serve starts query with its index in a file, and returns once a search succeeds, which requires a complete index.
func (s *system) serve(ctx context.Context, index string, l *contents) error {
	service, server, err := queryserver.Start(ctx, append(s.environ, "ASSAY_INDEX="+index))
	if err != nil {
		return err
	}
	s.server = server
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- service.Work(working) }()
	s.end = append(s.end, func() error {
		s.server.Close()
		stop()
		err := <-ended
		service.Close()
		return err
	})
	c, err := s.client(l.owners[0])
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		page, err := c.SearchLibrary(ctx, client.Search{Query: l.word(0)})
		if err == nil && page.Total == 0 {
			return errors.New("the most frequent word has no hits")
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (s *system) client(owner string) (*client.Client, error) {
	return client.New(client.Config{Server: s.server.URL, OwnerID: owner})
}

func (s *system) close() error {
	var failed []error
	for i := len(s.end) - 1; i >= 0; i-- {
		failed = append(failed, s.end[i]())
	}
	return errors.Join(failed...)
}
