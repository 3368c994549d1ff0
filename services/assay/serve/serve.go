// Package serve runs all of Assay in one process: ingest, analyzer and query behind one HTTP
// address, on embedded engines that store their data in one directory.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/gateway"
)

// ErrInUse means that another process uses the data directory.
var ErrInUse = errors.New("another assay serve is running on this data folder")

// Run serves until ctx is done, then drains and returns nil. When ready, it writes endpoints.json
// into the data directory and a welcome text to out. It returns ErrInUse if another server uses the
// directory.
func Run(ctx context.Context, cfg Config, out io.Writer) error {
	if err := cfg.validate(); err != nil {
		return config.Unusable(err)
	}
	dir, release, err := claim(cfg.DataDir)
	if err != nil {
		return err
	}
	defer release()
	cfg, credentials, err := cfg.withKeys(dir)
	if err != nil {
		return err
	}

	var all *allInOne
	var page net.Addr
	return process.Serve(ctx, process.Options{
		Name: "assay", Title: "Assay", Version: process.Version(), About: gateway.Quickstart(), Events: event.AsyncAPI(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr,
		Exposure: cfg.Exposure, Drain: cfg.Drain, Runtime: Runtime(), Log: cfg.Log, LocalOwner: cfg.Owner,
		Listening: func(http net.Addr) { page = http },
		Ready: func(http, operator net.Addr) error {
			at := all.engines.endpoints(cfg.Exposure.TLS.Scheme(), http, operator)
			at.Region, at.Credentials = cfg.Region, credentials
			if err := endpoints.Write(dir, at); err != nil {
				return err
			}
			return welcome(out, at, dir, cfg.Exposure.Tokens(), all.first)
		},
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (*allInOne, error) {
		all, err = open(ctx, cfg, dir, page, log, reg)
		return all, err
	})
}

// claim creates the data directory and locks it until release is called or the process exits. It
// returns ErrInUse if another process has locked it.
func claim(folder string) (dir string, release func(), err error) {
	if dir, err = endpoints.Dir(folder); err == nil {
		dir, err = filepath.Abs(dir) // the S3 server changes the working directory
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", nil, fmt.Errorf("data folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	taken, err := lock.TryLock()
	if err != nil {
		return "", nil, fmt.Errorf("data folder %s: %w", dir, err)
	}
	if !taken {
		return "", nil, fmt.Errorf("%w: %s; stop it first, or choose another folder with --data", ErrInUse, dir)
	}
	if err := keepPrivate(dir); err != nil {
		return "", nil, errors.Join(err, lock.Unlock())
	}
	return dir, func() { _ = lock.Unlock() }, nil // the lock is also released when the process exits
}
