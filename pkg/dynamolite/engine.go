package dynamolite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/expr"
	"github.com/assay-project/assay/pkg/dynamolite/sigv4"
	"go.etcd.io/bbolt"
	"golang.org/x/sync/semaphore"
)

// Sync specifies when a write is synced to disk.
type Sync int

const (
	// SyncEveryCommit acknowledges a write only when it is on disk. Writes that
	// arrive while the disk is busy share the next sync.
	SyncEveryCommit Sync = iota
	// SyncNever leaves syncing to the operating system. Acknowledged writes
	// survive the end of the process at any moment, but not a power failure,
	// which may also leave the file unusable.
	SyncNever
)

// Options configures Open. The zero value selects an engine in a private temporary
// file.
type Options struct {
	// Path is the bbolt file. It is created if missing, and locked while it is open. While it
	// is open, and after a crash, a journal exists beside it; the two files belong together. If
	// Path is empty, the engine uses a temporary file without syncs, which Close removes.
	Path string
	Sync Sync
	// Clock returns the time for TTL, streams and request tokens; nil means time.Now.
	Clock func() time.Time
	// SweepInterval is the interval at which expired items, old stream records
	// and old request tokens are removed. 0 means one second. If it is
	// negative, only calls to Sweep remove them, and copy the items of backups and restores.
	SweepInterval time.Duration
	// OnError is called for each failure that a client sees as an
	// InternalServerError, or that happens in a sweep; nil ignores them.
	OnError func(error)
	// OnRecovery is called by Open if it has restored commits from the journal after a
	// crash, or has dropped an incomplete commit; nil ignores the recovery.
	OnRecovery func(Recovery)
	// Keys maps the access keys that may sign requests to their secret keys. A request without a
	// valid Signature Version 4 header of one of them is rejected, with the exceptions of AWS,
	// whatever the region. nil accepts every request, signed or not.
	Keys map[string]string
	// Allow reports whether the signer of a request has a permission that the request
	// needs. If it returns false for any of them, the request fails with
	// AccessDeniedException before any other check. Allow may be called concurrently.
	// nil allows everything.
	Allow func(Access) bool
	// Hosts are host names, in lower case and without a port, that requests may
	// use in addition to those of loopback and the IP address that a client
	// connects to. A request with another Host is rejected with status 421.
	Hosts []string
	// HostsSetting is the name of the setting that the response with status 421
	// tells users to change. The default is Options.Hosts.
	HostsSetting string
}

// Engine is a DynamoDB account: its tables, indexes and streams. Its methods
// may be called concurrently.
type Engine struct {
	db          *bbolt.DB
	journal     *journal // nil if there is none
	temporary   string   // directory that Close removes
	clock       func() time.Time
	opened      time.Time // the clock's time when the engine was opened, used by past
	onError     func(error)
	signatures  *sigv4.Verifier // nil if signatures are not verified
	allow       func(Access) bool
	hosts       []string
	hostsFrom   string
	origin      *http.CrossOriginProtection
	catalog     atomic.Pointer[catalog]
	commits     *committer
	damage      atomic.Pointer[error]
	faults      *Faults
	handlers    map[string]handler
	requests    atomic.Uint64
	bodies      *semaphore.Weighted // limits the memory for request bodies to maxBodies
	expressions expr.Cache
	closeOnce   sync.Once
	closeErr    error
	started     chan struct{} // receives after a backup or restore has begun; capacity 1
	copying     sync.Mutex    // held by copyAll
	stopSweep   context.CancelFunc
	sweeping    sync.WaitGroup
}

// past returns the time before which records of the given age may be removed. If the wall
// clock is stepped forward, nothing expires early: the monotonic time since Open bounds
// the result.
func (e *Engine) past(age time.Duration) time.Time {
	now := e.clock()
	if steady := e.opened.Round(0).Add(now.Sub(e.opened)); steady.Before(now) { // Round strips the monotonic reading
		now = steady
	}
	return now.Add(-age)
}

