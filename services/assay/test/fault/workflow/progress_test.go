package workflow

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/test/fault/wire"
)

// TestProgressIsSent: the progress of a file is published when a step ends, unless it is the last step.
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
	next := func() *event.LibraryProgress {
		select {
		case p := <-seen:
			return p
		case <-time.After(limit):
			t.Fatalf("got no progress event within %s, want one", limit)
			return nil
		}
	}
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
	w.lease = 5 * time.Second             // longer than the pause
	const pause = 1100 * time.Millisecond // longer than the minimum time between two progress events of a file
	var fileID atomic.Value
	open := make(chan int, 100) // the number of open steps before the pause
	w.worker(func(c wire.Call, m wire.Moment) bool {
		if m == wire.After && c.Name == "publish assay.library.progress" {
			flow, err := w.Workflow(t.Context(), fileID.Load().(string))
			if err != nil {
				t.Error(err)
			}
			open <- len(flow.StepsOpen)
			<-time.After(pause) // the worker does not learn meanwhile that another step has ended
		}
		return false
	})
	for try := 1; ; try++ {
		f := w.reserve("a.gif", "", len(animation(t)))
		fileID.Store(f.ID)
		w.upload(f, animation(t))
		w.ended(f.ID)
		w.idle()
		last := library.Workflow{FileID: "last-" + f.ID, UserID: "ann"} // follows all events of the file
		if err := w.backends.Bus.Signal(last.Progress()); err != nil {
			t.Fatal(err)
		}
		var got []*event.LibraryProgress
		for p := next(); p.FileId != last.FileID; p = next() {
			if p.FileId != probe.FileID {
				got = append(got, p)
			}
		}
		if len(got) != 1 {
			t.Fatalf("progress = %+v, want one event", got)
		}
		if p := got[0]; p.FileId != f.ID || p.Run != 1 || p.Open != 1 || p.Done != 1 || p.Failed != 0 || p.Skipped != 0 || p.Status == "" {
			t.Errorf("progress = %+v, want one open and one completed step of file %s in run 1", p, f.ID)
		}
		if <-open == 1 {
			return
		}
		// The last step ended before the pause, so that the limit may have held back its event.
		if try == 10 {
			t.Fatalf("the last of two steps ended before the pause in %d tries, want it to end later", try)
		}
	}
}
