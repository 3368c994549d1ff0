package cmd

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/assay/client"
)

// putAny is one run of `assay put`. Each area uploads its files as its own command does.
type putAny struct {
	*settings
	area   string // of all files; empty chooses by the content
	dryRun bool

	texts  *upload
	photos *photoEdit
	files  *put
}

func newPut(s *settings) *cobra.Command {
	p := &putAny{settings: s, texts: &upload{settings: s}, photos: &photoEdit{settings: s}, files: &put{settings: s}}
	cmd := &cobra.Command{
		Use:   "put FILE|DIR…",
		Short: "Upload files of any kind",
		Long: `Upload files of any kind. The content of each decides where it goes:

  photojob  photos of at most 20 MB, which are described and edited
  textfile  plain text, whose words are counted
  library   everything else, such as documents, tables and records, and folders with
            their content

With --to, all go to one area. Without --json, the command prints where each one goes on
standard error before it uploads them. With --dry-run, that is its result, and nothing is
uploaded.
"assay send" sends an uploaded file to another area.

"assay upload", "assay photo edit" and "assay library put" have more flags, each for one
area.
Exit status: 0 on success, 1 if a file failed.`,
		Example: `  assay put letters/*.txt portrait.jpg report.pdf --wait
  assay put portrait.jpg --to library --folder /Photos`,
		Args: cobra.MinimumNArgs(1),
		RunE: p.run,
	}
	flags := cmd.Flags()
	s.nameWebhook(flags)
	flags.StringVar(&p.area, "to", "", "area of all files: "+strings.Join(areas(), ", ")+" (default: chosen by the content)")
	oneOfFlag(cmd, "to", areas()...)
	flags.BoolVar(&p.dryRun, "dry-run", false, "only print where the files would go")
	flags.StringVar(&p.files.to, "folder", "/", "folder for the files of the library; created if it is missing")
	completeFlag(cmd, "folder", s.completePaths(manyArgs))
	flags.BoolVar(&p.files.names.replace, "replace-names", false, "store files and folders whose names the library does not allow under similar names")
	flags.StringVar(&p.photos.prompt, "prompt", "", "how to edit photos (default: enhance)")
	flags.BoolVar(&p.texts.wait, "wait", false, "wait for the results")
	flags.IntVar(&p.texts.parallel, "parallel", 4, "maximum number of concurrent uploads")
	flags.DurationVar(&s.patience, "retry-for", 5*time.Minute, "how long to retry a request while the server is busy or unavailable")
	return cmd
}

func (p *putAny) run(cmd *cobra.Command, paths []string) error {
	if err := errors.Join(oneOf("--to", p.area, areas()), positive("--parallel", p.texts.parallel)); err != nil {
		return err
	}
	p.files.wait, p.photos.wait = p.texts.wait, p.texts.wait
	p.files.parallel, p.photos.parallel = p.texts.parallel, p.texts.parallel
	placed, failed := map[string][]string{}, 0
	for _, path := range paths {
		area, err := p.areaOf(path)
		if err != nil {
			failed++
			err = p.report(cmd, failedLine{Path: path, Error: explain(plain(err))})
		} else {
			placed[area] = append(placed[area], path)
			err = p.tell(cmd, path, area)
		}
		if err != nil {
			return err
		}
	}
	ends := []error{someFailed(failed, len(paths))}
	runs := map[string]func(*cobra.Command, []string) error{
		client.TextFileArea: p.texts.run, client.PhotoArea: p.photos.run, client.LibraryArea: p.files.run,
	}
	for _, area := range areas() {
		if p.dryRun || len(placed[area]) == 0 {
			continue
		}
		err := runs[area](cmd, placed[area])
		if _, counted := errors.AsType[*reported](err); err != nil && !counted {
			return err
		}
		ends = append(ends, err)
	}
	return summed(ends)
}

// placedLine is the JSON line of a file that would be uploaded.
type placedLine struct {
	Path string `json:"path"`
	Area string `json:"area"`
}

// tell prints where a file goes.
func (p *putAny) tell(cmd *cobra.Command, path, area string) error {
	if p.dryRun {
		return p.write(cmd.OutOrStdout(), placedLine{path, area}, "%s: %s\n", shown(path), area)
	}
	if !p.json {
		note(cmd.ErrOrStderr(), "%s: %s", shown(path), area)
	}
	return nil
}

// areaOf returns the area to which a file or folder goes.
func (p *putAny) areaOf(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case p.area != "":
		return p.area, nil
	case info.IsDir():
		return client.LibraryArea, nil
	case !info.Mode().IsRegular():
		return client.TextFileArea, nil // a pipe cannot be read twice, and only texts are streamed
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	head := make([]byte, extract.HeadSize)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	return areaOfContent(head[:n], path, info.Size()), nil
}

// areaOfContent returns the area of a file by its first bytes, its name and its size in bytes.
func areaOfContent(head []byte, name string, size int64) string {
	if pixels.Sniff(head) != "" && size <= photojob.MaxSize {
		return client.PhotoArea
	}
	if kind := extract.Detect(head, name); kind.Type == extract.Text && kind.MediaType == "text/plain" {
		return client.TextFileArea
	}
	return client.LibraryArea
}

// summed returns one error for the failures that several runs have reported, or nil if there were none.
func summed(ends []error) error {
	var summaries []string
	some := false
	for _, err := range ends {
		if known, ok := errors.AsType[*reported](err); ok {
			some = true
			if known.summary != "" {
				summaries = append(summaries, known.summary)
			}
		}
	}
	if !some {
		return nil
	}
	return &reported{summary: strings.Join(summaries, "; ")}
}
