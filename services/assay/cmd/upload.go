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
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

// upload is one run of `assay upload`.
type upload struct {
	*settings
	wait        bool
	parallel    int
	contentType string
	name        string

	client *client.Client
	stdin  io.Reader

	begun *unfinished
	owner func() (string, error)
	cut   atomic.Bool           // an upload in parts was interrupted
	lost  atomic.Pointer[error] // why an upload in parts is not recorded
}

func newUpload(s *settings) *cobra.Command {
	u := &upload{settings: s}
	cmd := &cobra.Command{
		Use:   "upload FILE…",
		Short: "Upload texts",
		Long: `Upload texts; "-" is standard input.

Upload prints a line with the id and status of each file. With --wait, it prints the
line when the result is available, and a FAILED file counts as a failure.

Files above 64 MiB are uploaded in parts, several concurrently. After an interruption,
repeat the command: it sends only the missing parts if the file is unchanged and the
server still has the others, which it keeps for a day by default. While the server is
busy or restarts, requests are retried.

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
	flags.DurationVar(&s.patience, "retry-for", 5*time.Minute, "how long to retry a request while the server is busy or unavailable")
	flags.StringVar(&u.name, "name", "", "name to store instead of the file's own, for a single file")
	return cmd
}

func (u *upload) run(cmd *cobra.Command, paths []string) (err error) {
	if err := u.check(paths); err != nil {
		return &Usage{Err: err}
	}
	if u.client, err = u.settings.client(); err != nil {
		return err
	}
	if u.begun, err = u.unfinished(); err != nil {
		return err
	}
	u.stdin, u.owner = cmd.InOrStdin(), sync.OnceValues(func() (string, error) { return ownerOf(cmd.Context(), u.client) })
	s := &sender[client.File]{
		settings: u.settings, isFailed: func(f client.File) bool { return u.wait && f.Status == client.Failed },
		show: func(path string, f client.File) error {
			if u.json {
				return writeJSON(cmd.OutOrStdout(), sentLine{Path: path, File: f})
			}
			return writeLine(cmd.OutOrStdout(), f)
		},
	}
	if u.wait {
		s.wait = func(ctx context.Context, f client.File) (client.File, error) { return u.client.Wait(ctx, f.FileID) }
	}
	err = s.run(cmd, len(paths), func(ctx context.Context) {
		inParallel(u.parallel, paths, func(path string) {
			bar := s.bars.add(path)
			file, err := u.send(ctx, path, bar)
			s.done(ctx, path, bar, file, err)
		})
	})
	if lost := u.lost.Load(); lost != nil {
		note(cmd.ErrOrStderr(), "%v", *lost)
	} else if u.cut.Load() {
		note(cmd.ErrOrStderr(), "repeat the command to continue the upload")
	}
	return err
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
		return errors.New("--name requires a single file")
	case stdins > 1:
		return errors.New("standard input can be given only once")
	}
	return nil
}

// send sends one file: with a presigned request, or as a stream if its size is unknown.
func (u *upload) send(ctx context.Context, path string, bar *bar) (client.File, error) {
	if path == "-" {
		return u.stream(ctx, u.stdin, cmp.Or(u.name, "stdin"), bar)
	}
	file, err := os.Open(path)
	if err != nil {
		return client.File{}, plain(err)
	}
	defer func() { _ = file.Close() }() // opened for reading only
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
	reservation := client.Reservation{FileName: name, Size: info.Size(), ContentType: u.contentType}
	if info.Size() > client.PartsAbove {
		return u.inParts(ctx, file, reservation, bar)
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, bar.hash(ctx, io.NewSectionReader(file, 0, info.Size()), info.Size())); err != nil {
		return client.File{}, plain(err)
	}
	bar.size(info.Size())
	reservation.SHA256 = hex.EncodeToString(digest.Sum(nil))
	return u.client.Upload(ctx, client.Source{Reservation: reservation, Content: file, Progress: bar.sent})
}

// inParts uploads a file in parts, or resumes the upload of an earlier run.
func (u *upload) inParts(ctx context.Context, file *os.File, r client.Reservation, bar *bar) (client.File, error) {
	this, err := begin(ctx, file)
	if err != nil {
		return client.File{}, plain(err)
	}
	owner, err := u.owner()
	if err != nil {
		return client.File{}, err
	}
	this, err = u.begun.resume(this, u.client.Server(), owner, r.FileName, r.ContentType)
	if err != nil {
		u.lost.Store(&err)
	}
	bar.size(r.Size)
	r.Key, r.Parts = this.Key, true
	sent, err := u.client.Upload(ctx, client.Source{Reservation: r, Content: file, Progress: bar.sent})
	if keyUsed(err) {
		return sent, errors.Join(err, this.end())
	}
	if err != nil {
		if _, refused := errors.AsType[*client.Problem](err); !refused {
			u.cut.Store(true)
		}
		return sent, err
	}
	if changed, err := this.changed(file); changed || err != nil {
		return sent, errors.Join(err, this.end(), fmt.Errorf("changed while it was uploaded as %s; upload it again", sent.FileID))
	}
	return sent, this.end()
}

func (u *upload) stream(ctx context.Context, content io.Reader, name string, bar *bar) (client.File, error) {
	return u.client.PostFile(ctx, client.Posted{
		FileName: name, ContentType: u.contentType, Content: io.TeeReader(content, bar),
	})
}

// plain removes the path from a file error, because the path is printed next to it.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*os.PathError](err); ok {
		return wrapped.Err
	}
	return err
}

// sentLine is a file as stored by the server and the path that it was read from.
type sentLine struct {
	Path string `json:"path"`
	client.File
}
