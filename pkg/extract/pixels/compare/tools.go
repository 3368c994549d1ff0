package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/png" // written by dwebp, heif-convert, avifdec and djxl
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "golang.org/x/image/bmp" // written by djpeg
)

// tools runs the reference decoders, which write into the folder.
type tools struct{ folder string }

// maxTime is the maximum time of a reference decoder for a picture. A decoder that takes longer has not read it.
const maxTime = time.Minute

// vips returns a picture as read by libvips, upright, or nil if libvips cannot read it. Samples that are not gray or RGB
// with 8 or 16 bits are converted to sRGB by libvips; CMYK with its profile and the perceptual intent, if it has one.
func (t tools) vips(ctx context.Context, path string) (*image.NRGBA, error) {
	link, upright, converted := filepath.Join(t.folder, "in"), filepath.Join(t.folder, "upright.v"), filepath.Join(t.folder, "converted.v")
	if err := relink(path, link); err != nil {
		return nil, err
	}
	if read, err := t.run(ctx, "vips", "autorot", link, upright); !read {
		return nil, err
	}
	r, err := readRaster(upright)
	if err != nil {
		return nil, err
	}
	if !r.rgb() {
		read := false
		if r.kind == vipsCMYK {
			read, err = t.run(ctx, "vips", "icc_transform", upright, converted, "srgb", "--embedded", "--intent", "perceptual")
		}
		if !read && err == nil {
			read, err = t.run(ctx, "vips", "colourspace", upright, converted, "srgb")
		}
		if !read {
			return nil, err
		}
		if r, err = readRaster(converted); err != nil || !r.rgb() {
			return nil, err
		}
	}
	return r.picture()
}

// intact reports whether libvips reads a picture without warnings.
func (t tools) intact(ctx context.Context, path string) (bool, error) {
	link := filepath.Join(t.folder, "in")
	if err := relink(path, link); err != nil {
		return false, err
	}
	return t.run(ctx, "vips", "copy", link+"[fail_on=warning]", filepath.Join(t.folder, "intact.v"))
}

// second contains the second references.
var second = map[string]string{"jpeg": "djpeg", "webp": "dwebp", "heic": "heif-convert", "avif": "avifdec", "jxl": "djxl"}

// second returns a picture as read by the decoder of its format, and the name of the program. The picture is nil if
// there is no such program, or if it cannot read the picture. djpeg and avifdec do not apply orientations.
func (t tools) second(ctx context.Context, path, format string) (*image.NRGBA, string, error) {
	program, file := second[format], filepath.Join(t.folder, "second.png")
	args := []string{path, file}
	switch program {
	case "":
		return nil, "", nil
	case "djpeg":
		args = []string{"-bmp", "-outfile", file, path}
	case "dwebp":
		args = []string{"-quiet", path, "-o", file}
	}
	if _, err := exec.LookPath(program); err != nil {
		return nil, "", nil // is optional
	}
	if read, err := t.run(ctx, program, args...); !read {
		return nil, program, err
	}
	encoded, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) { // heif-convert numbers the files of several pictures
		return nil, program, nil
	}
	if err != nil {
		return nil, "", err
	}
	m, _, err := image.Decode(bytes.NewReader(encoded))
	if err != nil {
		return nil, "", fmt.Errorf("result of %s: %w", program, err)
	}
	return asNRGBA(m), program, os.Remove(file)
}

func asNRGBA(m image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	return out
}

// run reports whether a program succeeded. It returns an error if the program cannot be started, or if ctx is done.
func (t tools) run(ctx context.Context, program string, args ...string) (bool, error) {
	bounded, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	command := exec.CommandContext(bounded, program, args...)
	command.Env = append(os.Environ(), "VIPS_CONCURRENCY=1") // starting threads takes longer than a small picture
	err := command.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); failed || bounded.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil, err
}

// relink makes link refer to the file at path, because libvips gives a meaning to brackets in paths.
func relink(path, link string) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(absolute, link)
}
