package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

// wipe deletes the work stream and its duplicate window. The next worker recreates the stream.
func (w *world) wipe() {
	w.t.Helper()
	if err := w.js.DeleteStream(w.t.Context(), library.WorkStream); err != nil {
		w.t.Fatal(err)
	}
}

// TestLostMessages: a sweep republishes every lost message, and outcomes that were not published.
func TestLostMessages(t *testing.T) {
	w := start(t)
	began := time.Now().Add(-time.Minute)
	s := scenarios()[0]
	after := slices.DeleteFunc(w.moments(s), func(p point) bool { return p.at == wire.Before })
	for _, p := range after { // few calls, so that all are tested
		seen := counter{}
		o := w.worker(func(c wire.Call, m wire.Moment) bool { return seen.next(c, m) == p })
		f := s.play(w)
		w.until("the call "+p.String(), func() error {
			if err := s.want(w, f); err != nil && !o.wire.IsCut() {
				return err
			}
			return nil
		})
		o.kill()
		w.wipe()
		next := w.worker(nil)
		w.sweepSince(next, began)
		w.end(s, f)
		next.end()
	}
}

// TestSweep: a sweep finds unreported uploads, and removes reservations without an upload and objects
// without a file.
func TestSweep(t *testing.T) {
	w := start(t)
	o := w.worker(nil)
	unreported, unused := w.reserve("a", "", 1), w.reserve("b", "", 1)
	folder, err := w.CreateFolder(t.Context(), library.NewNode{ID: w.id(), Owner: "ann", Name: "docs"})
	if err != nil {
		t.Fatal(err)
	}
	child := w.add("c", folder.ID, "c")
	w.ended(child.ID)
	orphan := library.FilePrefix(w.id()) + "upload-00"
	for _, key := range []string{unreported.Key, orphan} {
		if _, err := w.backends.Bucket.Put(t.Context(), key, "", nil, strings.NewReader("a")); err != nil {
			t.Fatal(err)
		}
	}
	w.sweep(o)
	w.ended(unreported.ID)
	if _, err := w.File(t.Context(), unused.ID); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("File() of a reservation without an upload returned %v, want ErrNotFound", err)
	}
	if _, err := w.backends.Bucket.Head(t.Context(), orphan); err == nil {
		t.Error("Head() of an object without a file returned no error, want one")
	}
	w.erase(folder.ID)
	w.until("the erasure", func() error { return w.nothing(child.ID) })
	w.until("the erasure of the folder", func() error {
		if _, err := w.Get(t.Context(), folder.ID); !errors.Is(err, lifecycle.ErrNotFound) {
			return fmt.Errorf("Get() of the folder returned %v, want ErrNotFound", err)
		}
		return nil
	})
	if found := w.sweep(o); len(found) > 0 {
		t.Errorf("a sweep of consistent data found %v, want nothing", found)
	}
}
