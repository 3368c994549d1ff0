package photos

import (
	"fmt"
	"image"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// signedURLsShowPhotos: the owner of a photo creates URLs under which everyone, and no one without a valid signature, can
// load it in a size, shape and format. It is never enlarged, may be cached by others, and disappears with its job.
func signedURLsShowPhotos(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	job := system.SendPhoto(t, c, "rotate 90", system.DrawPhoto(t, 9))
	sign := func(r client.Rendition, valid time.Duration) string {
		t.Helper()
		signed, err := c.SignPhotoURL(system.Within(t), job.JobID, r, valid)
		if err != nil || time.Until(signed.ExpiresAt) > valid || !strings.HasPrefix(signed.URL, s.HTTP+"/v1/photos/"+job.JobID+"/") {
			t.Fatalf("got %+v, %v, want a URL that is valid for %s", signed, err, valid)
		}
		return signed.URL
	}
	early := sign(client.Rendition{Format: "png"}, time.Hour) // before the job has ended
	system.AwaitPhoto(t, c, job.JobID, client.Completed)
	for _, test := range []struct {
		r    client.Rendition
		size image.Point
	}{
		{client.Rendition{Width: 60, Format: "webp"}, image.Pt(60, 80)},
		{client.Rendition{Height: 40, Format: "jpeg", Quality: 50}, image.Pt(30, 40)},
		{client.Rendition{Width: 3000, Format: "png"}, image.Pt(120, 160)},
		{client.Rendition{Width: 40, Height: 40, Cover: true, Gravity: "north", Format: "png"}, image.Pt(40, 40)},
		{client.Rendition{AspectRatio: "2:1", Format: "jpeg"}, image.Pt(120, 60)},
		{client.Rendition{Width: 80, Format: "jpeg", Original: true}, image.Pt(80, 60)},
	} {
		resp, body := load(t, sign(test.r, time.Hour), nil)
		size, format := sizeOf(t, body)
		if resp.StatusCode != http.StatusOK || size != test.size || format != test.r.Format || resp.Header.Get("Content-Type") != "image/"+format {
			t.Errorf("%+v: %d %s, %s of %v; want 200, %s of %v", test.r, resp.StatusCode, resp.Header.Get("Content-Type"), format, size, test.r.Format, test.size)
		}
		control, etag := resp.Header.Get("Cache-Control"), resp.Header.Get("ETag")
		var age int
		if _, err := fmt.Sscanf(control, "public, max-age=%d, immutable", &age); err != nil || age < 3500 || age > 3600 || etag == "" {
			t.Errorf("%+v: Cache-Control %q, ETag %q; want an hour for public caches and an ETag", test.r, control, etag)
		}
		if resp, body := load(t, sign(test.r, 2*time.Hour), http.Header{"If-None-Match": {etag}}); resp.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%+v with its ETag: %d with %d bytes, want 304", test.r, resp.StatusCode, len(body))
		}
	}
	if resp, _ := load(t, early, nil); resp.StatusCode != http.StatusOK {
		t.Errorf("a URL created before the job ended returned %d, want 200", resp.StatusCode)
	}
	var group sync.WaitGroup
	shared, same := sign(client.Rendition{Width: 33, Format: "webp"}, time.Hour), make(chan string, 8)
	for range cap(same) {
		group.Go(func() {
			_, body := load(t, shared, nil)
			same <- body
		})
	}
	group.Wait()
	for first := <-same; len(same) > 0; {
		if <-same != first {
			t.Error("concurrent requests returned different pictures, want one")
		}
	}
	checkForgedURLs(t, shared)
	if _, err := s.Client(t, system.NewOwner()).SignPhotoURL(system.Within(t), job.JobID, client.Rendition{Format: "png"}, time.Hour); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("another owner's call returned %v, want 404", err)
	}
	for _, r := range []client.Rendition{{Format: "gif"}, {Format: "png", Width: 4097}, {Format: "png", Cover: true}, {Format: "png", Gravity: "north"}} {
		if _, err := c.SignPhotoURL(system.Within(t), job.JobID, r, time.Hour); !system.IsProblem(err, http.StatusUnprocessableEntity) {
			t.Errorf("%+v: %v, want 422", r, err)
		}
	}
	if err := c.DeletePhoto(system.Within(t), job.JobID); err != nil {
		t.Fatal(err)
	}
	if resp, body := load(t, shared, nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after the delete: %d %.200s, want 404", resp.StatusCode, body)
	}
}

// checkForgedURLs checks that a changed or expired URL is refused.
func checkForgedURLs(t *testing.T, url string) {
	t.Helper()
	for name, test := range map[string]struct{ url, slug string }{
		"another size":      {strings.Replace(url, "/w33.", "/w34.", 1), "signature-invalid"},
		"another format":    {strings.Replace(url, ".webp?", ".png?", 1), "signature-invalid"},
		"another expiry":    {strings.Replace(url, "expires=1", "expires=2", 1), "signature-invalid"},
		"without signature": {url[:strings.Index(url, "?")], "signature-invalid"},
	} {
		resp, body := load(t, test.url, nil)
		if system.Refused(t, resp, body, http.StatusForbidden, test.slug); t.Failed() {
			t.Fatalf("%s is not refused as above", name)
		}
		if resp.Header.Get("ETag") != "" || strings.Contains(resp.Header.Get("Cache-Control"), "public") {
			t.Errorf("%s: headers %v, want none for caches", name, resp.Header)
		}
	}
}

// load loads a URL without a credential.
func load(t *testing.T, url string, header http.Header) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(system.Within(t), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range header {
		req.Header.Set(name, header.Get(name))
	}
	return system.Exchange(t, req)
}

// sizeOf returns the size and the format of a picture.
func sizeOf(t *testing.T, body string) (image.Point, string) {
	t.Helper()
	info, err := pixels.Inspect([]byte(body), pixels.Limits{})
	if err != nil {
		t.Errorf("the picture of %d bytes: %v", len(body), err)
	}
	return image.Pt(info.Width, info.Height), string(info.Format)
}
