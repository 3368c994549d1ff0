// Command measure reports the precision and recall of package faces on the photos listed in
// photos.tsv. It finds the photos in a directory by their SHA-256. It exits with 1 if the precision
// is below 0.9, or if fewer than 100 of the photos are found.
//
//	measure /path/to/photos
//
// photos.tsv has one photo per line: its package or repository, the version or commit, the file
// name, its SHA-256, and the faces that a person sees, or "-": left, top, right and bottom in pixels
// of the upright photo. "?" precedes what a person is not sure about, which does not count.
package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/photo/faces"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

//go:embed photos.tsv
var list string

// photo is a line of the list.
type photo struct {
	name          string
	seen, unclear []image.Rectangle
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
	finder, err := faces.New()
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
		p := photo{name: fields[2]}
		for box := range strings.SplitSeq(fields[4], ", ") {
			var r image.Rectangle
			to, text := &p.seen, box
			if rest, unclear := strings.CutPrefix(box, "? "); unclear {
				to, text = &p.unclear, rest
			}
			if box == "-" {
				continue
			}
			if _, err := fmt.Sscan(text, &r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y); err != nil {
				return nil, fmt.Errorf("photos.tsv has an invalid face %q: %w", box, err)
			}
			*to = append(*to, r)
		}
		photos[fields[3]] = p
	}
	return photos, nil
}

// measurement counts the faces in photos.
type measurement struct {
	finder       *faces.Finder
	decoder      *pixels.Decoder
	photos       map[string]photo
	out          io.Writer
	measured     map[string]bool // by SHA-256
	found, right map[float64]int // by minimum confidence
	seen         int             // number of faces that a person sees
}

const (
	leastPhotos    = 100
	leastPrecision = 0.9
)

func (m *measurement) folder(ctx context.Context, dir string) error {
	m.measured, m.found, m.right = map[string]bool{}, map[float64]int{}, map[float64]int{}
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
	for _, least := range []float64{faces.Sure, faces.Likely} {
		found, right := m.found[least], m.right[least]
		_, err := fmt.Fprintf(m.out, "%d of %d photos: %d faces with a confidence of at least %.2f, %d correct: precision %.3f; a person sees %d: recall %.3f\n",
			len(m.measured), len(m.photos), found, least, right, float64(right)/float64(max(found, 1)), m.seen, float64(right)/float64(max(m.seen, 1)))
		if err != nil {
			return err
		}
	}
	if len(m.measured) < leastPhotos || float64(m.right[faces.Sure]) < leastPrecision*float64(m.found[faces.Sure]) {
		return fmt.Errorf("at least %d photos and a precision of %.1f are required", leastPhotos, leastPrecision)
	}
	return nil
}

// photo compares the faces found in a photo with those that a person sees. Each counts once.
func (m *measurement) photo(ctx context.Context, data []byte, p photo) error {
	picture, release, err := m.decoder.Decode(ctx, data, pixels.Default)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	defer release()
	all, err := m.finder.Find(ctx, picture, faces.Likely)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	m.seen += len(p.seen)
	used := map[image.Rectangle]bool{}
	for _, f := range all {
		match := func(r image.Rectangle) bool { return !used[r] && matches(r, f.Box) }
		at, right := slices.IndexFunc(p.seen, match), 0
		switch {
		case at >= 0:
			used[p.seen[at]], right = true, 1
		case slices.ContainsFunc(p.unclear, match):
			continue
		default:
			if _, err := fmt.Fprintf(m.out, "%s: no face at %v, %.2f\n", p.name, f.Box, f.Confidence); err != nil {
				return err
			}
		}
		for _, least := range []float64{faces.Sure, faces.Likely} {
			if f.Confidence >= least {
				m.found[least]++
				m.right[least] += right
			}
		}
	}
	return nil
}

// matches reports whether two boxes are of the same face.
func matches(a, b image.Rectangle) bool {
	area := func(r image.Rectangle) int { return r.Dx() * r.Dy() }
	both := area(a.Intersect(b))
	return 5*both > area(a)+area(b)-both || 10*both > 7*min(area(a), area(b))
}
