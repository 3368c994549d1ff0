package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// stored is the number of files that the data folder has before the first backup.
const stored = 5000

// Backups starts a program and returns the trial of goal B1: the latency of uploads while a backup is being made, and
// without. Each backup begins a new repository, and reads the large file at the default rate at least until the end of
// the run.
func Backups(ctx context.Context, o Options) (trials []paired.Trial, stop func(), err error) {
	dir := filepath.Join(o.Dir, "backups")
	own, err := start(roleAssay, dir)
	if err != nil {
		return nil, nil, err
	}
	b := &saved{program: own, dir: dir, length: o.Length}
	stop = own.stop
	if err := b.prepare(ctx, o); err != nil {
		stop()
		return nil, nil, err
	}
	for _, n := range []int{1, 8, 32} {
		trials = append(trials, paired.Trial{
			Title: fmt.Sprintf("4 KB uploads during a backup, %d in flight", n),
			Own:   paired.Side{Name: "during a backup", Run: func(ctx context.Context) (paired.Sample, error) { return b.during(ctx, n) }},
			Rival: paired.Side{Name: "without", Run: func(ctx context.Context) (paired.Sample, error) { return b.alone(ctx, n) }},
			Goals: []paired.Goal{
				{ID: "B1", What: "p99 until accepted", Quantity: p99, Direction: paired.AtMost, Must: 2, Target: 1.5},
				{ID: "-", What: "median until accepted", Quantity: p50, Direction: paired.AtMost},
				{ID: "-", What: "files/s", Quantity: turn},
			},
		})
	}
	return trials, stop, nil
}

// saved is a program with backups.
type saved struct {
	program   *program
	operators *client.Client
	dir       string
	length    time.Duration
	made      int // repositories
}

// prepare stores the files and a large one.
func (b *saved) prepare(ctx context.Context, o Options) error {
	at, err := endpoints.Read(b.dir)
	if err != nil {
		return err
	}
	if b.operators, err = client.New(client.Config{Server: at.Operator}); err != nil {
		return err
	}
	u := &uploads{server: b.program, size: o.Upload}
	if u.client, err = client.New(client.Config{Server: b.program.http, OwnerID: "bench"}); err != nil {
		return err
	}
	if u.file, err = largeFile(filepath.Join(o.Dir, "large"), o.Upload); err != nil {
		return err
	}
	_, err = u.onePut(ctx)
	return errors.Join(err, u.file.Close(), many(ctx, b.program, 32, stored))
}

func (b *saved) alone(ctx context.Context, n int) (paired.Sample, error) {
	s, err := load(ctx, b.program, n, b.length)
	if err != nil {
		return nil, err
	}
	return paired.Sample{p50: s.accepted(.5), p99: s.accepted(.99), turn: 1 / s.rate()}, nil
}

// during measures uploads while a backup is being made, and then cancels it.
func (b *saved) during(ctx context.Context, n int) (paired.Sample, error) {
	b.made++
	to := filepath.Join(b.dir+"-repositories", fmt.Sprint(b.made))
	if _, err := b.operators.StartBackup(ctx, client.BackupRequest{To: to}); err != nil {
		return nil, err
	}
	sample, err := b.alone(ctx, n)
	if err != nil {
		return nil, err
	}
	state, err := b.operators.Backups(ctx)
	if err == nil && state.Running == nil {
		err = fmt.Errorf("the backup ended before the run: %+v; make the file of -upload larger", state.Last)
	}
	if err == nil {
		err = b.operators.CancelBackup(ctx)
	}
	for err == nil && state.Running != nil {
		select {
		case <-time.After(10 * time.Millisecond):
			state, err = b.operators.Backups(ctx)
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return sample, errors.Join(err, os.RemoveAll(to))
}
