package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"

	"github.com/assay-project/assay/pkg/web"
)

const (
	s3MaxConnections = 4096
	// s3MaxRequests limits the requests in progress; above it the server responds with 503. It
	// exceeds the limit for clients (s3Limits), so that requests of the services are always
	// accepted.
	s3MaxRequests = 2048
	// s3MaxParts and s3MaxCopy (bytes) are the limits of AWS S3. Zero would reject every multipart
	// upload and every copy.
	s3MaxParts = 10_000
	s3MaxCopy  = 5 << 30
	// s3Buffer is the copy buffer of each transfer in bytes; together with s3MaxRequests it limits
	// the memory for transfers to 256 MiB.
	s3Buffer = 128 << 10
	// s3PortTries is the maximum number of attempts to listen on a free port. Another process can take
	// the chosen port before the server does.
	s3PortTries = 5
)

// ErrS3Running is returned by StartS3 while another S3 server of this process is open.
var ErrS3Running = errors.New("an S3 server is already running in this process")

// s3Running is process-wide because it guards process-wide state: the working directory, and
// globals of the gateway.
var s3Running atomic.Bool

// S3Config configures the embedded S3 server.
type S3Config struct {
	// Dir contains the buckets (in objects/) and copies of the objects' extended attributes (in
	// metadata/). On file systems without extended attributes it contains the objects' metadata in
	// attributes/. Required; created if absent. Only one process at a time may use it: conditional
	// writes are atomic only within one server.
	Dir string
	// Addr is host:port. Empty means 127.0.0.1:0; port 0 selects a free port.
	Addr string
	// AccessKey and SecretKey are the credentials of an account with full access. Required.
	AccessKey, SecretKey string
	// Others maps further access keys with full access to their secrets.
	Others map[string]string
	// Region is the region for request signatures. Empty means us-east-1.
	Region string
	// Hosts are the host names for which requests are accepted.
	Hosts web.Hosts
	// Origins are the web origins whose pages may call buckets without CORS rules of their own, "*"
	// for all.
	Origins []string
	// Created is called after an object is durable and before the response to its PUT, POST, copy
	// or multipart completion. It must return within noticeTime. Its error is logged and does not
	// fail the request. Optional.
	Created func(context.Context, Object) error
	// Log receives failures that occur after an object is stored. The zero value discards them.
	Log zerolog.Logger

	// sync replaces (*os.File).Sync in tests.
	sync func(*os.File) error
	// limits replaces the limits on clients in tests.
	limits s3Limits
	// bodies replaces the memory limit for small bodies in tests.
	bodies *web.Bodies
}

// Object is a stored object as passed to Created.
type Object struct {
	Bucket, Key string
	// Size is the size in bytes.
	Size int64
	// ETag is the entity tag without quotes.
	ETag string
}

// S3 is the running S3 server of this process.
type S3 struct {
	public  *publicS3
	store   *durableStore
	own     string // URL of the gateway's listener
	workDir string // working directory before the start; empty if unknown
	stop    context.CancelFunc
	stopped chan struct{}
	err     error // why it stopped; read only after stopped is closed
	close   sync.Once
	closed  error // the result of Close
}

// StartS3 starts the S3 server and returns when it accepts connections; ctx applies to the start
// only. The caller closes it.
//
// Only one may run in a process at a time (ErrS3Running), and while it runs the working directory
// of the whole process is its objects directory: make paths absolute first. Buckets are created
// through the S3 API.
func StartS3(ctx context.Context, cfg S3Config) (*S3, error) {
	if cfg.Dir == "" || cfg.AccessKey == "" || cfg.SecretKey == "" {
		return nil, errors.New("embedded s3: directory, access key and secret key are required")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("embedded s3: %w", err)
	}
	cfg.Dir = dir
	host, port, err := splitAddr(cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("embedded s3: %w", err)
	}
	if cfg.sync == nil {
		cfg.sync = (*os.File).Sync
	}
	if cfg.bodies == nil {
		cfg.bodies = web.NewBodies(web.DefaultBodies)
	}
	public, err := listenS3(host, port, cfg.limits)
	if err != nil {
		return nil, fmt.Errorf("embedded s3: %w", err)
	}
	for try := 1; ; try++ {
		srv, err := runS3(ctx, cfg, public)
		switch {
		case err == nil:
			return srv, nil
		case try < s3PortTries && errors.Is(err, syscall.EADDRINUSE):
		default:
			return nil, fmt.Errorf("embedded s3: %w", errors.Join(err, public.close()))
		}
	}
}

