package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/assay/client"
)

// mostWaiting bounds how many results are awaited concurrently; each is a request that the server
// holds.
const mostWaiting = 64

// upload is one run of the command.
type upload struct {
	*settings
	wait        bool
	parallel    int
	contentType string
	name        string

	client *client.Client
	stdin  io.Reader
	bars   *progress
}

func newUpload(s *settings) *cobra.Command {
	u := &upload{settings: s}
	cmd := &cobra.Command{
		Use:   "upload FILE…",
		Short: "Upload texts",
		Long: `Upload texts; "-" is standard input.

Upload prints a line for each file with its id and status; with --wait, once its
result is available. A file whose analysis FAILED then counts as a failure.
Exit status: 0 on success, 1 if a file failed.`,
		Example: `  assay upload book.txt --wait
  assay upload letters/*.txt --wait --json > results.jsonl
  zcat log.gz | assay upload - --name log.txt`,
		Args: cobra.MinimumNArgs(1),
		RunE: u.run,
	}
	flags := cmd.Flags()
	flags.BoolVar(&u.wait, "wait", false, "wait for the results")
	flags.IntVar(&u.parallel, "parallel", 4, "maximum number of concurrent uploads")
	flags.StringVar(&u.contentType, "content-type", "", "media type, such as text/plain; charset=shift_jis")
	flags.StringVar(&u.name, "name", "", "name to store instead of the file's own, for a single file")
	return cmd
}

// sent is the result of one file.
type sent struct {
	path string
	file client.File
	err  error
}

func (u *upload) run(cmd *cobra.Command, paths []string) (err error) {
	if err := u.check(paths); err != nil {
		return &Usage{Err: err}
	}
	if u.client, err = u.settings.client(); err != nil {
		return err
	}
	u.stdin = cmd.InOrStdin()
	u.bars = newProgress(cmd.ErrOrStderr(), len(paths))
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)

	results := make(chan sent)
	go u.sendAll(ctx, paths, results)
	failed, err := collect(results, u.bars, func(result sent) bool {
		stopWithoutServer(cancel, result.err)
		return result.err != nil || u.wait && result.file.Status == client.Failed
	}, func(result sent) error { return u.show(ctx, cmd, result) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return cmp.Or(err, someFailed(failed, len(paths)))
}

func (u *upload) check(paths []string) error {
	stdins := 0
	for _, path := range paths {
		if path == "-" {
			stdins++
		}
	}
	switch {
	case u.parallel < 1:
		return fmt.Errorf("--parallel %d: must be 1 or more", u.parallel)
	case u.name != "" && len(paths) > 1:
		return errors.New("--name needs a single file")
	case stdins > 1:
		return errors.New("standard input can be given only once")
	}
	return nil
}

// sendAll sends the files, awaits their results if wanted, and closes results.
func (u *upload) sendAll(ctx context.Context, paths []string, results chan<- sent) {
	var sending, waiting errgroup.Group
	sending.SetLimit(u.parallel)
	waiting.SetLimit(mostWaiting)
	for _, path := range paths {
		sending.Go(func() error {
			bar := u.bars.add(path)
			file, err := u.send(ctx, path, bar)
			if err != nil || !u.wait {
				bar.done()
				results <- sent{path, file, err}
				return nil
			}
			bar.wait()
			waiting.Go(func() error {
				file, err := u.client.Wait(ctx, file.FileID)
				bar.done()
				results <- sent{path, file, err}
				return nil
			})
			return nil
		})
	}
	_ = sending.Wait() // no error is returned in a group, all are in results
	_ = waiting.Wait()
	close(results)
}

// send sends one file: by a presigned request, or in a stream if its size is unknown.
func (u *upload) send(ctx context.Context, path string, bar *bar) (client.File, error) {
	if path == "-" {
		return u.stream(ctx, u.stdin, cmp.Or(u.name, "stdin"), bar)
	}
	file, err := os.Open(path)
	if err != nil {
		return client.File{}, plain(err)
	}
	defer func() { _ = file.Close() }() // only read from
	info, err := file.Stat()
	if err != nil {
		return client.File{}, plain(err)
	}
	name := cmp.Or(u.name, filepath.Base(path))
	switch {
	case info.IsDir():
		return client.File{}, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return u.stream(ctx, file, name, bar)
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, io.NewSectionReader(file, 0, info.Size())); err != nil {
		return client.File{}, plain(err)
	}
	bar.size(info.Size())
	return u.client.Upload(ctx, client.Source{
		Reservation: client.Reservation{
			FileName: name, Size: info.Size(), ContentType: u.contentType,
			SHA256: hex.EncodeToString(digest.Sum(nil)),
		},
		Content: file, Progress: bar.sent,
	})
}

func (u *upload) stream(ctx context.Context, content io.Reader, name string, bar *bar) (client.File, error) {
	return u.client.PostFile(ctx, client.Posted{
		FileName: name, ContentType: u.contentType, Content: io.TeeReader(content, bar),
	})
}

// plain removes the path from a file error, since the path is printed beside it.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*os.PathError](err); ok {
		return wrapped.Err
	}
	return err
}

// show writes the result of one file; nothing for a canceled one.
func (u *upload) show(ctx context.Context, cmd *cobra.Command, result sent) error {
	switch {
	case result.err != nil && ctx.Err() != nil:
		return nil
	case result.err != nil:
		return report(cmd, u.settings, failedLine{Path: result.path, Error: explain(result.err)})
	case u.json:
		return writeJSON(cmd.OutOrStdout(), sentLine{Path: result.path, File: result.file})
	}
	return writeLine(cmd.OutOrStdout(), result.file)
}

// sentLine is a file with the path it was read from.
type sentLine struct {
	Path string `json:"path"`
	client.File
}
