// Package photo compares the processing of photos by Assay, libvips and
// ImageMagick: the goals I1 to I3 of docs/performance.md.
package photo

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/assay/test/bench/command"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// Options configures the measurement.
type Options struct {
	Dir string    // for the photo and the program, which are kept for later runs, and for results
	Out io.Writer // for messages
}

// Trials draws the photo, builds the program and returns the trials. The rivals are the installed
// libvips and ImageMagick (Debian packages libvips-tools and imagemagick).
func Trials(ctx context.Context, o Options) ([]paired.Trial, error) {
	in, err := photo(o.Dir)
	if err != nil {
		return nil, err
	}
	own := filepath.Join(o.Dir, "process-photo")
	if err := command.Build(ctx, own, "photo/process", ""); err != nil {
		return nil, err
	}
	m := maker{in: in, own: own, out: filepath.Join(o.Dir, "out"), log: o.Out}
	chain := m.side("assay", own, []string{"chain", in, m.out})
	vips := m.rival("libvips", "vips", m.vips)
	magick := m.rival("ImageMagick", "convert-im6.q16", m.magick)
	if magick.absent != "" { // the program has another name on systems other than Debian
		magick = m.rival("ImageMagick", "magick", m.magick)
	}
	thumbnails := m.side("assay", own, []string{"thumbnails", in, m.out})
	return append(m.edits(), []paired.Trial{
		vips.trial("12 MP to 2,048 px, levels, sharpen, JPEG", chain, paired.Goal{ID: "I1a", Direction: paired.AtMost, Must: 1.5, Target: 1}),
		magick.trial("12 MP to 2,048 px, levels, sharpen, JPEG", chain, paired.Goal{ID: "I1b", Direction: paired.AtLeast, Must: 1, Target: 1.5}),
		m.rival("vipsthumbnail", "vipsthumbnail", m.vipsthumbnail).
			trial("12 MP to 1,200, 600 and 300 px", thumbnails, paired.Goal{ID: "I2", Direction: paired.AtMost, Must: 1.2, Target: 1}),
	}...), nil
}

// photo draws a photo of 12 megapixels, unless it exists, and returns its path.
func photo(dir string) (string, error) {
	path := filepath.Join(dir, "photo-12mp-1.jpg")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return path, err
	}
	var data bytes.Buffer
	if err := jpeg.Encode(&data, scene.New(4000, 3000, 1), &jpeg.Options{Quality: 95}); err != nil {
		return "", err
	}
	if err := os.WriteFile(path+".part", data.Bytes(), 0o644); err != nil {
		return "", err
	}
	return path, os.Rename(path+".part", path)
}
