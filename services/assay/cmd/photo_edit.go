package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/analyzer/pixels"
	"github.com/assay-project/assay/services/assay/client"
)

// photoEdit is one run of the command.
type photoEdit struct {
	*settings
	prompt   string
	wait     bool
	output   string
	parallel int

	client *client.Client
	bars   *progress
	waits  errgroup.Group
}

func newPhotoEdit(s *settings) *cobra.Command {
	e := &photoEdit{settings: s}
	cmd := &cobra.Command{
		Use:   "edit FILE…",
		Short: "Upload photos and have them described and edited",
		Long: `Upload photos (JPEG, PNG, WebP, HEIC) and have them described and edited. Several
are a batch, of 20 photos at most; more are several batches.

A prompt is a list of phrases, such as "auto levels, sharpen, crop 1:1 to faces,
as webp"; docs/photos.md lists them. Without one, photos are enhanced.

A line is written for each photo, with its id and status. With --wait that is
when its edit is there, and a photo whose edit FAILED counts as failed. With -o
the edited photos are saved, each under the name of its file with the extension
of its format; no file is replaced.
Exit status: 0 when all went well, 1 when a photo failed.`,
		Example: `  assay photo edit portrait.jpg --prompt "crop 1:1 to faces, as webp" -o edited
  assay photo edit *.jpg --prompt "auto levels, resize 2048" --wait --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: e.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&e.prompt, "prompt", "", "what to do with the photos; enhance by default")
	flags.BoolVar(&e.wait, "wait", false, "wait for the results")
	flags.StringVarP(&e.output, "output", "o", "", "folder to save the edited photos in; implies --wait")
	flags.IntVar(&e.parallel, "parallel", 4, "most photos to send at once")
	return cmd
}

// edited is the result of one photo.
type edited struct {
	path  string
	photo client.Photo
	saved string // path of the edited photo; empty unless it was saved
	err   error
}

func (e *photoEdit) run(cmd *cobra.Command, paths []string) (err error) {
	if e.parallel < 1 {
		return &Usage{Err: fmt.Errorf("--parallel %d: want 1 or more", e.parallel)}
	}
	if e.output != "" {
		e.wait = true
		if err := os.MkdirAll(e.output, 0o755); err != nil {
			return err
		}
	}
	if e.client, err = e.settings.client(); err != nil {
		return err
	}
	e.bars = newProgress(cmd.ErrOrStderr(), len(paths))
	e.waits.SetLimit(mostWaiting)
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	results := make(chan edited)
	go e.editAll(ctx, paths, results)
	failed, err := collect(results, e.bars, func(result edited) bool {
		stopWithoutServer(cancel, result.err)
		return result.err != nil || e.wait && result.photo.Status == client.Failed
	}, func(result edited) error { return e.show(ctx, cmd, result) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return cmp.Or(err, someFailed(failed, len(paths)))
}

// source is a photo that can be sent.
type source struct {
	path string
	file *os.File
	bar  *bar
	client.PhotoSource
}

// editAll sends the photos, awaits and saves their edits if wanted, and closes results.
func (e *photoEdit) editAll(ctx context.Context, paths []string, results chan<- edited) {
	defer close(results)
	for some := range slices.Chunk(paths, client.MaxPhotoBatch) {
		var sources []source
		for _, path := range some {
			src, err := e.open(path)
			if err != nil {
				src.bar.done()
				results <- edited{path: path, err: err}
				continue
			}
			sources = append(sources, src)
		}
		e.send(ctx, sources, results)
		for _, src := range sources {
			_ = src.file.Close() // only read from
		}
	}
	_ = e.waits.Wait() // no error is returned in the group, all are in results
}

// open opens a photo and reads what its upload declares.
func (e *photoEdit) open(path string) (src source, err error) {
	src = source{path: path, bar: e.bars.add(path)}
	if src.file, err = os.Open(path); err != nil {
		return src, plain(err)
	}
	head, digest := make([]byte, 512), sha256.New()
	n, err := io.ReadFull(src.file, head)
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		_, err = src.file.Seek(0, io.SeekStart)
	}
	if err == nil {
		src.Size, err = io.Copy(digest, src.file)
	}
	format := pixels.Sniff(head[:n])
	if err == nil && format == "" {
		err = errors.New("is not a JPEG, PNG, WebP or HEIC photo")
	}
	if err != nil {
		return src, errors.Join(plain(err), src.file.Close())
	}
	src.bar.size(src.Size)
	src.FileName, src.ContentType, src.SHA256 = filepath.Base(path), format.MediaType(), hex.EncodeToString(digest.Sum(nil))
	src.Content, src.Progress = src.file, src.bar.sent
	return src, nil
}

// send sends the photos: several as a batch.
func (e *photoEdit) send(ctx context.Context, sources []source, results chan<- edited) {
	sent := func(i int, photo client.Photo, err error) { e.sent(ctx, sources[i], photo, err, results) }
	switch len(sources) {
	case 0:
	case 1:
		sources[0].Prompt = e.prompt
		photo, err := e.client.UploadPhoto(ctx, sources[0].PhotoSource, client.PhotoOptions{})
		sent(0, photo, err)
	default:
		batch := make([]client.PhotoSource, len(sources))
		for i, src := range sources {
			batch[i] = src.PhotoSource
		}
		if _, err := e.client.UploadPhotoBatch(ctx, batch, client.PhotoBatchReservation{Prompt: e.prompt}, e.parallel, sent); err != nil {
			for i := range sources {
				sent(i, client.Photo{}, err)
			}
		}
	}
}

// sent awaits a photo that was sent, if wanted.
func (e *photoEdit) sent(ctx context.Context, src source, photo client.Photo, err error, results chan<- edited) {
	if err != nil || !e.wait {
		src.bar.done()
		results <- edited{path: src.path, photo: photo, err: err}
		return
	}
	src.bar.wait()
	e.waits.Go(func() error {
		result := edited{path: src.path}
		result.photo, result.err = e.client.WaitPhoto(ctx, photo.JobID)
		if result.err == nil && e.output != "" && result.photo.Status == client.Completed {
			result.saved, result.err = e.save(ctx, result.photo)
		}
		src.bar.done()
		results <- result
		return nil
	})
}

// save downloads an edited photo and returns the path of its file, which has the id of the job in
// its name where the name of the photo is taken.
func (e *photoEdit) save(ctx context.Context, p client.Photo) (path string, err error) {
	content, err := e.client.DownloadPhoto(ctx, p.JobID, client.EditedPhoto)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	name := filepath.Base(p.OriginalFileName)
	stem, extension := strings.TrimSuffix(name, filepath.Ext(name)), "."+strings.Replace(p.EditResult.Format, "jpeg", "jpg", 1)
	path = filepath.Join(e.output, stem+extension)
	file, err := create(path)
	if errors.Is(err, fs.ErrExist) {
		path = filepath.Join(e.output, stem+"-"+p.JobID+extension)
		file, err = create(path)
	}
	if err != nil {
		return "", err
	}
	return path, fill(file, content)
}

// create creates a file that must not exist.
func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// show writes the result of one photo; nothing for a canceled one.
func (e *photoEdit) show(ctx context.Context, cmd *cobra.Command, result edited) error {
	switch {
	case result.err != nil && ctx.Err() != nil:
		return nil
	case result.err != nil:
		return report(cmd, e.settings, failedLine{Path: result.path, Error: explain(result.err)})
	case e.json:
		return writeJSON(cmd.OutOrStdout(), editedLine{Path: result.path, Saved: result.saved, Photo: result.photo})
	}
	if err := e.writePhoto(cmd.OutOrStdout(), result.photo); err != nil || result.saved == "" {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "    saved as %s\n", shown(result.saved))
	return err
}

// editedLine is a photo with the path it was read from, and that of its edit.
type editedLine struct {
	Path  string `json:"path"`
	Saved string `json:"saved,omitempty"`
	client.Photo
}
