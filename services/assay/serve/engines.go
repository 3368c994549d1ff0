package serve

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/folder"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/ingest/notice"
)

// engines are the embedded engines of one data directory.
type engines struct {
	nats   *embedded.NATS
	s3     *embedded.S3
	dynamo *embedded.DynamoDB

	areas   []area.Area
	notices *bus.Bus // for the notifications of new objects
}

// startEngines starts the engines with their data in dir. The caller closes the engines, even if
// startEngines returns an error after starting some of them.
func startEngines(ctx context.Context, cfg Config, dir string, page net.Addr, log zerolog.Logger, reg prometheus.Registerer) (*engines, error) {
	e := &engines{}
	hosts, err := cfg.Exposure.Hosts(hostOf(cfg.DynamoDBAddr))
	if err != nil {
		return e, config.Unusable(err)
	}
	s3Hosts, err := cfg.s3Hosts()
	if err != nil {
		return e, config.Unusable(err)
	}
	// The database starts first, because it checks that the parts of the folder belong together.
	parts, err := folder.Open(dir, cfg.AcceptEmpty, log)
	if err != nil {
		return e, err
	}
	if e.dynamo, err = embedded.StartDynamoDB(embedded.DynamoDBConfig{
		Path: filepath.Join(dir, folder.Database), Addr: cfg.DynamoDBAddr, AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey, Hosts: hosts,
		Log:    log.With().Str("engine", "dynamodb").Logger(),
		Opened: func(engine *dynamolite.Engine) error { return parts.Join(engine) },
	}); err != nil {
		return e, err
	}
	if e.nats, err = embedded.StartNATS(embedded.NATSConfig{
		Dir: filepath.Join(dir, folder.Streams), Addr: cfg.NATSAddr, User: cfg.NATSUser, Password: cfg.NATSPassword, Sync: cfg.NATSSync,
		Log: log.With().Str("engine", "nats").Logger(),
	}); err != nil {
		return e, err
	}
	// The S3 server publishes under its own name, like any client.
	events, err := config.Load[bus.Config](e.environ(cfg))
	if err != nil {
		return e, err
	}
	events.Queues = []bus.Queue{notice.Queue()}
	if e.notices, err = bus.Connect(ctx, events, "s3", log, reg); err != nil {
		return e, err
	}
	described, err := config.Load[setup.Config](e.environ(cfg))
	if err != nil {
		return e, err
	}
	e.areas = described.Areas()
	e.s3, err = embedded.StartS3(ctx, embedded.S3Config{
		Dir: filepath.Join(dir, folder.Objects), Addr: cfg.S3Addr,
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey, Region: cfg.Region, Hosts: s3Hosts, Origins: cfg.origins(page),
		Created: e.created, Log: log.With().Str("engine", "s3").Logger(),
	})
	return e, err
}

// created publishes the bucket notification of an object that a client has uploaded.
func (e *engines) created(ctx context.Context, object embedded.Object) error {
	for _, area := range e.areas {
		if area.Uploaded != nil && area.Uploaded(object.Key) {
			return notice.Publish(ctx, e.notices, blob.Object{Bucket: object.Bucket, Key: object.Key, ETag: object.ETag})
		}
	}
	return nil
}

// environ returns the process's environment with the addresses and credentials of the engines. The services reach the
// engines over the network, as in the cloud.
func (e *engines) environ(cfg Config) []string {
	environ := append(os.Environ(),
		"AWS_REGION="+cfg.Region, "AWS_ACCESS_KEY_ID="+cfg.AccessKey, "AWS_SECRET_ACCESS_KEY="+cfg.SecretKey,
		"AWS_SESSION_TOKEN=", "ASSAY_NATS_URL="+e.nats.URL(), "ASSAY_NATS_CREDENTIALS=", "ASSAY_DYNAMODB_ENDPOINT="+e.dynamo.OwnURL(), "ASSAY_NATS_SYNC="+cfg.NATSSync, "ASSAY_AUTH="+cfg.Exposure.Auth)
	if cfg.NATSSync != bus.SyncAlways {
		environ = append(environ, "ASSAY_ALLOW_UNSYNCED=true") // setting an interval implies that a loss is acceptable
	}
	if e.s3 != nil {
		environ = append(environ, "ASSAY_S3_ENDPOINT="+e.s3.OwnURL())
		if cfg.S3PublicEndpoint == "" {
			environ = append(environ, "ASSAY_S3_PUBLIC_ENDPOINT="+e.s3.URL())
		}
	}
	return environ
}

// endpoints returns the addresses of the engines for clients.
func (e *engines) endpoints(scheme string, http, operator net.Addr) endpoints.Endpoints {
	return endpoints.Endpoints{
		HTTP: scheme + "://" + web.Reachable(http.String()), Operator: scheme + "://" + web.Reachable(operator.String()),
		NATS: e.nats.URL(), S3: e.s3.URL(), DynamoDB: e.dynamo.URL(),
	}
}

// close stops the started engines.
func (e *engines) close() error {
	var failed []error
	if e.s3 != nil {
		failed = append(failed, e.s3.Close())
	}
	if e.notices != nil {
		e.notices.Close()
	}
	if e.dynamo != nil {
		failed = append(failed, e.dynamo.Close())
	}
	if e.nats != nil {
		e.nats.Close()
	}
	return errors.Join(failed...)
}
