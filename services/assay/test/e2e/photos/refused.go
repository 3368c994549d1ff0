package photos

import (
	"bytes"
	"image/png"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// pngOf returns a PNG of the given size.
func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, scene.New(width, height, 2)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// emptyPhotosAreRefused: every way to send a photo of 0 bytes is refused with a problem that says so.
func emptyPhotosAreRefused(t *testing.T, s system.System) {
	as := map[string]string{"X-Owner-Id": system.NewOwner(), "Content-Type": "application/json"}
	form, contentType := system.Form(`form-data; name="file"; filename="a.jpg"`, "image/jpeg", "")
	photo := `{"fileName":"a.jpg","contentType":"image/jpeg","size":0}`
	for name, send := range map[string]func() (*http.Response, string){
		"reservation": func() (*http.Response, string) { return s.Ask(t, http.MethodPost, "/v1/photos", as, photo) },
		"batch": func() (*http.Response, string) {
			return s.Ask(t, http.MethodPost, "/v1/photo-batches", as, `{"photos":[`+photo+`]}`)
		},
		"form": func() (*http.Response, string) {
			return s.Ask(t, http.MethodPost, "/v1/photos", map[string]string{"X-Owner-Id": as["X-Owner-Id"], "Content-Type": contentType}, form)
		},
	} {
		resp, body := send()
		if p := system.Refused(t, resp, body, http.StatusUnprocessableEntity, "file-empty"); !strings.Contains(p.Detail, "is empty") {
			t.Errorf("%s: %q, want a detail that says that the file is empty", name, p.Detail)
		}
	}
}

// contentDecides: a photo is read as what it is, whatever type was declared, and a file that is not a photo is refused
// with the declared and the detected type.
func contentDecides(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	declared := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "crop 1:1", pngOf(t, 160, 120)).JobID, client.Completed)
	if declared.FileType != "image/jpeg" || declared.EditResult.Format != "png" || declared.Error != nil || declared.Degraded != "" {
		t.Errorf("a PNG declared as JPEG: %s, want a PNG without remarks", system.JSON(declared))
	}
	form, contentType := system.Form(`form-data; name="file"; filename="photo"`, "application/octet-stream", string(system.DrawPhoto(t, 8)))
	resp, body := s.Ask(t, http.MethodPost, "/v1/photos", map[string]string{"X-Owner-Id": owner, "Content-Type": contentType}, form)
	var job client.Photo
	system.Decode(t, body, &job)
	if resp.StatusCode != http.StatusAccepted || job.FileType != "image/jpeg" {
		t.Errorf("a JPEG without a media type: %d %s, want 202 and image/jpeg", resp.StatusCode, body)
	}
	small := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", pngOf(t, 8, 100)).JobID, client.Failed)
	if small.Error.Code != "IMAGE_TOO_SMALL" || small.Error.Message != "the picture is too small: 8 × 100 pixels; each side must have at least 16" {
		t.Errorf("a small picture: %s, want IMAGE_TOO_SMALL with the limit", system.JSON(small.Error))
	}
	other := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")).JobID, client.Failed)
	if other.Error.Code != "UNSUPPORTED_FORMAT" || !strings.HasSuffix(other.Error.Message, "it was declared as image/jpeg, and its content is application/pdf") {
		t.Errorf("a PDF declared as JPEG: %s, want UNSUPPORTED_FORMAT with both types", system.JSON(other.Error))
	}
}

// internals matches what users of photos never read: the trace of a codec, its name, and the word for other files.
var internals = regexp.MustCompile(`(?i)wasm|stack trace|\$[0-9]+|libheif|libwebp|libde265|document|\.go:`)

// failuresAreForPeople: a photo that a codec rejects, or on which it crashes, fails with a sentence for people, and without a
// dead letter.
func failuresAreForPeople(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo, err := os.ReadFile(system.Repository(t, "pkg/extract/pixels/testdata/scene.heic"))
	if err != nil {
		t.Fatal(err)
	}
	var failed []client.Photo
	for _, damage := range []func([]byte){
		func(b []byte) { clear(b[len(b)*2/3:]) },
		func(b []byte) {
			for i := range b[len(b)/2:] {
				b[len(b)/2+i] ^= byte(i*151 + 3)
			}
		},
		func(b []byte) { copy(b[bytes.Index(b, []byte("hvcC"))+4:], bytes.Repeat([]byte{0xff}, 40)) },
	} {
		damaged := slices.Clone(photo)
		damage(damaged)
		job, err := c.WaitPhoto(system.Within(t), system.SendPhoto(t, c, "sepia", damaged).JobID)
		if err != nil {
			t.Fatal(err)
		}
		if text := system.JSON(job.Error) + job.Degraded; internals.MatchString(text) {
			t.Errorf("the job says %s, want no internals of a codec", text)
		}
		if job.Status == client.Failed {
			failed = append(failed, job)
		}
	}
	if len(failed) == 0 {
		t.Fatal("no damaged photo failed, want at least one")
	}
	letters, _, err := system.OperatorClient(t, s.Operator).DeadLetters(system.Within(t), client.DeadFilter{Consumer: "analyzer-photojob-stub"}, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, letter := range letters {
		if slices.ContainsFunc(failed, func(job client.Photo) bool { return job.JobID == letter.Item }) {
			t.Errorf("a damaged photo has the dead letter %+v, want none", letter)
		}
	}
}
