package photos

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// optionsApply: operations, further results, logos, and the options for animations and truncated photos apply, and what they
// leave out is reported.
func optionsApply(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 1)
	logo := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "as png", photo).JobID, client.Completed).JobID
	stranger := s.Client(t, system.NewOwner())
	foreign := system.AwaitPhoto(t, stranger, system.SendPhoto(t, stranger, "as png", photo).JobID, client.Completed).JobID
	for name, test := range map[string]struct {
		photo    []byte
		options  client.PhotoOptions
		format   string
		size     image.Point
		degraded string // a part of the report; empty for none
	}{
		"operations": {photo, client.PhotoOptions{Operations: []operation.Step{
			{Op: operation.Crop, Width: 100, Height: 80, Gravity: operation.Northwest}, {Op: operation.Pad, Ratio: operation.Ratio{Width: 1, Height: 1}}, {Op: operation.Format, Format: "webp"},
		}}, "webp", image.Pt(100, 100), ""},
		"logo":         {photo, client.PhotoOptions{Operations: []operation.Step{{Op: operation.Watermark, Logo: logo}}}, "jpeg", image.Pt(160, 120), ""},
		"foreign logo": {photo, client.PhotoOptions{Operations: []operation.Step{{Op: operation.Watermark, Logo: foreign}}}, "jpeg", image.Pt(160, 120), "watermark"},
		"first frame":  {animation(t), client.PhotoOptions{}, "gif", image.Pt(32, 24), "the first of 2 frames"},
		"all frames":   {animation(t), client.PhotoOptions{Frames: "all"}, "gif", image.Pt(32, 24), ""},
		"truncated":    {photo[:len(photo)/2], client.PhotoOptions{Tolerant: true}, "jpeg", image.Pt(160, 120), "% of the picture could be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := system.PhotoSource("a.jpg", "", test.photo)
			job, err := c.UploadPhoto(system.Within(t), source, test.options)
			if err != nil {
				t.Fatal(err)
			}
			job = system.AwaitPhoto(t, c, job.JobID, client.Completed)
			edit := job.EditResult
			if edit.Format != test.format || image.Pt(edit.Width, edit.Height) != test.size || (job.Degraded == "") != (test.degraded == "") || !strings.Contains(job.Degraded, test.degraded) {
				t.Errorf("the job is %s, want %s of %v, degraded %q", system.JSON(job), test.format, test.size, test.degraded)
			}
			if test.options.Frames == "all" {
				g, err := gif.DecodeAll(bytes.NewReader(system.DownloadPhoto(t, c, job.JobID, client.EditedPhoto)))
				if err != nil || len(g.Image) != 2 {
					t.Errorf("got an animation of %v frames, %v, want 2", g, err)
				}
			}
		})
	}
}

// outputsAreKept: a job has several results of one edit, which are downloaded, and removed with the job.
func outputsAreKept(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	job, err := c.UploadPhoto(system.Within(t), system.PhotoSource("a.jpg", "black and white", system.DrawPhoto(t, 1)), client.PhotoOptions{
		Outputs: []operation.Output{{Width: 80}, {Format: "webp", Width: 40}},
	})
	if err != nil {
		t.Fatal(err)
	}
	job = system.AwaitPhoto(t, c, job.JobID, client.Completed)
	if got := job.EditResult.Outputs; len(got) != 2 || got[0].Width != 80 || got[0].Format != "jpeg" || got[1].Height != 30 || got[1].Format != "webp" {
		t.Fatalf("the outputs are %s, want a JPEG of 80 and a WebP of 40 pixels", system.JSON(got))
	}
	for i, o := range job.EditResult.Outputs {
		body, err := c.DownloadPhotoOutput(system.Within(t), job.JobID, i+1)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(body)
		if err != nil || int64(len(data)) != o.Size || body.Close() != nil {
			t.Errorf("output %d has %d bytes, %v, want %d", i+1, len(data), err, o.Size)
		}
	}
	if _, err := c.DownloadPhotoOutput(system.Within(t), job.JobID, 3); !system.IsProblem(err, http.StatusUnprocessableEntity) {
		t.Errorf("output 3 returned %v, want 422", err)
	}
	if err := c.DeletePhoto(system.Within(t), job.JobID); err != nil {
		t.Fatal(err)
	}
	for bucket, keys := range s.PhotoKeys(t, job.JobID) {
		if len(keys) > 0 {
			t.Errorf("%s contains %v after the deletion, want nothing", bucket, keys)
		}
	}
}

// animation returns a GIF of two frames of 32 × 24 pixels.
func animation(t *testing.T) []byte {
	t.Helper()
	g := &gif.GIF{Delay: []int{10, 10}}
	for i := range 2 {
		m := image.NewPaletted(image.Rect(0, 0, 32, 24), color.Palette{color.Black, color.White, color.RGBA{R: 200, A: 255}})
		for at := range m.Pix {
			m.Pix[at] = byte((at/(i+3) + i) % 3)
		}
		g.Image = append(g.Image, m)
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, g); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