// Open opens or creates an engine. The caller must Close it. Open fails if the
// file cannot be opened, is not a bbolt file, or is locked by another process
// for more than a second.
func Open(opts Options) (*Engine, error) {
	e := &Engine{clock: opts.Clock, onError: opts.OnError, allow: opts.Allow, faults: &Faults{}, bodies: semaphore.NewWeighted(maxBodies), started: make(chan struct{}, 1),
		hosts: opts.Hosts, hostsFrom: cmp.Or(opts.HostsSetting, "Options.Hosts"), origin: http.NewCrossOriginProtection()}
	if e.clock == nil {
		e.clock = time.Now
	}
	e.opened = e.clock()
	if opts.Keys != nil {
		e.signatures = sigv4.New("dynamodb", opts.Keys, e.clock)
	}
	path := opts.Path
	if path == "" {
		dir, err := os.MkdirTemp("", "dynamolite-")
		if err != nil {
			return nil, fmt.Errorf("dynamolite: %w", err)
		}
		e.temporary, path = dir, filepath.Join(dir, "db")
	}
	if err := guard(func() error { return e.openFiles(path, opts) }); err != nil {
		return nil, errors.Join(fmt.Errorf("dynamolite: opening %s: %w", path, err), e.closeFiles())
	}
	e.handlers = e.operations()
	e.commits = newCommitter(e)
	ctx, cancel := context.WithCancel(context.Background())
	e.stopSweep = cancel
	if opts.SweepInterval >= 0 {
		interval := opts.SweepInterval
		if interval == 0 {
			interval = time.Second
		}
		e.sweeping.Go(func() { e.sweepEvery(ctx, interval) })
		e.sweeping.Go(func() { e.copyWhenStarted(ctx, interval) })
	}
	return e, nil
}

// Close closes the engine. It waits for writes in progress; later writes fail with ErrClosed. Call it
// after shutting down the HTTP server that uses the engine.
func (e *Engine) Close() error {
	e.closeOnce.Do(func() {
		e.stopSweep()
		e.sweeping.Wait()
		e.commits.stop()
		e.closeErr = e.closeFiles()
	})
	return e.closeErr
}

func (e *Engine) openFiles(path string, opts Options) (err error) {
	var j *journal
	if journaled && opts.Path != "" { // regardless of opts.Sync, because a journal may remain after a crash
		if j, err = openJournal(path); err != nil {
			return err
		}
		e.journal = j
	}
	settings := &bbolt.Options{
		Timeout:        time.Second,
		NoSync:         j != nil || opts.Sync == SyncNever || opts.Path == "",
		NoFreelistSync: true, // Open rebuilds the list
		FreelistType:   bbolt.FreelistMapType,
	}
	if j != nil {
		settings.InitialMmapSize = addressSpace
	}
	if err := checkFile(path, settings.Timeout); err != nil {
		return err
	}
	if e.db, err = bbolt.Open(path, 0o600, settings); err != nil {
		return err
	}
	if err := e.createBuckets(); err != nil {
		return err
	}
	if j != nil {
		if err := e.db.View(j.checkPresent); err != nil {
			return err
		}
		found := j.found.Recovery
		if err := j.start(e.db); err != nil {
			return err
		}
		if opts.OnRecovery != nil && found != (Recovery{}) {
			opts.OnRecovery(found)
		}
		if opts.Sync == SyncNever {
			e.journal = nil
			if err := j.close(); err != nil {
				return err
			}
		}
	}
	return e.load()
}

// checkFile checks the pages of the file at path before bbolt follows all of them. The error is
// ErrDamaged if the file is damaged. A file that is missing or empty is not.
func checkFile(path string, timeout time.Duration) error {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: timeout})
	if err != nil {
		return err
	}
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) error { return checkTree(tx, info.Size()) })
	})
	return errors.Join(err, db.Close())
}

// Damage returns the first damage found by a request or a sweep since Open, or nil.
func (e *Engine) Damage() error {
	if found := e.damage.Load(); found != nil {
		return *found
	}
	return nil
}

// noted records err if it reports damage, and returns it.
func (e *Engine) noted(err error) error {
	if errors.Is(err, ErrDamaged) {
		e.damage.CompareAndSwap(nil, &err)
	}
	return err
}

func (e *Engine) closeFiles() error {
	var errs []error
	if e.journal != nil {
		errs = append(errs, e.journal.close())
	}
	if e.db != nil {
		errs = append(errs, e.db.Close())
	}
	if e.temporary != "" {
		errs = append(errs, os.RemoveAll(e.temporary))
	}
	return errors.Join(errs...)
}

// Faults returns the engine's fault injector.
func (e *Engine) Faults() *Faults { return e.faults }
