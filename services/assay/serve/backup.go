package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/services/assay/backup"
)

// ErrBackupRunning means that a backup is being made.
var ErrBackupRunning = errors.New("a backup is already running")

// errCanceled is the error of a backup that an operator has canceled.
var errCanceled = errors.New("canceled by an operator")

// backups makes backups of the running engines, one at a time.
type backups struct {
	engines  *engines
	dir      string // data directory
	schedule backupSchedule
	log      zerolog.Logger
	metrics  backupMetrics
	requests chan *backupRun // has the run that is to begin

	mu      sync.Mutex
	running *backupRun
	history backupHistory
	next    time.Time // of the schedule
}

// backupRequest says what an operator or the schedule wants.
type backupRequest struct {
	to   string
	rate int64 // bytes per second; 0 means no maximum
	keep int   // 0 means all
}

// backupRun is a backup that is being made.
type backupRun struct {
	backupRequest
	began    time.Time
	progress backup.Progress
	ctx      context.Context // done when the run is canceled
	cancel   context.CancelCauseFunc
	done     chan struct{}
}

// newBackups opens the history of the data folder.
func newBackups(e *engines, dir string, schedule backupSchedule, log zerolog.Logger, reg prometheus.Registerer) (*backups, error) {
	b := &backups{engines: e, dir: dir, schedule: schedule, log: log, metrics: newBackupMetrics(reg), requests: make(chan *backupRun, 1)}
	var err error
	if b.history, err = readBackupHistory(dir); err != nil {
		return nil, err
	}
	b.metrics.show(b.history)
	return b, nil
}

// start starts a backup in the background. It returns ErrBackupRunning if one is running.
func (b *backups) start(r backupRequest) (*backupRun, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running != nil {
		return nil, ErrBackupRunning
	}
	run := &backupRun{backupRequest: r, began: time.Now(), done: make(chan struct{})}
	run.ctx, run.cancel = context.WithCancelCause(context.Background())
	b.running = run
	b.requests <- run
	return run, nil
}

// cancel cancels the running backup. It reports whether there is one.
func (b *backups) cancel() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		return false
	}
	b.running.cancel(errCanceled)
	return true
}

// work makes backups until ctx is done. It returns nil.
func (b *backups) work(ctx context.Context) error {
	for {
		due := b.plan()
		select {
		case <-ctx.Done():
			return nil
		case <-due:
			if _, err := b.start(b.schedule.request); err != nil {
				b.log.Debug().Err(err).Msg("the scheduled backup waits")
			}
		case run := <-b.requests:
			b.do(ctx, run)
		}
	}
}

// plan returns a channel that receives when the next scheduled backup is due, or nil.
func (b *backups) plan() <-chan time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.schedule.request.to == "" || b.running != nil {
		return nil
	}
	b.next = b.schedule.next(b.history)
	return time.After(time.Until(b.next))
}

// do makes a backup and records its result.
func (b *backups) do(ctx context.Context, run *backupRun) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(run.ctx, func() { cancel(context.Cause(run.ctx)) })()
	b.log.Info().Str("to", run.to).Msg("backup begins")
	manifest, err := b.make(ctx, run)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	cancel(nil)
	result := newBackupResult(run, manifest, err)
	if err != nil {
		b.log.Error().Err(err).Str("to", run.to).Dur("took", time.Since(run.began)).Msg("backup failed")
	} else {
		b.log.Info().Str("to", run.to).Str("id", manifest.ID).Dur("took", time.Since(run.began)).Int64("bytes", manifest.Bytes).Int64("written", manifest.Written).Msg("backup is complete")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = nil
	b.history.add(result)
	b.metrics.show(b.history)
	if err != nil {
		b.metrics.failures.Inc()
	}
	if err := b.history.write(b.dir); err != nil {
		b.log.Error().Err(err).Msg("cannot store the result of the backup")
	}
	close(run.done)
}

func (b *backups) make(ctx context.Context, run *backupRun) (m backup.Manifest, err error) {
	repository, err := backup.Open(ctx, run.to)
	if err != nil {
		return m, err
	}
	label, err := b.engines.dynamo.Label()
	if err != nil {
		return m, err
	}
	host, err := os.Hostname()
	if err != nil {
		return m, fmt.Errorf("backup: %w", err)
	}
	to, err := repository.Begin(ctx, backup.Options{
		Folder: label, Holder: host + ":" + b.dir, Program: process.Version(), Rate: run.rate, Progress: &run.progress,
	})
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	marked, err := b.engines.mark(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, marked.close()) }()
	if !marked.streams.Exact {
		b.log.Warn().Msg("messages were written while the streams were marked; after a restore, sweeps may have to requeue work")
	}
	objects, err := marked.store(ctx, b.dir, to)
	if err != nil {
		return m, err
	}
	if m, err = to.Finish(marked.at, objects); err != nil || run.keep == 0 {
		return m, err
	}
	return m, to.Prune(run.keep)
}
