package photojob

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/photojob"
)

// TestPictureErrorsHaveCode checks that errors about pictures have a code and are permanent.
func TestPictureErrorsHaveCode(t *testing.T) {
	for reason, code := range map[error]string{
		pixels.ErrTooLarge: photojob.CodeImageTooLarge, pixels.ErrFormat: photojob.CodeUnsupportedFormat,
		pixels.ErrTooSmall: photojob.CodeUnsupportedFormat,
		pixels.ErrUnreadable: photojob.CodeImageUnreadable,
	} {
		err := judged(fmt.Errorf("%w: because", reason))
		coded, ok := errors.AsType[*codedError](err)
		if !ok || coded.code != code || !bus.IsPermanent(err) || !errors.Is(err, reason) {
			t.Errorf("judged(%v) = %+v, want a permanent error with code %s", reason, coded, code)
		}
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
