package remote_test

import (
	"bytes"
	"errors"
	"image/jpeg"
	"image/png"
	"net/http"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/budget"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/remote"
)

// TestPrepared checks that a photo is sent within the limits, as a JPEG without its metadata, or as
// a PNG if it has transparency.
func TestPrepared(t *testing.T) {
	decoder := pixels.NewDecoder(budget.New(1<<30), wasm.Config{})
	var plain, clear bytes.Buffer
	if err := jpeg.Encode(&plain, scene.New(900, 600, 2), &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	tagged := bytes.Replace(plain.Bytes(), []byte{0xff, 0xd8}, append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, 24}, "Exif\x00\x00secret location."...), 1)
	m := scene.New(300, 200, 2)
	m.Pix[3] = 0
	if err := png.Encode(&clear, m); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		photo     []byte
		limits    provider.Limits
		mediaType string
		width     int
	}{
		"fits":         {tagged, provider.Limits{Bytes: 1 << 20, Longest: 3000}, "image/jpeg", 900},
		"too wide":     {tagged, provider.Limits{Bytes: 1 << 20, Longest: 600}, "image/jpeg", 600},
		"too large":    {tagged, provider.Limits{Bytes: 15_000, Longest: 3000}, "image/jpeg", 0},
		"transparency": {clear.Bytes(), provider.Limits{Bytes: 1 << 20, Longest: 3000}, "image/png", 300},
	} {
		t.Run(name, func(t *testing.T) {
			photo, mediaType, _, err := remote.Prepared(t.Context(), decoder, test.photo, test.limits, provider.Options{})
			if err != nil || mediaType != test.mediaType || int64(len(photo)) > test.limits.Bytes || bytes.Contains(photo, []byte("secret")) {
				t.Fatalf("got %s, %d bytes, %v, want %s of at most %d bytes without metadata", mediaType, len(photo), err, test.mediaType, test.limits.Bytes)
			}
			if info, err := pixels.Inspect(photo, pixels.Default); err != nil || test.width > 0 && info.Width != test.width {
				t.Errorf("got %d × %d, %v, want width %d", info.Width, info.Height, err, test.width)
			}
		})
	}
	if _, _, _, err := remote.Prepared(t.Context(), decoder, tagged, provider.Limits{Bytes: 100, Longest: 600}, provider.Options{}); !errors.Is(err, pixels.ErrTooLarge) {
		t.Errorf("with a limit of 100 bytes: got %v, want ErrTooLarge", err)
	}
}

// TestRetryAfter checks that seconds and dates are accepted, that the delay is limited to a day, and that other values
// are ignored.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-3": 0, "soon": 0, "999999": 24 * time.Hour,
		"Sun, 22 Nov 2026 10:01:00 GMT": time.Minute, "Sun, 22 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := remote.RetryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("RetryAfter(%q) = %s, want %s", text, got, want)
		}
	}
}
