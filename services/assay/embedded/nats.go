package embedded

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

const (
	// SyncAlways is the default of NATSConfig.Sync: JetStream syncs each
	// message to disk before it acknowledges it.
	SyncAlways = "always"

	// natsMaxPayload is the largest message in bytes: the NATS default. The product's events are a
	// few hundred bytes long; a dead letter contains one event.
	natsMaxPayload = 1 << 20

	// natsMinConnections is the minimum connection limit. Otherwise the limit is a sixteenth of the
	// process's file descriptors. Each service uses one connection.
	natsMinConnections = 32

	// natsAuthTimeout is the time in seconds for a client to connect and send its password. The default of 2 s is exceeded
	// on a machine that stops for seconds.
	natsAuthTimeout = 10

	// natsMaxMemory limits memory streams, in bytes. The product declares none; the limit prevents
	// clients from using up the memory of the process.
	natsMaxMemory = 64 << 20

	// natsReady limits the wait for the listener. The server recovers the streams before it listens.
	natsReady = 10 * time.Second
)

// NATSConfig configures the embedded NATS server.
type NATSConfig struct {
	// Dir contains the JetStream files. Required; created if absent. Two servers must never share
	// it; the server does not lock it.
	Dir string
	// Addr is host:port. Empty means 127.0.0.1:0; port 0 selects a free port.
	Addr string
	// User and Password are the credentials of the only user. Required.
	User, Password string
	// Sync sets when a stored message is synced to disk: "always", the default, means before its
	// acknowledgement; a duration such as "1s" means within that time. A crash of the machine, but
	// not of the process, may then lose messages acknowledged within that time.
	Sync string
	// MaxStore is the maximum size of all streams together, in bytes. 0 means three quarters of the
	// free disk space at start, the server's own default. A publish beyond it is rejected.
	MaxStore int64
	// Log receives the log of the server. The zero value discards it.
	Log zerolog.Logger
}

// NATS is a running NATS server with JetStream on file storage.
type NATS struct {
	server    *server.Server
	user      *url.Userinfo
	jetStream server.JetStreamConfig // contains StoreDir as passed to EnableJetStream
	log       *natsLog
	close     sync.Once
	closing   chan struct{}
	recovered chan struct{} // closed when recoverSpace has returned
}

// StartNATS starts a NATS server and returns when the streams are recovered and it accepts
// connections. It handles no signals and writes nothing to the standard streams. After a full disk,
// JetStream restarts once there is space. The caller closes it.
func StartNATS(cfg NATSConfig) (*NATS, error) {
	opts, err := natsOptions(cfg)
	if err == nil && (cfg.User == "" || cfg.Password == "") {
		err = errors.New("user and password are required")
	}
	if err != nil {
		return nil, fmt.Errorf("embedded nats: %w", err)
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("embedded nats: %w", err)
	}
	log := &natsLog{log: cfg.Log, full: make(chan struct{}, 1)}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start()
	if fatal := log.fatal.Load(); fatal != nil || !srv.ReadyForConnections(natsReady) {
		srv.Shutdown()
		srv.WaitForShutdown()
		if fatal != nil {
			return nil, fmt.Errorf("embedded nats: %w", *fatal)
		}
		return nil, fmt.Errorf("embedded nats: not listening on %s after %s", cfg.Addr, natsReady)
	}
	if !srv.JetStreamEnabled() {
		srv.Shutdown()
		srv.WaitForShutdown()
		return nil, fmt.Errorf("embedded nats: JetStream did not start in %s", cfg.Dir)
	}
	n := &NATS{
		server: srv, user: url.UserPassword(cfg.User, cfg.Password), jetStream: *srv.JetStreamConfig(), log: log,
		closing: make(chan struct{}), recovered: make(chan struct{}),
	}
	n.jetStream.StoreDir = opts.StoreDir
	go n.recoverSpace()
	return n, nil
}

// URL returns the address for NATS clients with the credentials, such as
// nats://user:password@127.0.0.1:4222.
func (n *NATS) URL() string {
	at := url.URL{Scheme: "nats", User: n.user, Host: web.Reachable(n.server.Addr().String())}
	return at.String()
}

// Close stops the server and returns when its files are closed. Connected clients are disconnected.
// Further calls do nothing.
func (n *NATS) Close() {
	n.close.Do(func() { close(n.closing) })
	<-n.recovered
	n.server.Shutdown()
	n.server.WaitForShutdown()
}

func natsOptions(cfg NATSConfig) (*server.Options, error) {
	if cfg.Dir == "" {
		return nil, errors.New("the directory is required")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	host, port, err := splitAddr(cfg.Addr)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	opts := &server.Options{
		ServerName: "assay",
		Host:       host,
		Port:       port,
		NoLog:      true,
		NoSigs:     true,
		// The server would log a warning about a password in its own settings.
		CustomClientAuthentication: onlyUser{cfg.User, cfg.Password},
		AuthTimeout:                natsAuthTimeout,
		MaxConn:                    max(natsMinConnections, web.MaxDescriptors()/16),
		MaxPayload:                 natsMaxPayload,
		JetStream:                  true,
		StoreDir:                   dir,
		JetStreamMaxMemory:         natsMaxMemory,
		JetStreamMaxStore:          cfg.MaxStore,
	}
	if cfg.Sync == "" || cfg.Sync == SyncAlways {
		opts.SyncAlways = true
		return opts, nil
	}
	opts.SyncInterval, err = time.ParseDuration(cfg.Sync)
	if err != nil || opts.SyncInterval <= 0 {
		return nil, fmt.Errorf("sync is %q: must be %q or a duration above 0, such as \"1s\"", cfg.Sync, SyncAlways)
	}
	return opts, nil
}

// splitAddr splits host:port. An empty address means a free loopback port.
func splitAddr(addr string) (host string, port int, err error) {
	if addr == "" {
		return loopback, 0, nil
	}
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: %w", addr, err)
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: the port is not a number from 0 to 65535", addr)
	}
	if host == "" {
		host = loopback
	}
	return host, int(n), nil
}

// natsLog forwards the server's log lines, records the first fatal one and detects a full disk. The
// server only logs failures to listen, recover or write, and returns no error.
type natsLog struct {
	log   zerolog.Logger
	fatal atomic.Pointer[error]
	full  chan struct{}
}

func (l *natsLog) Noticef(format string, v ...any) { l.log.Debug().Msgf(format, v...) }
func (l *natsLog) Warnf(format string, v ...any)   { l.log.Warn().Msgf(format, v...) }
func (l *natsLog) Debugf(format string, v ...any)  { l.log.Trace().Msgf(format, v...) }
func (l *natsLog) Tracef(format string, v ...any)  { l.log.Trace().Msgf(format, v...) }

func (l *natsLog) Errorf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	l.log.Error().Msg(line)
	if fullDisk(line) {
		select {
		case l.full <- struct{}{}:
		default: // already reported
		}
	}
}

func (l *natsLog) Fatalf(format string, v ...any) {
	err := fmt.Errorf(format, v...)
	l.fatal.CompareAndSwap(nil, &err)
	l.log.Error().Err(err).Msg("the NATS server failed")
}
