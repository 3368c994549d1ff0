package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/web"
)

// DynamoDBConfig configures the embedded DynamoDB engine.
type DynamoDBConfig struct {
	// Path is the database file. Required; the file and its directory are created if absent. Only
	// one process may open it at a time.
	Path string
	// Addr is host:port. Empty means 127.0.0.1:0; port 0 selects a free port.
	Addr string
	// AccessKey and SecretKey are the credentials of an account with full access. Required.
	AccessKey, SecretKey string
	// Others maps further access keys with full access to their secrets.
	Others map[string]string
	// Hosts are the host names for which requests are accepted.
	Hosts web.Hosts
	// Opened is called with the engine before it accepts connections. An error stops the start. Optional.
	Opened func(*dynamolite.Engine) error
	// Log receives failures of the engine. The zero value discards them.
	Log zerolog.Logger

	// limiter replaces the limits on client connections in a test.
	limiter *web.Limiter
}

// DynamoDB is a running DynamoDB engine. It verifies the signatures of requests.
type DynamoDB struct {
	engine *dynamolite.Engine
	server *http.Server
	unused sync.Map // set of net.Conn that have not carried a request
	url    string
	own    string // URL of the listener for the services
}

// dynamoDBDrain limits how long Close waits for requests in progress.
const dynamoDBDrain = 5 * time.Second

// StartDynamoDB starts the engine and returns when it accepts connections. The caller closes it.
func StartDynamoDB(cfg DynamoDBConfig) (*DynamoDB, error) {
	if cfg.Path == "" {
		return nil, errors.New("embedded dynamodb: the path of the database file is required")
	}
	if cfg.AccessKey == "" || cfg.SecretKey == "" {
		return nil, errors.New("embedded dynamodb: access key and secret key are required")
	}
	host, port, err := splitAddr(cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("embedded dynamodb: %w", err)
	}
	keys := map[string]string{cfg.AccessKey: cfg.SecretKey}
	maps.Copy(keys, cfg.Others)
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, fmt.Errorf("embedded dynamodb: %w", err)
	}
	engine, err := dynamolite.Open(dynamolite.Options{
		Path: cfg.Path, Keys: keys,
		Hosts: cfg.Hosts.Names(), HostsSetting: "ASSAY_PUBLIC_HOSTS",
		OnError: func(err error) { cfg.Log.Error().Err(err).Msg("request failed") },
		OnRecovery: func(r dynamolite.Recovery) {
			cfg.Log.Info().Int("commits", r.Commits).Msg("recovered from the journal after a crash")
			if r.Incomplete > 0 {
				cfg.Log.Warn().Int64("offset", r.Incomplete).Msg("discarded the last record of the journal: a crash interrupted it before it was acknowledged")
			}
		},
	})
	if damage, ok := errors.AsType[*dynamolite.CorruptError](err); ok {
		return nil, fmt.Errorf("embedded dynamodb: %w; %s (docs/production.md, Backup and restore)", damage, recoveryAdvice(damage))
	}
	if err != nil {
		return nil, fmt.Errorf("embedded dynamodb: %w", err)
	}
	if cfg.Opened != nil {
		if err := cfg.Opened(engine); err != nil {
			return nil, errors.Join(err, engine.Close())
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("embedded dynamodb: %w", errors.Join(err, engine.Close()))
	}
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("embedded dynamodb: %w", errors.Join(err, listener.Close(), engine.Close()))
	}
	d := &DynamoDB{engine: engine, url: "http://" + web.Reachable(listener.Addr().String()), own: "http://" + own.Addr().String()}
	d.server = &http.Server{
		Handler: web.PaceBodies(engine), ConnState: d.track,
		ReadHeaderTimeout: web.HeaderTimeout, IdleTimeout: web.IdleTimeout,
	}
	if cfg.limiter == nil {
		cfg.limiter = web.NewLimiter(clientConnections, connectionsPerClient)
	}
	for _, l := range []net.Listener{web.LimitListener(listener, cfg.limiter, web.EngineSpare), own} {
		go func() {
			if err := d.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				cfg.Log.Error().Err(err).Msg("no longer listening")
			}
		}()
	}
	return d, nil
}

// recoveryAdvice returns advice on how to recover from damage.
func recoveryAdvice(damage *dynamolite.CorruptError) string {
	if damage.Repairable {
		return fmt.Sprintf("restore the data directory from a backup, or run \"assay verify --repair\", which discards the damaged commit and the %d after it", damage.Later)
	}
	return "restore the data directory from a backup"
}

// URL returns the endpoint for the AWS SDK and CLI.
func (d *DynamoDB) URL() string { return d.url }

// OwnURL returns the endpoint for the services of this process, on a separate loopback port. The
// limits on client connections do not apply to it.
func (d *DynamoDB) OwnURL() string { return d.own }

// Check returns an error if a request has found damaged data since the start.
func (d *DynamoDB) Check(context.Context) error { return d.engine.Damage() }

// Label returns the label of the database.
func (d *DynamoDB) Label() (string, error) { return d.engine.Label() }

// Snapshot returns the content of the database at a mark; see dynamolite.Engine.Snapshot.
func (d *DynamoDB) Snapshot(ctx context.Context, atMark func() error) (*dynamolite.Snapshot, error) {
	return d.engine.Snapshot(ctx, atMark)
}

// Close lets requests in progress finish, for at most 5 seconds, and then closes the file.
func (d *DynamoDB) Close() error {
	// Shutdown would wait 5 seconds for connections that clients opened and never used.
	d.unused.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close() // nothing was sent on the connection
		return true
	})
	ctx, cancel := context.WithTimeout(context.Background(), dynamoDBDrain)
	defer cancel()
	return errors.Join(d.server.Shutdown(ctx), d.engine.Close())
}

// track records the connections that have not yet carried a request, and the idle ones.
func (d *DynamoDB) track(conn net.Conn, state http.ConnState) {
	web.TrackIdle(conn, state == http.StateIdle)
	if state == http.StateNew {
		d.unused.Store(conn, nil)
	} else {
		d.unused.Delete(conn)
	}
}
