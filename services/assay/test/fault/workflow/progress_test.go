package workflow

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
)

// TestProgressIsSent: the progress of a file is published when a step ends, and not again when the last step ends
// within a second.
func TestProgressIsSent(t *testing.T) {
	w := start(t)
	seen := make(chan *event.LibraryProgress, 100)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- w.backends.Bus.Listen(ctx, library.ProgressSubjects, func(d bus.Delivery) {
			p := &event.LibraryProgress{}
			if err := event.Unmarshal(d.Data, p); err != nil || d.Owner != "ann" || d.Item != p.FileId {
				t.Errorf("delivery = %+v, %v, want the progress of a file of ann", d, err)
			}
			seen <- p
		})
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	probe := library.Workflow{FileID: "probe", UserID: "ann"}
	for listens := false; !listens; { // until the subscription exists
		if err := w.backends.Bus.Signal(probe.Progress()); err != nil {
			t.Fatal(err)
		}
		select {
		case <-seen:
			listens = true
		case <-time.After(10 * time.Millisecond):
		}
	}
	w.worker(nil)
	for i := range 5 { // progress events may be lost
		f := w.ended(w.add(fmt.Sprintf("%d.gif", i), "", animation(t)).ID)
		p := of(seen, f.ID)
		if p == nil {
			continue
		}
		if p.Run != 1 || p.Open != 1 || p.Done != 1 || p.Failed != 0 || p.Skipped != 0 || p.Status == "" {
			t.Errorf("progress = %+v, want one open and one completed step of file %s in run 1", p, f.ID)
		}
		if n := len(seen); n > 0 { // at most one event per second
			t.Errorf("got %d more progress events of the file, want none", n)
		}
		return
	}
	t.Fatal("got no progress event for any of five files, want one")
}

// of returns the first progress event of a file, or nil if it does not arrive.
func of(seen <-chan *event.LibraryProgress, id string) *event.LibraryProgress {
	for {
		select {
		case p := <-seen:
			if p.FileId == id {
				return p
			}
		case <-time.After(10 * time.Second):
			return nil
		}
	}
}