// runS3 makes one attempt to serve.
func runS3(ctx context.Context, cfg S3Config, public *publicS3) (*S3, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	if !s3Running.CompareAndSwap(false, true) {
		return nil, ErrS3Running
	}
	srv := &S3{public: public, own: "http://" + addr, stopped: make(chan struct{})}
	if srv.workDir, err = os.Getwd(); err != nil {
		srv.workDir = ""
	}
	store, err := openStore(cfg)
	if err != nil {
		s3Running.Store(false)
		return nil, err
	}
	srv.store = store
	listening := make(chan struct{})
	serveCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	srv.stop = stop
	account := auth.Account{Access: cfg.AccessKey, Secret: cfg.SecretKey, Role: auth.RoleAdmin}
	go func() {
		defer close(srv.stopped)
		srv.err = embedgw.RunVersityGW(serveCtx, fullDiskStore{store}, &embedgw.Config{
			RootUserAccess:    cfg.AccessKey,
			RootUserSecret:    cfg.SecretKey,
			Region:            cfg.Region,
			Ports:             []string{addr},
			MaxConnections:    s3MaxConnections,
			MaxRequests:       s3MaxRequests,
			MultipartMaxParts: s3MaxParts,
			Quiet:             true,
			KeepAlive:         true,
			// Set here because the gateway prints a line when it creates its own.
			IAMService: accounts{auth.NewIAMServiceSingle(account), cfg.Others},
			S3Options: []s3api.Option{
				s3api.WithOnListen(func() { close(listening) }),
				s3api.WithMiddleware("/", noSniffing), s3api.WithMiddleware("/", public.middleware), s3api.WithMiddleware("/", addressedTo(cfg.Hosts)),
				s3api.WithMiddleware("/", onlySigned), s3api.WithMiddleware("/", smallBodies(cfg.bodies)),
			},
		})
	}()
	select {
	case <-listening:
		if err := public.serve(ctx, srv.own); err != nil {
			return nil, errors.Join(err, srv.stopGateway())
		}
		return srv, nil
	case <-srv.stopped:
		return nil, srv.stopGateway()
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), srv.stopGateway())
	}
}

// accounts adds further accounts to the IAM service.
type accounts struct {
	auth.IAMService
	others map[string]string // secret by access key
}

func (a accounts) GetUserAccount(access string) (auth.Account, error) {
	if secret, ok := a.others[access]; ok {
		return auth.Account{Access: access, Secret: secret, Role: auth.RoleAdmin}, nil
	}
	account, err := a.IAMService.GetUserAccount(access)
	if err != nil {
		return auth.Account{}, auth.ErrNoSuchUser // err is one of the administration API
	}
	return account, nil
}

// ResolveAccounts returns the access keys in the principals of a policy that belong to no account.
func (a accounts) ResolveAccounts(access []string) (unknown []string, err error) {
	for _, key := range access {
		if _, ok := a.others[key]; !ok {
			unknown = append(unknown, key)
		}
	}
	return unknown, nil
}

// URL returns the endpoint for S3 clients, which must use path-style addressing.
func (s *S3) URL() string { return s.public.url() }

// OwnURL returns the endpoint for the services of this process, on a separate loopback port. The
// limits on client connections do not apply to it.
func (s *S3) OwnURL() string { return s.own }

// CheckPort checks with a new connection whether clients can reach the server.
func (s *S3) CheckPort(ctx context.Context) error { return s.public.check(ctx) }

// Stopped returns a channel that is closed when the server has stopped, by Close or because of an
// error, which Close returns.
func (s *S3) Stopped() <-chan struct{} { return s.stopped }

// Close finishes the requests in progress, for at most 10 seconds, stops the server, and restores
// the working directory of the process. If the server stopped because of an error, Close returns
// it.
func (s *S3) Close() error {
	s.close.Do(func() { s.closed = errors.Join(s.public.close(), s.stopGateway()) })
	return s.closed
}

// stopGateway finishes the requests in progress and stops the gateway.
func (s *S3) stopGateway() error {
	s.stop()
	<-s.stopped
	err := s.err
	if s.workDir != "" {
		err = errors.Join(err, os.Chdir(s.workDir))
	}
	s3Running.Store(false)
	return err
}

// freeAddr chooses a free port on loopback, because the gateway does not report the port that it
// chose for port 0.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// openStore opens the store in cfg.Dir. It makes the directory of the objects the working directory.
func openStore(cfg S3Config) (*durableStore, error) {
	objects := filepath.Join(cfg.Dir, "objects")
	if err := os.MkdirAll(objects, 0o700); err != nil {
		return nil, err
	}
	attrs, synced, err := openMetadata(cfg.Dir, objects)
	if err != nil {
		return nil, err
	}
	pages, err := pagesOf(cfg.Origins)
	if err != nil {
		return nil, err
	}
	files, err := posix.New(objects, attrs, posix.PosixOpts{
		CopyObjectThreshold: s3MaxCopy,
		IOBufferSize:        s3Buffer,
		// Lock files for PUT are needed only if several processes share the directory.
		ForceNoObjLockFile: true,
	})
	if err != nil {
		return nil, err
	}
	copies := attrs.copies
	restored, err := copies.restore()
	if err == nil {
		err = copies.writeBuckets()
	}
	if err != nil {
		return nil, fmt.Errorf("restore the metadata of objects: %w", err)
	}
	if restored > 0 {
		cfg.Log.Warn().Int("restored", restored).Msg("the data directory has no extended attributes; restored the metadata of its objects")
	}
	if err := reopenUploads(objects, attrs); err != nil {
		return nil, fmt.Errorf("reopen uploads in parts: %w", err)
	}
	store := &durableStore{
		Posix: files, meta: attrs, copies: copies, objects: objects, attributes: synced, sync: cfg.sync, pages: pages, created: cfg.Created, log: cfg.Log,
	}
	store.retention = retention{top: filepath.Join(cfg.Dir, retainedFolder), keep: store.keep}
	return store, store.retention.end() // removes what a killed process left
}
