package cmd

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/assay/client"
)

// mostWaiting limits how many results are awaited concurrently. Each is a pending request on the
// server.
const mostWaiting = 64

// sender sends files and shows the result of each. It runs once.
type sender[T any] struct {
	*settings
	wait     func(context.Context, T) (T, error) // returns the final result; nil does not wait
	isFailed func(T) bool
	show     func(path string, result T) error

	bars    *progress
	waiting errgroup.Group
	results chan sent[T]
}

// sent is the result of one file.
type sent[T any] struct {
	path   string
	result T
	err    error
}

// run calls send, which calls done with the result of each file, and shows the results as they
// arrive, or below the progress bars after all have arrived. If the server is unreachable it cancels
// the remaining files. It returns the error that determines the exit status.
func (s *sender[T]) run(cmd *cobra.Command, files int, send func(context.Context)) error {
	s.bars = newProgress(cmd.ErrOrStderr(), files)
	s.results = make(chan sent[T])
	s.waiting.SetLimit(mostWaiting)
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(cmd.Context()))
	defer cancel(nil)
	defer context.AfterFunc(cmd.Context(), func() {
		s.bars.interrupted()
		cancel(context.Cause(cmd.Context()))
	})()
	go func() {
		defer close(s.results)
		send(ctx)
		_ = s.waiting.Wait() // the group returns no error; results contain them
	}()
	var shownLater []sent[T]
	var failed int
	var err error
	for one := range s.results {
		if lost, ok := errors.AsType[*client.Unreachable](one.err); ok && lost.NoServer() {
			cancel(one.err)
		}
		if one.err != nil || s.isFailed(one.result) {
			failed++
		}
		if s.bars != nil {
			shownLater = append(shownLater, one)
		} else {
			err = errors.Join(err, s.showOne(ctx, cmd, one))
		}
	}
	s.bars.end()
	for _, one := range shownLater {
		err = errors.Join(err, s.showOne(ctx, cmd, one))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return cmp.Or(err, someFailed(failed, files))
}

// done accepts the result or error of a sent file, and waits for the final result if requested. bar can be nil.
func (s *sender[T]) done(ctx context.Context, path string, bar *bar, result T, err error) {
	if err != nil || s.wait == nil {
		bar.done()
		s.results <- sent[T]{path, result, err}
		return
	}
	bar.wait()
	s.waiting.Go(func() error {
		result, err := s.wait(ctx, result)
		bar.done()
		s.results <- sent[T]{path, result, err}
		return nil
	})
}

// showOne shows the result of one file, or nothing for a canceled one.
func (s *sender[T]) showOne(ctx context.Context, cmd *cobra.Command, one sent[T]) error {
	switch {
	case one.err != nil && ctx.Err() != nil:
		return nil
	case one.err != nil:
		return report(cmd, s.settings, failedLine{Path: one.path, Error: explain(one.err)})
	}
	return s.show(one.path, one.result)
}

// inParallel calls do for each element of all, at most limit at a time.
func inParallel[E any](limit int, all []E, do func(E)) {
	var running errgroup.Group
	running.SetLimit(limit)
	for _, one := range all {
		running.Go(func() error {
			do(one)
			return nil
		})
	}
	_ = running.Wait() // the group returns no error
}
