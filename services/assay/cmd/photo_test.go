package cmd

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
)

// draw returns a JPEG of 160 × 120 pixels.
func draw(t *testing.T, seed uint32) string {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scene.New(160, 120, seed), nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// edit edits a photo and returns its id.
func (p person) edit(name, prompt string) string {
	p.Helper()
	got := p.run("photo", "edit", write(p.T, name, draw(p.T, 1))[0], "--wait", "--prompt", prompt)
	id := jobs.FindString(got.out)
	if id == "" {
		p.Fatalf("edit of %s: got %+v, want the id of a photo", name, got)
	}
	return id
}

// has is like want, but out need only be a part of the output.
func (r ran) has(t *testing.T, status int, out, errs string) {
	t.Helper()
	if got := unique(r.out); strings.Contains(got, out) {
		out = got
	}
	r.want(t, status, out, errs)
}

// started matches the line of a photo whose edit may have begun.
var started = regexp.MustCompile(`^ID  (QUEUED|PROCESSING|EDITING|COMPLETED) +a\.jpg`)

func TestPhotoEdit(t *testing.T) {
	p := newPerson(t)
	path := write(t, "a.jpg", draw(t, 1))[0]
	if got := p.run("photo", "edit", path); got.status != 0 || !started.MatchString(unique(got.out)) {
		t.Errorf("photo edit without --wait: got %+v, want status 0 and the line of the photo", got)
	}
	dir := filepath.Join(t.TempDir(), "edited")
	for _, name := range []string{"a.png", "a-ID.png"} { // no file is replaced
		p.run("photo", "edit", path, "--prompt", "crop 1:1, magic, as png", "-o", dir).want(t, 0,
			"ID  COMPLETED   a.jpg  (120 × 120 png; not understood: magic)\n    saved as "+filepath.Join(dir, name)+"\n", "")
	}
	checkPhoto(t, filepath.Join(dir, "a.png"), "png", image.Pt(120, 120))
	p.run("photo", "edit", path, "--prompt", "magic", "--wait").has(t, 1, "ID  FAILED      a.jpg  (the prompt contains no known instruction: magic; supported instructions: enhance,", "")
}

func checkPhoto(t *testing.T, path, format string, size image.Point) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // opened for reading only
	config, is, err := image.DecodeConfig(file)
	if err != nil || is != format || config.Width != size.X || config.Height != size.Y {
		t.Errorf("%s: got %s of %d × %d, %v, want %s of %d × %d", path, is, config.Width, config.Height, err, format, size.X, size.Y)
	}
}

func TestPhotoEditOfSeveralFilesCreatesBatch(t *testing.T) {
	p := newPerson(t)
	paths := write(t, "a.jpg", draw(t, 1), "b.jpg", draw(t, 2), "c.jpg", draw(t, 3)[:700], "d.txt", "no photo")
	paths = append(paths, filepath.Join(t.TempDir(), "gone"))
	dir := t.TempDir()
	got := p.run(append([]string{"photo", "edit", "--json", "--prompt", "fit 80, as webp", "-o", dir}, paths...)...)
	if got.status != 1 || !strings.Contains(got.errors, "assay: 3 of 5 failed") {
		t.Errorf("got exit status %d and the errors %q, want 1 and 3 of 5 failed", got.status, got.errors)
	}
	batches := map[string]int{}
	for line := range strings.Lines(got.out) {
		if _, rest, found := strings.Cut(line, `"batchId":"`); found {
			batches[rest[:26]]++
		}
	}
	if len(batches) != 1 || !strings.Contains(got.out, `"code":"IMAGE_UNREADABLE"`) ||
		!strings.Contains(got.out, `{"path":"`+paths[3]+`","error":"is not a JPEG, PNG, WebP, HEIC, AVIF, JPEG XL, GIF, BMP, TIFF or raw photo"}`) ||
		!strings.Contains(got.out, `{"path":"`+paths[4]+`","error":"no such file or directory"}`) {
		t.Errorf("got %s\nwant one batch, an unreadable image and the errors of two files", got.out)
	}
	saved, err := filepath.Glob(filepath.Join(dir, "*"))
	if slices.Sort(saved); err != nil || !slices.Equal(saved, []string{filepath.Join(dir, "a.webp"), filepath.Join(dir, "b.webp")}) {
		t.Errorf("got the saved files %v, %v, want a.webp and b.webp", saved, err)
	}
}

