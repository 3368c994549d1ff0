//go:build !noheic

package pixels

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/assay-project/assay/pkg/extract/reason"
	"github.com/assay-project/assay/pkg/extract/wasm"
)

// TestUnreadable checks that a picture is not unreadable if its codec needs more memory or time than it may use, or if
// the error may pass, and that users never see what the codec says.
func TestUnreadable(t *testing.T) {
	crash := fmt.Errorf("%w (libheif): %w", wasm.ErrCrashed, errors.New("wasm error: out of bounds memory access\nwasm stack trace:\n\t.$3624(i32)"))
	for text, test := range map[string]struct{ err, want error }{
		"the picture cannot be read": {crash, ErrUnreadable},
		"the picture is too large: decoding it needs more memory than allowed": {wasm.ErrMemory.With(reason.MiB, 231), ErrTooLarge},
		"the picture is too large: decoding it takes longer than allowed":      {wasm.ErrTime.With(reason.TimeLimit, decodeTime), ErrTooLarge},
		"the picture is too large: 9 × 9 pixels; the limit is 8 for each side": {ErrTooLarge.With(reason.SidesLimit, 9, 9, 8), ErrTooLarge},
		"the picture cannot be read: the file is empty":                        {ErrUnreadable.With(reason.IsEmpty), ErrUnreadable},
		wasm.ErrCompiling.Error():                                              {fmt.Errorf("HEIC decoder: %w", wasm.ErrCompiling), wasm.ErrCompiling},
	} {
		got := unreadable(test.err)
		if sentence, _, _ := reason.Find(got); !errors.Is(got, test.want) || sentence != text || errors.Is(got, ErrUnreadable) != errors.Is(test.want, ErrUnreadable) {
			t.Errorf("unreadable(%v) = %v with the sentence %q, want %v and %q", test.err, got, sentence, test.want, text)
		}
	}
	if unreadable(nil) != nil {
		t.Error("unreadable(nil) is an error")
	}
}

// TestCodecMemory checks that a codec that needs more memory than allowed does not make a picture unreadable.
func TestCodecMemory(t *testing.T) {
	photo, err := os.ReadFile("testdata/heic-10bit-24mp.heic")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := wasm.UserCache() // TestMain has compiled the codecs
	if err != nil {
		t.Fatal(err)
	}
	h := newHEIF(wasm.Config{Cache: dir})
	defer func() {
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	info, err := Inspect(photo, Default)
	if err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{32 << 20, 64 << 20, 128 << 20} {
		instance, err := h.Start(t.Context(), wasm.Limits{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		c := codec{instance}
		c.decodeHEIC(photo, info)
		if got := unreadable(c.Err()); !errors.Is(got, ErrTooLarge) {
			t.Errorf("with %d MiB: got %v, want ErrTooLarge", memory>>20, got)
		}
		if err := instance.Close(); err != nil {
			t.Error(err)
		}
	}
}
