package photojob

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
)

// TestPictureErrorsHaveCode checks that errors about pictures have a code and are permanent.
func TestPictureErrorsHaveCode(t *testing.T) {
	for reason, code := range map[error]string{
		pixels.ErrTooLarge: photojob.CodeImageTooLarge, pixels.ErrFormat: photojob.CodeUnsupportedFormat,
		pixels.ErrTooSmall:   photojob.CodeImageTooSmall,
		pixels.ErrUnreadable: photojob.CodeImageUnreadable,
	} {
		err := unprepared(fmt.Errorf("%w: because", reason))
		if !providertest.IsError(err, provider.Permanent, code, provider.NotBilled) || !errors.Is(err, reason) {
			t.Errorf("unprepared(%v) = %v, want a permanent error with code %s", reason, err, code)
		}
	}
	if broken := errors.New("the bucket is unreachable"); !errors.Is(unprepared(broken), broken) || provider.PictureCode(broken) != "" {
		t.Errorf("unprepared(%v) = %v, want no code", broken, unprepared(broken))
	}
}

// TestBackoffGrows checks that the backoff grows within its bounds, with jitter.
func TestBackoffGrows(t *testing.T) {
	for errors, most := range map[int]time.Duration{0: 2 * time.Second, 1: 4 * time.Second, 3: 16 * time.Second, 12: time.Minute} {
		for range 100 {
			if pause := backoff(errors); pause < most/2 || pause > most {
				t.Errorf("after %d errors: got delay %s, want %s to %s", errors, pause, most/2, most)
			}
		}
	}
}

// TestStacksHaveOnlyOwnFrames checks that stored stack traces are limited in length and contain only frames of this
// repository.
func TestStacksHaveOnlyOwnFrames(t *testing.T) {
	const own = "github.com/assay-project/assay/services/analyzer/pixels.decode(...)\n\t/src/pixels/decoder.go:70 +0x1\n"
	stack := "goroutine 1 [running]:\nruntime.gopanic(...)\n\t/go/panic.go:1\n" + own + "image/png.Decode(...)\n\t/go/png.go:1\n" + own
	if got := ownFrames(stack); got != own+own {
		t.Errorf("got frames %q, want %q", got, own+own)
	}
	if got := ownFrames(strings.Repeat(own, 200)); len(got) > maxStack || len(got) < maxStack-len(own) {
		t.Errorf("got %d bytes, want %d to %d", len(got), maxStack-len(own), maxStack)
	}
}

func TestReasonsAreJoinedOnce(t *testing.T) {
	for _, test := range [][3]string{{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "a", "a"}, {"a", "b", "a; b"}} {
		if got := joined(test[0], test[1]); got != test[2] {
			t.Errorf("joined(%q, %q) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
