package web

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestReadBodyHasNoDeadline checks that no deadline is left on the connection once a body ends, and that
// further reads set none.
func TestReadBodyHasNoDeadline(t *testing.T) {
	for name, end := range map[string]error{"end": io.EOF, "closed": http.ErrBodyReadAfterClose} {
		t.Run(name, func(t *testing.T) {
			var deadline time.Time
			set := 0
			body := PaceBody(io.MultiReader(strings.NewReader("text"), iotest.ErrReader(end)), time.Nanosecond, func(at time.Time) error {
				deadline = at
				set++
				return nil
			})
			if text, err := io.ReadAll(body); string(text) != "text" || err != nil && !errors.Is(err, end) {
				t.Fatalf("got %q, error %v, want text and %v", text, err, end)
			}
			if set == 0 || !deadline.IsZero() {
				t.Errorf("after %d changes: got deadline %v, want none", set, deadline)
			}
			before := set
			if n, err := body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, end) {
				t.Errorf("a further read: got %d bytes, error %v, want 0 and %v", n, err, end)
			}
			if set != before {
				t.Errorf("a further read set the deadline to %v, want no change", deadline)
			}
		})
	}
}
