package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/services/assay/client"
)

// photoEdit is one run of `assay photo edit`.
type photoEdit struct {
	*settings
	prompt   string
	options  client.PhotoOptions
	edits    string   // the operations, as JSON or @ and the path of a file
	also     []string // further results: a format, a size, or both
	wait     bool
	output   string
	parallel int

	client *client.Client
	sender *sender[edited]
}

func newPhotoEdit(s *settings) *cobra.Command {
	e := &photoEdit{settings: s}
	cmd := &cobra.Command{
		Use:   "edit FILE…",
		Short: "Upload photos to describe and edit them",
		Long: `Upload photos (JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP, TIFF) to describe and edit them. Several photos form
a batch of at most 20; more photos form several batches.

A prompt is a list of phrases, such as "auto levels, sharpen, crop 1:1 to faces,
as webp"; docs/photos.md lists them, and "assay photo explain" shows what one does.
Without one, photos are enhanced.

The command prints a line with the id and status of each photo. With --wait, it prints
the line when the edit is finished, and a FAILED edit counts as a failure. With -o, the
edited photos are saved, each with the name of its file and the extension of its
format. No file is overwritten.
Exit status: 0 on success, 1 if a photo failed.`,
		Example: `  assay photo edit portrait.jpg --prompt "crop 1:1 to faces, as webp" -o edited
  assay photo edit *.jpg --prompt "auto levels, resize 2048" --wait --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: e.run,
	}
	flags := cmd.Flags()
	s.nameWebhook(flags)
	flags.StringVar(&e.prompt, "prompt", "", "how to edit the photos (default: enhance)")
	flags.StringVar(&e.edits, "operations", "", "edits as a JSON array, such as '[{\"op\":\"resize\",\"width\":800}]', or @FILE; applied after those of the prompt")
	flags.StringArrayVar(&e.also, "also", nil, "further result: a format, a maximum width or WxH, or both, such as webp:800; can be repeated")
	flags.BoolVar(&e.options.Tolerant, "tolerant", false, "edit what can be read of photos whose end is missing")
	flags.StringVar(&e.options.Frames, "frames", "", "frames of animations to edit: first, all (default: first)")
	flags.StringVar(&e.options.Colors, "colors", "", "color profile: keep, srgb (default: keep)")
	flags.StringSliceVar(&e.options.Keep, "keep", nil, "metadata to keep: copyright")
	flags.BoolVar(&e.wait, "wait", false, "wait for the results")
	flags.StringVarP(&e.output, "output", "o", "", "folder to save the edited photos in; implies --wait")
	flags.IntVar(&e.parallel, "parallel", 4, "maximum number of concurrent uploads")
	return cmd
}

// edited is a photo as returned by the server.
type edited struct {
	photo client.Photo
	saved string // path of the edited photo; empty if it was not saved
}

func (e *photoEdit) run(cmd *cobra.Command, paths []string) (err error) {
	if err := positive("--parallel", e.parallel); err != nil {
		return err
	}
	if e.options.Operations, err = operations(e.edits); err != nil {
		return err
	}
	if e.options.Outputs, err = outputs(e.also); err != nil {
		return err
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
	photos := e.photos()
	e.sender = &sender[edited]{
		settings: e.settings, failed: func(r edited) error { return photos.failed(r.photo) },
		line: func(path string, r edited) any { return editedLine{Path: path, Saved: r.saved, Photo: r.photo} },
		write: func(w io.Writer, r edited) error {
			err := photos.writeLine(w, r.photo)
			if err == nil && r.saved != "" {
				_, err = fmt.Fprintf(w, "    saved as %s\n", shown(r.saved))
			}
			return err
		},
	}
	if e.wait {
		e.sender.wait = e.await
	}
	return e.sender.run(cmd, len(paths), func(ctx context.Context) { e.editAll(ctx, paths) })
}

// source is a photo to upload.
type source struct {
	path string
	file *os.File
	bar  *bar
	client.PhotoSource
}

// editAll uploads the photos in batches.
func (e *photoEdit) editAll(ctx context.Context, paths []string) {
	for some := range slices.Chunk(paths, client.MaxPhotoBatch) {
		var sources []source
		for _, path := range some {
			src, err := e.open(ctx, path)
			if err != nil {
				e.sender.done(ctx, path, src.bar, edited{}, err)
				continue
			}
			sources = append(sources, src)
		}
		e.send(ctx, sources)
		for _, src := range sources {
			_ = src.file.Close() // opened for reading only
		}
	}
}

// open opens a photo and reads the properties that its upload declares.
func (e *photoEdit) open(ctx context.Context, path string) (src source, err error) {
	src = source{path: path, bar: e.sender.bars.add(path)}
	file, info, err := open(path)
	if err != nil {
		return src, err
	}
	head := make([]byte, 4096)
	n, err := file.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	format := pixels.Sniff(head[:n])
	if err == nil {
		src.SHA256, src.Size, err = checksum(ctx, file, info.Size(), src.bar)
	}
	if err == nil && format == "" {
		err = errors.New("is not a JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP, TIFF or raw photo")
	}
	if err != nil {
		return src, errors.Join(plain(err), file.Close())
	}
	src.file, src.FileName, src.ContentType = file, filepath.Base(path), format.MediaType()
	src.Content, src.Progress = file, src.bar.sent
	return src, nil
}

// send uploads the photos. Two or more photos form a batch.
func (e *photoEdit) send(ctx context.Context, sources []source) {
	sent := func(i int, photo client.Photo, err error) {
		e.sender.done(ctx, sources[i].path, sources[i].bar, edited{photo: photo}, err)
	}
	switch len(sources) {
	case 0:
	case 1:
		sources[0].Prompt = e.prompt
		photo, err := e.client.UploadPhoto(ctx, sources[0].PhotoSource, e.options)
		sent(0, photo, err)
	default:
		batch := make([]client.PhotoSource, len(sources))
		for i, src := range sources {
			batch[i] = src.PhotoSource
		}
		if _, err := e.client.UploadPhotoBatch(ctx, batch, client.PhotoBatchReservation{Prompt: e.prompt, Options: e.options}, e.parallel, sent); err != nil {
			for i := range sources {
				sent(i, client.Photo{}, err)
			}
		}
	}
}

// await waits for the edit of a photo and saves it if requested.
func (e *photoEdit) await(ctx context.Context, r edited) (edited, error) {
	var err error
	r.photo, err = e.client.WaitPhoto(ctx, r.photo.JobID)
	if err == nil && e.output != "" && r.photo.Status == client.Completed {
		r.saved, err = e.save(ctx, r.photo)
	}
	return r, err
}

// save downloads the results of an edit and returns the path of the edited photo.
func (e *photoEdit) save(ctx context.Context, p client.Photo) (string, error) {
	content, err := e.client.DownloadPhoto(ctx, p.JobID, client.EditedPhoto)
	if err != nil {
		return "", err
	}
	path, err := e.saveAs(content, p, "", p.EditResult.Format)
	for i, o := range p.EditResult.Outputs {
		if err != nil {
			break
		}
		if content, err = e.client.DownloadPhotoOutput(ctx, p.JobID, i+1); err == nil {
			_, err = e.saveAs(content, p, "-"+strconv.Itoa(i+1), o.Format)
		}
	}
	return path, err
}

// saveAs writes a result to a file with the name of the photo and a suffix, closes the result, and returns the path. If the
// file exists, the name includes the id of the job.
func (e *photoEdit) saveAs(content io.ReadCloser, p client.Photo, suffix, format string) (path string, err error) {
	defer func() { err = errors.Join(err, content.Close()) }()
	name := filepath.Base(p.OriginalFileName)
	stem, extension := strings.TrimSuffix(name, filepath.Ext(name)), suffix+"."+strings.Replace(format, "jpeg", "jpg", 1)
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

// create creates a file. It fails if the file exists.
func create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// editedLine is a photo with its path and the path of the edited photo.
type editedLine struct {
	Path  string `json:"path"`
	Saved string `json:"saved,omitempty"`
	client.Photo
}
