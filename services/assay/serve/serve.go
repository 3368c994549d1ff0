// Package serve runs all of Assay in one process: ingest, analyzer and query
// behind one HTTP address, on embedded engines whose data is in one folder.
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
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// ErrInUse says that another process serves the same data folder.
var ErrInUse = errors.New("another assay serve is running on this data folder")

// Heap is at how many bytes of heap the collector runs. At 80 MiB, which is what a
// service has, it would run for every 130th small file here, where three services
// and the engines allocate for each, and the files that meet it are the slowest.
const Heap = 192 << 20

// Run serves until ctx ends, then drains and returns nil. Once it is ready it
// writes endpoints.json into the data folder, and to out, for a person, what
// to try next. It returns ErrInUse for a folder that is served already.
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
	defer embedded.RoomForSyncs()()

	var all *whole
	var page net.Addr
	return process.Serve(ctx, process.Options{
		Name: "assay", Title: "Assay", Version: process.Version(), Addr: cfg.Addr, OperatorAddr: cfg.OperatorAddr,
		Exposure: cfg.Exposure, Drain: cfg.Drain, Heap: Heap, Log: cfg.Log,
		Listening: func(http net.Addr) { page = http },
		Ready: func(http, operator net.Addr) error {
			at := all.engines.endpoints(http, operator)
			at.Region, at.Credentials = cfg.Region, credentials
			if err := endpoints.Write(dir, at); err != nil {
				return err
			}
			return welcome(out, at, dir)
		},
	}, func(ctx context.Context, log zerolog.Logger, reg *prometheus.Registry) (*whole, error) {
		all, err = open(ctx, cfg, dir, page, log, reg)
		return all, err
	})
}

// claim makes the data folder and takes its lock, which ends with the process
// at the latest. It returns ErrInUse.
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
		return "", nil, fmt.Errorf("%w: %s. Stop it first, or give another folder with --data", ErrInUse, dir)
	}
	if err := keepPrivate(dir); err != nil {
		return "", nil, errors.Join(err, lock.Unlock())
	}
	return dir, func() { _ = lock.Unlock() }, nil // the process's end unlocks it too
}