func TestPhotoGetAndList(t *testing.T) {
	p := newPerson(t)
	first, second := p.edit("a.jpg", "sepia, magic"), p.edit("b.jpg", "magic")
	got := p.run("photo", "get", first)
	for _, line := range []string{
		"photo     a.jpg\n", "status    COMPLETED\n", "prompt    sepia, magic\n", "shows     A landscape photo, ", "labels    ",
		"edited    160 × 120 jpeg, ", "not done  not understood: magic\n",
	} {
		if got.status != 0 || !strings.Contains(got.out, line) {
			t.Errorf("photo get: got %+v, want %q in the output", got, line)
		}
	}
	p.run("photo", "get", second, "--wait").has(t, 1, "error    PROMPT_NOT_UNDERSTOOD: the prompt", "the edit of ID failed")
	p.run("photo", "get", "01HF9GZZZZZZZZZZZZZZZZZZZZ").want(t, 1, "", "assay: There is no photo job or batch with this id.\n")
	const heads = "CREATED              ID                          STATUS      PHOTO\n"
	const line = "TIME  ID  COMPLETED   a.jpg  (160 × 120 jpeg; not understood: magic)\n"
	p.run("photo", "list", "--status", "completed").want(t, 0, heads+line, "")
	p.run("photo", "list", "--limit", "1").has(t, 0, "TIME  ID  FAILED      b.jpg  (the prompt", "There are more")
	if all := p.run("photo", "list", "--all", "--json"); strings.Count(all.out, "\n") != 2 {
		t.Errorf("photo list: got %+v, want two photos", all)
	}
	p.run("photo", "list", "--status", "done").want(t, 2, "", "must be one of QUEUED, PROCESSING, EDITING, COMPLETED, FAILED")
	p.run("photo", "list", "--limit", "0").want(t, 2, "", "See: assay photo list --help")
}

func TestPhotoURL(t *testing.T) {
	p := newPerson(t)
	id := p.edit("a.jpg", "sepia")
	got := p.run("photo", "url", id, "--width", "80", "--format", "png", "--expires", "1h")
	url, rest, _ := strings.Cut(got.out, "\n")
	if got.status != 0 || !strings.Contains(url, "/v1/photos/"+id+"/w80.png?expires=") || !strings.HasPrefix(rest, "valid until ") {
		t.Fatalf("photo url: got %+v, want the URL of the rendition", got)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	if config, err := png.DecodeConfig(resp.Body); err != nil || config.Width != 80 || config.Height != 60 {
		t.Errorf("the URL shows %d × %d, %v, want a PNG of 80 × 60 pixels", config.Width, config.Height, err)
	}
	p.run("photo", "url", id, "--format", "gif").has(t, 1, "", "format ")
}

func TestPhotoChanges(t *testing.T) {
	p := newPerson(t)
	failed, done := p.edit("a.jpg", "magic"), p.edit("b.jpg", "sepia")
	p.run("photo", "cancel", done).want(t, 1, "", "ID: The job is COMPLETED.")
	p.run("photo", "retry", done).want(t, 1, "", "ID: The job is COMPLETED.")
	p.run("photo", "retry", failed, "--prompt", "sepia").want(t, 0, "ID  QUEUED      a.jpg\n", "")
	if got := p.run("photo", "get", failed, "--wait"); got.status != 0 {
		t.Errorf("photo get after the retry: got %+v, want status 0", got)
	}
	if original := p.run("photo", "download", done, "--original"); original.status != 0 || original.out != draw(t, 1) {
		t.Errorf("photo download --original: got %d bytes, want the uploaded photo: %s", len(original.out), original.errors)
	}
	path := filepath.Join(t.TempDir(), "x.jpg")
	p.run("photo", "download", done, "-o", path).want(t, 0, "", "")
	checkPhoto(t, path, "jpeg", image.Pt(160, 120))
	p.run("photo", "delete", done, done).want(t, 0, "ID  deleted\nID  deleted\n", "")
	p.run("photo", "delete", failed, "--json").want(t, 0, `{"jobId":"ID","deleted":true}`+"\n", "")
	p.run("photo", "download", done).want(t, 1, "", "There is no photo job or batch with this id.")
}

func TestPhotoUsage(t *testing.T) {
	for _, args := range [][]string{{"edit"}, {"edit", "a", "--parallel", "0"}, {"retry"}, {"cancel"}, {"delete"}, {"download"}, {"magic"}} {
		run(t.Context(), "", append([]string{"photo"}, args...)...).want(t, 2, "", "See: assay photo")
	}
}
