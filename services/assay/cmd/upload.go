package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/services/assay/client"
)

// upload is one run of `assay upload`.
type upload struct {
	*settings
	wait        bool
	streamed    bool
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
	s.nameWebhook(flags)
	flags.BoolVar(&u.wait, "wait", false, "wait for the results")
	flags.BoolVar(&u.streamed, "stream", false, "send the files through the API, if the S3 server is not reachable from here; an interrupted file starts again")
	flags.IntVar(&u.parallel, "parallel", 4, "maximum number of concurrent uploads")
	flags.StringVar(&u.contentType, "content-type", "", "media type, such as text/plain; charset=shift_jis")
	flags.DurationVar(&s.patience, "retry-for", 5*time.Minute, "how long to retry a request while the server is busy or unavailable")
	flags.StringVar(&u.name, "name", "", "name to store instead of the file's own, for a single file")
	return cmd
}

func (u *upload) run(cmd *cobra.Command, paths []string) (err error) {
	if err := u.check(paths); err != nil {
		return err
	}
	if u.client, err = u.settings.client(); err != nil {
		return err
	}
	if u.begun, err = u.unfinished(); err != nil {
		return err
	}
	u.stdin, u.owner = cmd.InOrStdin(), sync.OnceValues(func() (string, error) { return ownerOf(cmd.Context(), u.client) })
	texts := u.settings.files()
	s := &sender[client.File]{
		settings: u.settings, write: texts.writeLine,
		line: func(path string, f client.File) any { return sentLine{Path: path, File: f} },
	}
	if u.wait {
		s.wait = func(ctx context.Context, f client.File) (client.File, error) { return u.client.Wait(ctx, f.FileID) }
	}
	files := make([]local, len(paths))
	for i, path := range paths {
		files[i].path = path
	}
	var documents atomic.Bool // a file is a document or a picture
	notText, _, _ := strings.Cut(string(reason.NotText), ":")
	s.failed = func(f client.File) error {
		if strings.Contains(strings.ToLower(f.ErrorMessage), notText) {
			documents.Store(true)
		}
		return texts.failed(f)
	}
	err = s.sendAll(cmd, u.parallel, files, u.send)
	if documents.Load() {
		note(cmd.ErrOrStderr(), "Documents and pictures are read by: assay library put FILE. Photos are edited by: assay photo edit FILE")
	}
	if lost := u.lost.Load(); lost != nil {
		note(cmd.ErrOrStderr(), "%v", *lost)
	} else if u.cut.Load() {
		note(cmd.ErrOrStderr(), "repeat the command to continue the upload")
	}
	return err
}

func (u *upload) check(paths []string) error {
	stdin := slices.Index(paths, "-")
	switch {
	case u.name != "" && len(paths) > 1:
		return usage("--name requires a single file")
	case stdin >= 0 && slices.Contains(paths[stdin+1:], "-"):
		return usage("standard input can be given only once")
	}
	return positive("--parallel", u.parallel)
}

// send sends one file: with a presigned request, or as a stream if its size is unknown or --stream is set.
func (u *upload) send(ctx context.Context, l local, bar *bar) (client.File, error) {
	if l.path == "-" {
		return u.stream(ctx, u.stdin, cmp.Or(u.name, "stdin"), bar)
	}
	file, info, err := open(l.path)
	if err != nil {
		return client.File{}, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	name := cmp.Or(u.name, filepath.Base(l.path))
	switch {
	case info.IsDir():
		return client.File{}, fmt.Errorf("is a folder; upload it with: assay library put %s", shown(l.path))
	case u.streamed || !info.Mode().IsRegular():
		return u.stream(ctx, file, name, bar)
	}
	reservation := client.Reservation{FileName: name, Size: info.Size(), ContentType: u.contentType}
	if info.Size() > client.PartsAbove {
		return u.inParts(ctx, file, reservation, bar)
	}
	reservation.SHA256, _, err = checksum(ctx, io.NewSectionReader(file, 0, info.Size()), info.Size(), bar)
	if err != nil {
		return client.File{}, err
	}
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

// sentLine is a file as stored by the server and the path that it was read from.
type sentLine struct {
	Path string `json:"path"`
	client.File
}
