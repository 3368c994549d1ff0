package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

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
	wait   func(context.Context, T) (T, error) // returns the final result; nil does not wait
	failed func(T) error                       // why a final result counts as a failure, or nil
	line   func(path string, result T) any     // JSON line of a result
	write  func(io.Writer, T) error            // writes a result as text

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
		if one.err != nil || s.wait != nil && s.failed(one.result) != nil {
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
		return s.report(cmd, failedLine{Path: one.path, Error: explain(one.err)})
	case s.json:
		return writeJSON(cmd.OutOrStdout(), s.line(one.path, one.result))
	}
	return s.write(cmd.OutOrStdout(), one.result)
}

// local is a file to send.
type local struct {
	path     string
	name     string // under which the library stores it
	folderID string // folder of the library to send it to
	err      error  // why the file or folder cannot be sent
}

// sendAll sends files with send, at most parallel at a time, and shows the result of each.
func (s *sender[T]) sendAll(
	cmd *cobra.Command, parallel int, files []local, send func(context.Context, local, *bar) (T, error),
) error {
	return s.run(cmd, len(files), func(ctx context.Context) {
		var running errgroup.Group
		running.SetLimit(parallel)
		for _, file := range files {
			running.Go(func() error {
				bar := s.bars.add(file.path)
				result, err := send(ctx, file, bar)
				s.done(ctx, file.path, bar, result, err)
				return nil
			})
		}
		_ = running.Wait() // the group returns no error
	})
}

// open opens a file to send.
func open(path string) (*os.File, os.FileInfo, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, plain(err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, errors.Join(plain(err), file.Close())
	}
	return file, info, nil
}

// checksum returns the SHA-256 of a file of the given size in hex, and the number of bytes read.
func checksum(ctx context.Context, file io.Reader, bytes int64, bar *bar) (sum string, read int64, err error) {
	digest := sha256.New()
	if read, err = io.Copy(digest, bar.hash(ctx, file, bytes)); err != nil {
		return "", read, plain(err)
	}
	bar.size(read)
	return hex.EncodeToString(digest.Sum(nil)), read, nil
}

// plain removes the path from a file error, because the path is printed next to it.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*os.PathError](err); ok {
		return wrapped.Err
	}
	return err
}
