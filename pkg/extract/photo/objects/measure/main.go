// Command measure reports the precision of the labels of package objects on the photos listed in
// photos.tsv. It finds the photos in a directory by their SHA-256. It exits with 1 if the precision
// is below 0.9, or if fewer than 100 of the photos are found.
//
//	measure /path/to/photos
//
// photos.tsv has one photo per line: its package or repository, the version or commit, the file
// name, its SHA-256, and the objects that a person sees, or "-".
package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo/objects"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

//go:embed photos.tsv
var list string

// photo is a line of the list.
type photo struct {
	source, version, name, sum string
	seen                       []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("the only argument must be the directory with the photos")
	}
	photos, err := parse(list)
	if err != nil {
		return err
	}
	finder, err := objects.New()
	if err != nil {
		return err
	}
	m := measurement{finder: finder, decoder: pixels.NewDecoder(budget.New(2<<30), wasm.Config{}), photos: photos, out: out}
	return errors.Join(m.folder(ctx, args[0]), m.decoder.Close(ctx))
}

// parse returns the photos by their SHA-256.
func parse(list string) (map[string]photo, error) {
	photos := map[string]photo{}
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 5 || len(fields[3]) != 2*sha256.Size {
			return nil, fmt.Errorf("photos.tsv has an invalid line: %q", line)
		}
		p := photo{source: fields[0], version: fields[1], name: fields[2], sum: fields[3]}
		if fields[4] != "-" {
			p.seen = strings.Split(fields[4], ", ")
		}
		photos[p.sum] = p
	}
	return photos, nil
}

// measurement counts the labels of photos.
type measurement struct {
	finder        *objects.Finder
	decoder       *pixels.Decoder
	photos        map[string]photo
	out           io.Writer
	measured      map[string]bool // by SHA-256
	labels, right int
	seen          int // number of objects that a person sees
}

const (
	leastPhotos    = 100
	leastPrecision = 0.9
)

func (m *measurement) folder(ctx context.Context, dir string) error {
	m.measured = map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		p, listed := m.photos[sum]
		if !listed || m.measured[sum] {
			return nil
		}
		m.measured[sum] = true
		return m.photo(ctx, data, p)
	})
	if err != nil {
		return err
	}
	precision := float64(m.right) / float64(max(m.labels, 1))
	_, err = fmt.Fprintf(m.out, "%d of %d photos: %d labels with a confidence of at least %.2f, %d correct: precision %.3f; %d of the %d objects that a person sees are labeled\n",
		len(m.measured), len(m.photos), m.labels, objects.Confidence, m.right, precision, m.right, m.seen)
	if len(m.measured) < leastPhotos || precision < leastPrecision {
		return errors.Join(err, fmt.Errorf("at least %d photos and a precision of %.1f are required", leastPhotos, leastPrecision))
	}
	return err
}

func (m *measurement) photo(ctx context.Context, data []byte, p photo) error {
	picture, release, err := m.decoder.Decode(ctx, data, pixels.Default)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	defer release()
	found, err := m.finder.Find(ctx, picture, objects.Confidence)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	var labels, wrong []string
	for _, o := range found {
		if slices.Contains(labels, o.Name) {
			continue
		}
		labels = append(labels, o.Name)
		if !slices.Contains(p.seen, o.Name) {
			wrong = append(wrong, fmt.Sprintf("%s %.2f", o.Name, o.Confidence))
		}
	}
	m.labels += len(labels)
	m.right += len(labels) - len(wrong)
	m.seen += len(p.seen)
	if len(wrong) > 0 {
		_, err = fmt.Fprintf(m.out, "%s: not seen: %s\n", p.name, strings.Join(wrong, ", "))
	}
	return err
}
